/**
 * The list of notes as an MCP App (2026-01-26). It only exchanges messages with the host: no network and no storage. Notes are
 * inserted as text, never as markup.
 */
export const notesPage = /* html */ `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Notes</title>
<style>
:root { color-scheme: light dark; font: 14px/1.5 system-ui, sans-serif }
body { margin: 0; padding: 12px }
ul { list-style: none; margin: 0; padding: 0; display: grid; gap: 8px }
li { border: 1px solid #8884; border-radius: 8px; padding: 8px 12px }
h2 { font-size: 1em; margin: 0; overflow-wrap: anywhere }
p { margin: 4px 0 0; white-space: pre-wrap; overflow-wrap: anywhere; max-height: 6em; overflow: hidden }
nav { display: flex; gap: 8px; align-items: center; margin-top: 12px }
button { font: inherit; padding: 4px 12px; border-radius: 6px; border: 1px solid #8888; background: none; color: inherit }
button:disabled { opacity: .5 }
button:focus-visible { outline: 2px solid currentColor; outline-offset: 2px }
</style>
</head>
<body>
<p id="state" role="status">Loading…</p>
<ul id="notes" aria-label="Notes"></ul>
<nav aria-label="Pages"><button id="back">Previous</button><span id="where"></span><button id="on">Next</button></nav>
<script>
  const at = id => document.getElementById(id)
  const waiting = new Map()
  let last = 0, page = 1, perPage = 30, total = 0
  function send(message) { parent.postMessage({ jsonrpc: '2.0', ...message }, '*') }
  function ask(method, params) {
    const id = ++last
    send({ id, method, params })
    return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }))
  }
  function show({ notes = [], totalItems = 0 }) {
    total = totalItems
    at('notes').replaceChildren(...notes.map(note => {
      const item = document.createElement('li')
      const title = document.createElement('h2')
      const text = document.createElement('p')
      title.textContent = (note.pinned ? '📌 ' : '') + note.title
      text.textContent = note.text
      item.append(title, text)
      return item
    }))
    const pages = Math.max(1, Math.ceil(total / perPage))
    at('state').textContent = total === 0 ? 'There are no notes yet.' : total + (total === 1 ? ' note' : ' notes')
    at('where').textContent = page + ' / ' + pages
    at('back').disabled = page <= 1
    at('on').disabled = page >= pages
    send({ method: 'ui/notifications/size-changed', params: { height: document.documentElement.scrollHeight } })
  }
  async function turn(to) {
    at('back').disabled = at('on').disabled = true
    try {
      const result = await ask('tools/call', { name: 'list-notes', arguments: { page: to, itemsPerPage: perPage } })
      if (result.isError) throw new Error('refused')
      page = to
      show(result.structuredContent ?? {})
    } catch {
      at('state').textContent = 'The notes could not be loaded. Try again.'
      at('back').disabled = page <= 1
      at('on').disabled = false
    }
  }
  addEventListener('message', event => {
    const message = event.data
    if (event.source !== parent || message?.jsonrpc !== '2.0') return
    if (message.method === 'ui/notifications/tool-input') ({ page = 1, itemsPerPage: perPage = 30 } = message.params?.arguments ?? {})
    else if (message.method === 'ui/notifications/tool-result') show(message.params?.structuredContent ?? {})
    else if (message.method === 'ui/resource-teardown') send({ id: message.id, result: {} })
    else if (message.method && message.id !== undefined) send({ id: message.id, error: { code: -32601, message: 'unknown' } })
    else if (waiting.has(message.id)) {
      const { resolve, reject } = waiting.get(message.id)
      waiting.delete(message.id)
      if (message.error) reject(new Error(message.error.message))
      else resolve(message.result)
    }
  })
  at('back').addEventListener('click', () => turn(page - 1))
  at('on').addEventListener('click', () => turn(page + 1))
  ask('ui/initialize', {
    protocolVersion: '2026-01-26',
    appInfo: { name: 'notes', version: '1.0.0' },
    appCapabilities: {},
  }).then(() => { send({ method: 'ui/notifications/initialized', params: {} }) }, () => {})
</script>
</body>
</html>
`
