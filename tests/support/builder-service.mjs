// A builder service as it looks from outside: the page that connects a command line, and the API that gives browsers.
import { createServer } from 'node:http'

const [mode] = process.argv.slice(2)
const requests = []

const answers = {
  good: response => response.end(JSON.stringify({ wsUrl: 'wss://browser.example.test/devtools/abc', extra: true })),
  'own-session': response => response.end(JSON.stringify({ wsUrl: 'ws://127.0.0.1:9/x', sessionId: 'theirs' })),
  'no-ws-url': response => response.end(JSON.stringify({ ok: true })),
  'bad-ws-url': response => response.end(JSON.stringify({ wsUrl: 'https://browser.example.test' })),
  broken: response => response.writeHead(503).end('bpk-very-secret-private is what you sent'),
  'not-json': response => response.end('bpk-very-secret-private'),
  redirect: response => response.writeHead(307, { location: '/codegen/get-browser-connection?again' }).end(),
  huge: response => response.end(JSON.stringify({ wsUrl: `wss://x/${'a'.repeat(300 * 1024)}` })),
  dropped: response => response.destroy(),
  silent: () => {},
}

const server = createServer(async (request, response) => {
  const url = new URL(request.url, 'http://localhost')
  if (url.pathname === '/test/requests') return response.end(JSON.stringify(requests))
  if (url.pathname === '/cli-auth') return connect(url, response)
  let body = ''
  for await (const chunk of request) body += chunk
  requests.push({ url: request.url, authorization: request.headers.authorization, body })
  answers[mode](response)
})

function connect({ searchParams }, response) {
  const back = new URL(searchParams.get('redirect_url'))
  const set = values => Object.entries(values).forEach(([name, value]) => back.searchParams.set(name, value))
  if (mode === 'refuses') set({ error: 'access_denied' })
  else if (mode === 'incomplete') set({ 'p-key': 'bpk-very-secret-private' })
  else {
    set({ 'p-key': 'bpk-very-secret-private', 'api-key': 'public0123456789', 'user-id': 'user-7', kind: 'team' })
    set({ 'org-name': `Ada's "Ltd" #1 = best` })
  }
  if (mode === 'wrong-state') set({ state: 'guessed' })
  response.writeHead(302, { location: back.href }).end()
}

server.listen(0, '127.0.0.1', () => process.stdout.write(`http://127.0.0.1:${server.address().port}\n`))
