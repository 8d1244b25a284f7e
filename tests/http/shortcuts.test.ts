// Two servers on one database, one with FW_SHORTCUTS=off, must return the same responses. The test sends each request three times
// to the server with shortcuts: the last response comes from memory.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createBrowser, plainRequest, signUp, type TestBrowser } from '../support/http'
import { confirmAddress } from '../support/query'
import { STATIC_TOKEN } from '../support/secrets'
import { databaseOf, startServer, type TestServer } from '../support/server'

const ada = { email: 'ada@example.test', password: 'quiet harbour lantern 42', name: 'Ada "ü" \\ L' }
const env = { ACCESS_TOKEN: STATIC_TOKEN, FW_OWNER_EMAIL: ada.email }

let short: TestServer
let plain: TestServer
let browser: TestBrowser
let token: string
let noteId: string

beforeAll(async () => {
  short = await startServer({ env: { ...env, FW_SHORTCUTS: 'on' } })
  // Public pages contain their absolute address, so it must match on both servers.
  const plainEnv = { ...env, FW_SHORTCUTS: 'off', FW_BASE_URL: short.origin }
  plain = await startServer({ env: plainEnv, database: databaseOf(short) })
  browser = createBrowser(short.origin)
  await signUp(browser, ada)
  await confirmAddress(short, ada.email)
  for (let number = 1; number <= 35; number++)
    noteId = await createNote({ title: `Note ${number} "é" \\`, text: `<b>${number}</b>\n漢 🎉` })
  await browser.post('/_fw/actions/publish-note', { json: { id: noteId } })
  const made = await browser.post('/_fw/tokens', {
    json: { name: 'Script', scopes: ['mcp:read', 'mcp:write'], expiresInDays: 30 },
  })
  ;({ token } = await made.json())
})
afterAll(() => Promise.all([short.stop(), plain.stop()]))

async function createNote(json: { title: string; text: string }): Promise<string> {
  const answer = await browser.post('/_fw/actions/create-note', { json })
  return (await answer.json()).result.note.id
}

interface Asked {
  path: string
  method?: string
  headers?: Record<string, string>
  body?: string
}

const OWN = ['x-request-id', 'date']
const ID = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g
const TIME = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\b/g

/** A response without the parts that are unique to a request or server. With `writes`, also without new ids and times. */
async function told(server: TestServer, { headers = {}, ...asked }: Asked, writes: boolean) {
  const origin: Record<string, string> = asked.method && asked.method !== 'HEAD' ? { origin: short.origin } : {}
  const answer = await plainRequest(server.origin, { ...asked, headers: { ...origin, ...headers } })
  const requestId = answer.headers.get('x-request-id') ?? 'none'
  const hosts = [short, plain].map(({ origin }) => new URL(origin).host)
  const plainly = (text: string) => {
    const common = hosts.reduce((rest, host) => rest.replaceAll(host, 'HOST'), text).replaceAll(requestId, 'REQUEST')
    return writes ? common.replaceAll(ID, 'ID').replaceAll(TIME, 'TIME') : common
  }
  const said = [...answer.headers]
    .filter(([name]) => !OWN.includes(name))
    .map(([name, value]) => [name, plainly(value)])
  const body = Buffer.from(await answer.arrayBuffer())
  // Compressed bytes are compared unchanged. The protocol's library orders the members of a message differently.
  const text = plainly(body.toString('latin1'))
  const isMessage = asked.path === '/mcp' && text.startsWith('{')
  return { status: answer.status, said: said.toSorted(), body: isMessage ? JSON.parse(text) : text }
}

async function expectTheSame(asked: Asked, { writes = false } = {}): Promise<void> {
  const wanted = await told(plain, asked, writes)
  for (const turn of writes ? [1] : [1, 2, 3])
    expect(await told(short, asked, writes), `${turn}: ${JSON.stringify(asked).slice(0, 300)}`).toEqual(wanted)
}

const cookie = () => ({ cookie: browser.cookieHeader(), 'sec-fetch-site': 'same-origin' })
const JSON_TYPE = { 'content-type': 'application/json' }
const post = (path: string, body: string, headers: Record<string, string> = {}): Asked => ({
  path,
  method: 'POST',
  headers: { ...cookie(), ...JSON_TYPE, ...headers },
  body,
})

const PAGES = [
  '/',
  '/notes',
  '/o/acme',
  '/o/acme/notes',
  '/o/acme/about',
  '/o/acme/_fw/session',
  '/notes?x=1',
  '/about',
  '/no/such/page',
  '/sign-in',
  '/sign-in?return=%2Fnotes',
  '/p/ABC',
]
const ENCODINGS = ['', 'br', 'gzip', 'gzip, deflate, br, zstd', 'br;q=0, gzip', 'BR', 'br;q=0.0,gzip;q=0', 'x,br ', '*']
const ODD_PATHS = [
  '/_fw/%73ession',
  '/_fw//session/',
  '/x/../_fw/session',
  '/_fw/session?',
  '/_fw/session#x',
  '/%6eotes/',
  '/NOTES',
  '/_fw/session;x',
  '/_fw/session%2F',
  '/_fw/session%00',
  '/_fw/session.',
  '/_FW/session',
  '/_fw',
  '/_fw/nothing',
  '/_nuxt/nothing.js',
  '/favicon.svg',
  '/api/nothing',
  '/note-list/',
  '/note-list//x',
  '/%',
  '/%zz',
  '/.well-known/oauth-protected-resource',
  '/.well-known/nothing',
  '/_fw/health/ready',
  '/_fw/openapi.json',
]

const pageRequests = (): Asked[] => [
  { path: `/p/${noteId}` },
  { path: `/p/${noteId}`, headers: { 'accept-encoding': 'br' } },
  ...PAGES.flatMap(path => ENCODINGS.map(encoding => ({ path, headers: { 'accept-encoding': encoding } }))),
  ...PAGES.flatMap(path => ['HEAD', 'OPTIONS', 'DELETE'].map(method => ({ path, method }))),
  ...PAGES.flatMap(path => ['*', '"x"', 'W/"x", "y"'].map(tag => ({ path, headers: { 'if-none-match': tag } }))),
  ...PAGES.map(path => ({ path, headers: { ...cookie(), accept: 'application/ld+json' } })),
  { path: '/sign-in?lang=de' },
  { path: '/sign-in?step=code' },
  { path: '/sign-in?error=provider-failed' },
]

const sessionRequests = (): Asked[] => [
  ...['', 'x=1', 'better-auth.session_token=x', `${browser.cookieHeader()}x`, `x=1; ${browser.cookieHeader()}`].map(
    text => ({ path: '/_fw/session', headers: { cookie: text } }),
  ),
  { path: '/_fw/session', headers: { ...cookie(), authorization: 'Bearer nothing' } },
  ...['HEAD', 'OPTIONS', 'PUT'].map(method => ({ path: '/_fw/session', method, headers: cookie() })),
  ...ODD_PATHS.flatMap(path => [{ path, headers: cookie() }, { path }, { path, method: 'HEAD', headers: cookie() }]),
  ...['adas-organization', 'ada-u-ls-organization', 'no-such-place', ''].flatMap(slug => [
    { path: '/_fw/session', headers: { ...cookie(), 'fw-org': slug } },
    { path: `/_fw/session?fw-org=${slug}`, headers: cookie() },
  ]),
  { path: '/_fw/org', headers: cookie() },
  { path: '/_fw/tokens', headers: cookie() },
  { path: '/_fw/tokens' },
]

const TYPES = ['application/ld+json', 'application/json', 'application/vnd.api+json', 'application/hal+json']
const QUERIES = [
  '',
  '?page=2',
  '?page=99',
  '?page=0',
  '?page=x',
  '?itemsPerPage=7&page=3',
  '?itemsPerPage=0',
  '?itemsPerPage=1000',
  '?order[title]=asc',
  '?order[title]=up',
  '?order[nothing]=asc',
  '?title=note%201',
  '?title[]=1&title[]=2',
  '?content=%E6%BC%A2',
  '?archived=false&access=owner',
  '?archived=perhaps',
  '?nothing=1',
  '?__proto__[x]=1',
  '?page[number]=2',
]

const collectionRequests = (): Asked[] => [
  ...TYPES.flatMap(accept => QUERIES.map(query => ({ path: `/note-list${query}`, headers: { ...cookie(), accept } }))),
  ...TYPES.map(accept => ({ path: `/note-list/${noteId}`, headers: { ...cookie(), accept } })),
  ...TYPES.map(accept => ({ path: '/team-members?page=1', headers: { ...cookie(), accept } })),
  { path: '/note-list/nothing', headers: cookie() },
  { path: '/note-list' },
  { path: '/note-list', method: 'HEAD', headers: cookie() },
  { path: '/note-list', method: 'POST', headers: cookie() },
  { path: '/note-list', headers: { ...cookie(), accept: 'text/csv' } },
  { path: '/note-list', headers: { authorization: `Bearer ${token}` } },
  { path: '/note-list', headers: { authorization: 'Bearer nothing' } },
]

const actionRequests = (): Asked[] => [
  { path: '/_fw/actions/list-notes', headers: cookie() },
  { path: '/_fw/actions/list-notes' },
  { path: '/_fw/actions/list-notes?archived=true', headers: cookie() },
  { path: '/_fw/actions/list-notes', headers: { authorization: `Bearer ${token}` } },
  { path: `/_fw/actions/get-note?id=${noteId}`, headers: cookie() },
  { path: '/_fw/actions/get-note?id=nothing', headers: cookie() },
  { path: '/_fw/actions/get-note', headers: cookie() },
  { path: '/_fw/actions/list-members', headers: cookie() },
  { path: '/_fw/actions/nothing', headers: cookie() },
  ...['{}', '{"archived":1}', '[]', '{', 'null', '', '{"__proto__":{"x":1}}'].map(body =>
    post('/_fw/actions/list-notes', body),
  ),
  post('/_fw/actions/create-note', '{}'),
  post('/_fw/actions/create-note', '{"title":""}'),
  post('/_fw/actions/create-note', '{"title":"x"}', { 'content-type': 'text/plain' }),
  post('/_fw/actions/create-note', '{"title":"x"}', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }),
]

const VERSION = 'io.modelcontextprotocol/protocolVersion'
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities'

function message(body: unknown, headers: Record<string, string> = {}, bearer = STATIC_TOKEN): Asked {
  return {
    path: '/mcp',
    method: 'POST',
    headers: {
      ...JSON_TYPE,
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${bearer}`,
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  }
}

const earlier = (body: object, headers: Record<string, string> = {}, bearer?: string): Asked =>
  message({ jsonrpc: '2.0', id: 1, ...body }, { 'mcp-protocol-version': '2025-11-25', ...headers }, bearer)

function current(method: string, params: Record<string, unknown> = {}, bearer?: string): Asked {
  const named: Record<string, string> = typeof params.name === 'string' ? { 'mcp-name': params.name } : {}
  const _meta = { [VERSION]: '2026-07-28', [CAPABILITIES]: {} }
  return message(
    { jsonrpc: '2.0', id: 'x', method, params: { ...params, _meta } },
    { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, ...named },
    bearer,
  )
}

const LISTS = ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list']
const listNotes = { name: 'list-notes', arguments: {} }

const mcpRequests = (): Asked[] => [
  ...LISTS.flatMap(method => [earlier({ method }), current(method), earlier({ method }, {}, token)]),
  earlier({ method: 'tools/call', params: listNotes }),
  earlier({ method: 'tools/call', params: { ...listNotes, arguments: { archived: 'x' } } }),
  earlier({ method: 'tools/call', params: { name: 'get-note', arguments: { id: noteId } } }, {}, token),
  earlier({ method: 'tools/call', params: { name: 'nothing' } }),
  current('tools/call', listNotes),
  current('tools/call', listNotes, token),
  current('server/discover'),
  earlier({ method: 'ping' }),
  earlier({ method: 'ping', more: true }),
  earlier({ method: 'unknown/method' }),
  earlier({ method: 'notifications/initialized', id: undefined }),
  earlier({ method: 'ping' }, { 'mcp-protocol-version': '1999-01-01' }),
  message('{'),
  message('[]'),
  message({ jsonrpc: '2.0', id: 1, method: 'tools/list' }, {}, 'nothing'),
  { path: '/mcp' },
  { path: '/mcp', method: 'OPTIONS' },
]

const requests = {
  pages: pageRequests,
  'sessions and odd paths': sessionRequests,
  collections: collectionRequests,
  actions: actionRequests,
  'messages of MCP hosts': mcpRequests,
}

describe.each(Object.entries(requests))('%s', (_what, asked) => {
  it('return the same responses with and without shortcuts', async () => {
    for (const each of asked()) await expectTheSame(each)
  })
})

describe('writes', () => {
  const create = () => post('/_fw/actions/create-note', JSON.stringify({ title: 'Written', text: '1' }))

  it('return the same responses with and without shortcuts', async () => {
    await expectTheSame(create(), { writes: true })
    const tool = { name: 'create-note', arguments: { title: 'From a host', text: '2' } }
    await expectTheSame(earlier({ method: 'tools/call', params: tool }), { writes: true })
    await expectTheSame(current('tools/call', tool), { writes: true })
    const update = JSON.stringify({ id: noteId, title: 'Changed' })
    await expectTheSame(post('/_fw/actions/update-note', update), { writes: true })
  })

  it('leave no outdated responses in memory, whichever server receives them', async () => {
    const reads = [...collectionRequests(), ...actionRequests(), ...mcpRequests()].filter(({ body = '', path }) =>
      /list-notes|note-list|get-note|resources/.test(path + body),
    )
    for (const writer of [plain, short]) {
      await told(writer, create(), true)
      for (const each of reads) await expectTheSame(each)
    }
  })

  it('end a session on both servers when they end it on one', async () => {
    const session = { path: '/_fw/session', headers: cookie() }
    const { body } = await told(short, session, false)
    expect(body).toContain(ada.email)
    await told(plain, { ...session, method: 'DELETE' }, true)
    await expectTheSame(session)
    expect((await told(short, session, false)).body).not.toContain(ada.email)
    for (const each of [...actionRequests(), ...collectionRequests()]) await expectTheSame(each)
  })
})
