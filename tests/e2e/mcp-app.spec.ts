import { createServer } from 'node:http'
import type { Page } from '@playwright/test'
import { expectNoViolations } from '../support/accessibility'
import { expect, test } from '../support/e2e'
import { connectHost } from '../support/mcp'
import { confirmAddress, countRows } from '../support/query'
import { aPerson, runAction, signUp } from '../support/people'
import { STATIC_TOKEN } from '../support/secrets'
import { listen } from '../support/web-server'

test.use({ serverEnv: { ACCESS_TOKEN: STATIC_TOKEN, FW_OWNER_EMAIL: aPerson().email } })

/** A host's page for an MCP app: a frame without rights; the host sends the frame's messages through its connection. */
const hostPage = (html: string, input: object) => `<!doctype html><html lang="en"><head><title>Host</title></head><body>
<main><h1>Host</h1><iframe title="Notes" sandbox="allow-scripts" width="360" height="500"></iframe></main><script>
const frame = document.querySelector('iframe')
const send = message => frame.contentWindow.postMessage({ jsonrpc: '2.0', ...message }, '*')
addEventListener('message', async ({ data, source }) => {
  if (source !== frame.contentWindow) return
  if (data.method === 'ui/initialize') send({ id: data.id, result: { protocolVersion: data.params.protocolVersion, hostInfo: { name: 'host', version: '1' }, hostCapabilities: {}, hostContext: {} } })
  if (data.method === 'tools/call') send({ id: data.id, result: await callTool(data.params) })
  if (data.method === 'ui/notifications/initialized') {
    send({ method: 'ui/notifications/tool-input', params: { arguments: ${JSON.stringify(input)} } })
    send({ method: 'ui/notifications/tool-result', params: await callTool({ name: 'list-notes', arguments: ${JSON.stringify(input)} }) })
  }
})
frame.srcdoc = ${JSON.stringify(html).replaceAll('<', String.raw`\u003c`)}
</script></body></html>`

async function show(page: Page, origin: string, input: object) {
  const host = await connectHost(origin)
  const { tools } = await host.listTools()
  const uri = String(tools.find(tool => tool.name === 'list-notes')?._meta?.['ui/resourceUri'])
  const [content] = (await host.readResource({ uri })).contents
  const requests: string[] = []
  page.on('request', request => requests.push(request.url()))
  await page.exposeFunction('callTool', (params: { name: string; arguments: Record<string, unknown> }) =>
    host.callTool(params),
  )
  await page.setContent(hostPage(content && 'text' in content ? content.text : '', input))
  return { frame: page.frameLocator('iframe'), requests }
}

test('an MCP host shows the notes beside the answer and pages through them without network requests', async ({
  page,
  origin,
  server,
}) => {
  await signUp(page, origin)
  await confirmAddress(server, aPerson().email)
  for (const number of [1, 2, 3]) await runAction(page, origin, 'create-note', { title: `Note ${number}` })
  await runAction(page, origin, 'create-note', { title: '<img src=x onerror=alert(1)>', text: '<b>bold</b>' })
  const { frame, requests } = await show(page, origin, { itemsPerPage: 2 })
  await expect(frame.getByRole('status')).toHaveText('4 notes')
  await expect(frame.getByRole('heading')).toHaveText(['<img src=x onerror=alert(1)>', 'Note 3'])
  await expect(frame.getByRole('button', { name: 'Previous' })).toBeDisabled()
  await frame.getByRole('button', { name: 'Next' }).click()
  await expect(frame.getByRole('heading')).toHaveText(['Note 2', 'Note 1'])
  await expect(frame.getByRole('button', { name: 'Next' })).toBeDisabled()
  expect(requests.filter(url => /^https?:/.test(url))).toEqual([])
  await expectNoViolations(page, { isFramed: true })
})

test('the MCP app shows a message when there are no notes', async ({ page, origin, server }) => {
  await signUp(page, origin)
  await confirmAddress(server, aPerson().email)
  const { frame } = await show(page, origin, {})
  await expect(frame.getByRole('status')).toHaveText('There are no notes yet.')
})

test('a page of an origin that is not listed reads why its call was refused', async ({ page, origin, server }) => {
  await signUp(page, origin)
  await confirmAddress(server, aPerson().email)
  const other = await listen(createServer((_request, response) => response.end('<!doctype html><title>Other</title>')))
  await page.goto(other.origin)
  const read = await page.evaluate(
    async ([url, token]) => {
      const message = {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'create-note', arguments: { title: 'No' } },
      }
      const headers = {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'mcp-protocol-version': '2025-11-25',
      }
      const answer = await fetch(url!, { method: 'POST', headers, body: JSON.stringify(message) })
      return { status: answer.status, problem: await answer.json() }
    },
    [`${origin}/mcp`, STATIC_TOKEN],
  )
  expect(read).toMatchObject({ status: 403, problem: { code: 'cross-origin' } })
  expect(read.problem.detail).toContain('FW_MCP_ALLOWED_ORIGINS')
  expect(await countRows(server, 'notes')).toBe(0)
  await other.stop()
})
