// bench/hostile.mjs runs this file in plain Node, so it has no imports from this repository.
import { readdirSync } from 'node:fs'
import { connect } from 'node:net'

/** The credentials of a request, inserted when it is sent, so that a seed produces the same requests everywhere. */
type Carries = 'nothing' | 'session' | 'token' | 'both'

export interface HostileRequest {
  /** The seed and the request's index, from 0. */
  name: string
  /** The request on the wire, one character per byte. Placeholders: `{session}` and `{token}` for credentials, `{host}`. */
  text: string
}

export interface Credentials {
  session: string
  token: string
}

export interface HostileAnswer {
  /** 0 when the connection was closed without a response. */
  status: number
  /** The problem with the response; undefined when there is none. */
  fault?: string
}

/** The time limit of a response. The server stops waiting for an incomplete body after 15 seconds. */
const ANSWER_LIMIT_IN_MS = 25_000
const METHODS = ['GET', 'GET', 'GET', 'POST', 'POST', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'QUERY']
const LONG = 5000

/** Values that are known to break servers. */
const VALUES: readonly string[] = [
  ['', ' ', '0', '-1', '1', '30', '1e999', '-0', 'NaN', '9'.repeat(400), '9007199254740993', '0x10', '1.5'],
  ['true', 'null', '\0', 'a\0b', '\ud800', '\uffff', '\u202e', 'ÿ', '🏴‍☠️', 'İ', 'ß', '\r\nx-injected: 1'],
  ['\\', '"', "'", "' or 1=1--", '%', '_', '__proto__', 'constructor', 'hasOwnProperty', 'toString', '[]'],
  ['{}', '[object Object]', '../../etc/passwd', '..\\..', '.', '/', 'javascript:alert(1)'],
  ['http://127.0.0.1:1/', 'https://[::1]:99999', '//evil.invalid', 'data:text/html,x', 'file:///etc/passwd'],
  ['https://evil.invalid/client.json', 'http://127.0.0.1:0/callback', 'urn:x', 'ada@example.invalid', '@'],
  ['a@b', 'x'.repeat(LONG), '2026-13-45', '2026-01-01T00:00:00Z', '-271821-04-20'],
  ['01890000-0000-7000-8000-000000000000', 'asc', 'desc', 'S256', 'plain', 'mcp:read', 'code'],
  ['authorization_code', 'refresh_token', 'none', '<script>', '${7*7}', '{{7*7}}', '*/*', 'en', 'a,b', 'a;b'],
  ['a=b'],
].flat()

/** Names of parameters that some endpoint reads. */
const NAMES: readonly string[] = [
  ['id', 'email', 'password', 'name', 'title', 'text', 'intent', 'token', 'code', 'state', 'nonce', 'return'],
  ['confirm', 'role', 'key', 'value', 'orgId', 'visibility', 'page', 'itemsPerPage', 'after', 'since', 'limit'],
  ['order', 'order[title]', 'order[createdAt]', 'q', 'search', 'filter', 'title[]', 'title[contains]'],
  ['id[gt]', 'id[lt]', 'id[]', 'createdAt[after]', 'createdAt[before]', 'exists[text]', 'properties[]'],
  ['fields', 'total', 'pagination', 'partial', 'cursor', '_format', '__proto__', '__proto__[x]'],
  ['constructor[prototype]', 'client_id', 'client_secret', 'redirect_uri', 'response_type', 'scope'],
  ['resource', 'code_challenge', 'code_challenge_method', 'grant_type', 'code_verifier', 'refresh_token'],
  ['token_type_hint', 'client_name', 'redirect_uris', 'grant_types', 'response_types'],
  ['token_endpoint_auth_method', 'app', 'app_id', 'assertion', 'ticket', 'origin', 'newEmail', 'userId'],
  ['kind', 'from', 'to', 'format'],
].flat()

const MCP_METHODS: readonly string[] = [
  ['initialize', 'ping', 'tools/list', 'tools/call', 'resources/list', 'resources/read'],
  ['resources/templates/list', 'prompts/list', 'prompts/get', 'completion/complete', 'logging/setLevel'],
  ['notifications/initialized', 'notifications/cancelled', 'server/discover', 'sampling/createMessage'],
  ['roots/list', 'tasks/get', '__proto__', ''],
].flat()
const TYPES: readonly string[] = [
  ['application/json', 'application/json', 'application/json', 'application/x-www-form-urlencoded'],
  ['application/x-www-form-urlencoded', 'application/ld+json', 'application/merge-patch+json', 'text/plain'],
  ['multipart/form-data; boundary=x', 'image/png', 'application/json; charset=utf-16', '', '/', ';'],
].flat()
const HEADERS: readonly (readonly [string, readonly string[]])[] = [
  [
    'accept',
    [
      'application/ld+json',
      'text/html',
      'application/json',
      'text/event-stream',
      '*/*;q=0',
      'application/hal+json',
      'text/csv',
      'x',
      ',,,',
    ],
  ],
  ['accept-language', ['de', 'ar', '*', 'x'.repeat(300), 'de;q=2', ';;']],
  ['accept-encoding', ['br', 'gzip', 'identity;q=0', 'x']],
  ['range', ['bytes=0-', 'bytes=9-1', 'bytes=-0', 'x']],
  ['if-none-match', ['*', 'W/"x"', '"']],
  ['if-modified-since', ['x', 'Thu, 01 Jan 1970 00:00:00 GMT', 'Invalid']],
  ['origin', ['null', 'https://evil.invalid', 'x', 'http://{host}']],
  ['sec-fetch-site', ['same-origin', 'same-origin', 'cross-site', 'none', 'x']],
  ['x-forwarded-for', ['1.2.3.4', '::1', 'x'.repeat(300), ',,,']],
  ['x-forwarded-host', ['evil.invalid']],
  ['x-forwarded-proto', ['https', 'javascript']],
  ['user-agent', ['', 'x'.repeat(LONG), '\u0080']],
  ['last-event-id', ['x', '01890000-0000-7000-8000-000000000000']],
  ['mcp-protocol-version', ['2026-07-28', '2025-11-25', '2025-06-18', '1900-01-01', 'x']],
  ['mcp-method', ['tools/call', 'tools/list', 'x']],
  ['mcp-name', ['list-notes', 'x']],
  ['mcp-session-id', ['x', '\u0080']],
  ['content-encoding', ['gzip', 'x']],
  ['prefer', ['return=minimal', 'x']],
  ['cookie', ['fw.session_token=x', 'fw.session_token=%', '=', ';;;', 'a=b; a=c', `x=${'y'.repeat(LONG)}`]],
  [
    'authorization',
    [
      'Bearer',
      'Bearer x',
      'Bearer eyJhbGciOiJub25lIn0.e30.',
      'Basic Og==',
      'Basic %%%',
      'Digest x',
      `Bearer ${'x'.repeat(LONG)}`,
      'Bearer fwe_x',
      'Bearer fwp_x',
    ],
  ],
  ['x-request-id', ['x'.repeat(300), '<script>']],
]

interface Dice {
  /** An integer from 0 up to but not including `below`. */
  roll(below: number): number
  pick<T>(list: readonly T[]): T
  /** True once in `times`. */
  oneIn(times: number): boolean
}

/** Pseudorandom numbers, the same for the same seed (mulberry32). */
function createDice(seed: number): Dice {
  let state = seed >>> 0
  function next(): number {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const roll = (below: number) => Math.floor(next() * below)
  return {
    roll,
    pick: list => {
      const found = list[roll(list.length)]
      if (found === undefined) throw new Error('there is nothing to pick from')
      return found
    },
    oneIn: times => roll(times) === 0,
  }
}

/** The paths of the routes in a Nitro folder, with a placeholder for each parameter. */
export function routePaths(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(file => file.endsWith('.ts'))
    .map(file => `/${file.replace(/(\.(get|post))?\.ts$/, '').replace(/(^|\/)index$/, '')}`)
    .map(path => path.replace(/\[(?:\.\.\.)?\w+\]/g, ':x'))
    .toSorted()
}

/** Generates malicious or careless requests; the same seed and paths produce the same requests. */
export function hostileRequests(seed: number, count: number, paths: readonly string[]): HostileRequest[] {
  const dice = createDice(seed)
  const kinds = [
    atRoute,
    atRoute,
    atRoute,
    atRoute,
    oddPath,
    mcpMessage,
    mcpMessage,
    oauthRequest,
    oauthRequest,
    collectionQuery,
    collectionQuery,
    brokenHttp,
  ]
  return Array.from({ length: count }, (_, at) => ({ name: `${seed}:${at}`, text: dice.pick(kinds)(dice, paths) }))
}

function atRoute(dice: Dice, paths: readonly string[]): string {
  const path = dice.pick(paths).replaceAll(':x', () => encoded(dice, dice.pick(VALUES)))
  // Random choice rarely hits a route that only accepts POST.
  const method = dice.oneIn(2) ? dice.pick(METHODS) : dice.pick(['GET', 'POST'])
  const { type, text } = body(dice, method)
  const isOurs = method !== 'GET' && !dice.oneIn(4)
  const headers = isOurs ? ['origin: http://{host}'] : []
  return compose(dice, {
    method,
    target: path + query(dice, dice.roll(4)),
    type,
    text,
    headers,
    ...(isOurs ? { carries: 'session' } : {}),
  })
}

function oddPath(dice: Dice, paths: readonly string[]): string {
  const path = dice.pick(paths).replaceAll(':x', 'x')
  const at = dice.roll(path.length)
  const odd = dice.pick([
    '%',
    '%00',
    '%2f',
    '%2e%2e/',
    '//',
    '/./',
    ';x=y',
    '%ff',
    '%C0%AF',
    '\\',
    '%0d%0a',
    'x'.repeat(LONG),
    '%25%32%66',
    '#',
    '?',
    '*',
    '%F0%9F',
  ])
  const target = dice.pick([
    path.slice(0, at) + odd + path.slice(at),
    path.toUpperCase(),
    path + odd,
    odd + path,
    `http://{host}${path}`,
    path.replaceAll('/', '//'),
  ])
  return compose(dice, { method: dice.pick(METHODS), target })
}

function mcpMessage(dice: Dice): string {
  const message = () => ({
    jsonrpc: dice.oneIn(6) ? value(dice, 1) : '2.0',
    ...(dice.oneIn(5) ? {} : { id: dice.oneIn(4) ? value(dice, 1) : dice.roll(9) }),
    method: dice.oneIn(10) ? value(dice, 1) : dice.pick(MCP_METHODS),
    ...(dice.oneIn(4) ? {} : { params: dice.oneIn(4) ? value(dice, 3) : toolCall(dice) }),
  })
  const content = dice.oneIn(8) ? [message(), message()] : message()
  const text = dice.oneIn(8) ? rawJson(dice) : JSON.stringify(content)
  const accept = dice.oneIn(4) ? [] : ['accept: application/json, text/event-stream']
  return compose(dice, {
    method: dice.oneIn(8) ? dice.pick(METHODS) : 'POST',
    target: '/mcp',
    type: 'application/json',
    text,
    headers: accept,
    carries: dice.oneIn(4) ? 'nothing' : 'token',
  })
}

const toolCall = (dice: Dice) => ({
  name: dice.pick(['list-notes', 'create-note', 'update-note', 'delete-note', 'list-members', dice.pick(VALUES)]),
  arguments: dice.oneIn(3) ? value(dice, 3) : record(dice, 2),
  uri: dice.pick(VALUES),
  protocolVersion: dice.pick(['2026-07-28', '2025-11-25', dice.pick(VALUES)]),
  capabilities: dice.oneIn(3) ? value(dice, 2) : {},
  clientInfo: dice.oneIn(3) ? value(dice, 2) : { name: 'x', version: '1' },
  ...(dice.oneIn(2)
    ? {
        _meta: {
          'io.modelcontextprotocol/protocolVersion': dice.pick(['2026-07-28', dice.pick(VALUES)]),
          'io.modelcontextprotocol/clientCapabilities': value(dice, 2),
          progressToken: value(dice, 1),
        },
      }
    : {}),
})

function oauthRequest(dice: Dice): string {
  const target = dice.pick([
    '/mcp/oauth/authorize',
    '/mcp/oauth/token',
    '/mcp/oauth/register',
    '/mcp/oauth/revoke',
    '/mcp/oauth/device',
    '/device',
    '/_fw/identity/authorize',
    '/_fw/identity/token',
    '/_fw/identity/callback',
    '/callback',
    '/_fw/a2a',
  ])
  const names = NAMES.slice(NAMES.indexOf('client_id'))
  const fields = Array.from(
    { length: 1 + dice.roll(9) },
    () => `${dice.pick(names)}=${encoded(dice, dice.pick(VALUES))}`,
  ).join('&')
  if (target.endsWith('register') && !dice.oneIn(4))
    return compose(dice, {
      method: 'POST',
      target,
      type: 'application/json',
      text: JSON.stringify({
        redirect_uris: dice.oneIn(2) ? value(dice, 2) : ['http://127.0.0.1/x'],
        client_name: value(dice, 1),
        ...record(dice, 2),
      }),
    })
  if (dice.oneIn(2)) return compose(dice, { method: 'GET', target: `${target}?${fields}` })
  return compose(dice, { method: 'POST', target, type: 'application/x-www-form-urlencoded', text: fields })
}

function collectionQuery(dice: Dice, paths: readonly string[]): string {
  const collections = paths.filter(path => !/^\/(_fw|mcp|\.well-known|sign-in|callback)/.test(path))
  const path = dice
    .pick(collections.length > 0 ? collections : paths)
    .replaceAll(':x', () => encoded(dice, dice.pick(VALUES)))
  const method = dice.oneIn(5) ? dice.pick(METHODS) : 'GET'
  return compose(dice, {
    method,
    target: path + query(dice, 1 + dice.roll(12)),
    carries: dice.oneIn(4) ? 'nothing' : 'session',
    ...body(dice, method),
  })
}

/** Requests that an HTTP parser should refuse or treat as a single request. */
function brokenHttp(dice: Dice, paths: readonly string[]): string {
  const path = dice.pick(paths).replaceAll(':x', 'x')
  const head = `POST ${path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n`
  return dice.pick([
    `${head}content-length: 5\r\ncontent-length: 6\r\n\r\nhello`,
    `${head}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
    `${head}transfer-encoding: chunked\r\n\r\nzz\r\nhello\r\n0\r\n\r\n`,
    `${head}transfer-encoding: chunked\r\n\r\nffffffffffffffff\r\nhello`,
    `${head}content-length: -1\r\n\r\n`,
    `${head}content-length: 99999999999999999999\r\n\r\n`,
    `${head}x: ${'y'.repeat(20_000)}\r\n\r\n`,
    `${head}${'x: y\r\n'.repeat(3000)}\r\n`,
    `${head} folded: x\r\n\r\n`,
    `${head}x\r\n\r\n`,
    `${head}: x\r\n\r\n`,
    `${head}host: other.invalid\r\n\r\n`,
    `${head}expect: 100-continue\r\ncontent-length: 0\r\n\r\n`,
    `${head}expect: x\r\ncontent-length: 0\r\n\r\n`,
    `${head}upgrade: websocket\r\nconnection: upgrade\r\n\r\n`,
    `GET ${path} HTTP/1.0\r\n\r\n`,
    `GET ${path} HTTP/1.1\r\nconnection: close\r\n\r\n`,
    `GET ${path} HTTP/2.0\r\n\r\n`,
    `GET ${path}\r\n\r\n`,
    `CONNECT {host} HTTP/1.1\r\nhost: {host}\r\n\r\n`,
    `TRACE ${path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n`,
    `OPTIONS * HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n`,
    `\u0016\u0003\u0001\u0000\u00a5\u0001\u0000\r\n\r\n`,
    `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n`,
    `${head}content-type: application/json\r\ncontent-length: 2\r\n\r\n{}GET / HTTP/1.1\r\n\r\n`,
  ])
}

interface Parts {
  method: string
  target: string
  type?: string
  text?: string
  headers?: string[]
  carries?: Carries
}

function compose(dice: Dice, { method, target, type, text, headers = [], carries }: Parts): string {
  const lines = [
    `${method} ${target} HTTP/1.1`,
    `host: ${dice.oneIn(25) ? dice.pick(['evil.invalid', '', 'x:y', '127.0.0.1']) : '{host}'}`,
    'connection: close',
    ...headers,
  ]
  for (let more = dice.roll(4); more > 0; more -= 1) {
    const [name, values] = dice.pick(HEADERS)
    lines.push(`${name}: ${dice.pick(values)}`)
  }
  const whose = carries ?? dice.pick(['nothing', 'session', 'session', 'session', 'token', 'both'] as const)
  if (whose === 'session' || whose === 'both') lines.push('cookie: {session}', 'sec-fetch-site: same-origin')
  if (whose === 'token' || whose === 'both') lines.push('authorization: Bearer {token}')
  if (text === undefined) return `${lines.join('\r\n')}\r\n\r\n`
  const bytes = Buffer.from(text).toString('latin1')
  if (type !== undefined) lines.push(`content-type: ${type}`)
  if (!dice.oneIn(8)) return `${lines.join('\r\n')}\r\ncontent-length: ${bytes.length}\r\n\r\n${bytes}`
  const half = Math.ceil(bytes.length / 2)
  const chunks = [bytes.slice(0, half), bytes.slice(half)].filter(Boolean)
  const chunked = chunks.map(chunk => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join('')
  return `${lines.join('\r\n')}\r\ntransfer-encoding: chunked\r\n\r\n${chunked}0\r\n\r\n`
}

function body(dice: Dice, method: string): Pick<Parts, 'type' | 'text'> {
  if ((method === 'GET' || method === 'HEAD') && !dice.oneIn(12)) return {}
  const type = dice.pick(TYPES)
  if (type.includes('form-urlencoded')) return { type, text: query(dice, dice.roll(8)).slice(1) }
  return {
    type,
    text: dice.oneIn(4) ? rawJson(dice) : JSON.stringify(dice.oneIn(5) ? value(dice, 4) : record(dice, 3)),
  }
}

/** JSON, or almost JSON, that `JSON.stringify` would never write. */
const rawJson = (dice: Dice): string =>
  dice.pick([
    '',
    '{',
    '{"title":"x","title":["y"]}',
    '{"__proto__":{"isAdmin":true},"title":"x"}',
    `${'['.repeat(30_000)}${']'.repeat(30_000)}`,
    `${'{"a":'.repeat(9000)}1${'}'.repeat(9000)}`,
    '{"title":"\\ud800","id":1e999}',
    '\ufeff{}',
    '{"title":"x"}trailing',
    `{"title":"${'x'.repeat(60_000)}"}`,
    `{${Array.from({ length: 4000 }, (_, at) => `"k${at}":${at}`).join(',')}}`,
    `[${'1,'.repeat(30_000)}1]`,
    'NaN',
    '"text"',
    '-',
    '\u0000',
  ])

function query(dice: Dice, count: number): string {
  const pairs = Array.from({ length: count }, () => {
    const name = dice.oneIn(10) ? encoded(dice, dice.pick(VALUES)) : dice.pick(NAMES)
    return dice.oneIn(10) ? name : `${name}=${encoded(dice, dice.pick(VALUES))}`
  })
  return count === 0 ? '' : `?${pairs.join(dice.oneIn(20) ? ';' : '&')}`
}

/** Encodes text for an address, correctly in 7 of 8 cases. */
function encoded(dice: Dice, text: string): string {
  if (!dice.oneIn(8)) return encodeURIComponent(text.toWellFormed())
  return text.replace(/[^\u0021-\u00ff]/g, '%')
}

function value(dice: Dice, depth: number): unknown {
  const kind = dice.roll(depth > 0 ? 8 : 6)
  if (kind === 7) return record(dice, depth - 1)
  if (kind === 6) return Array.from({ length: dice.roll(4) }, () => value(dice, depth - 1))
  if (kind === 5) return null
  if (kind === 4) return dice.oneIn(2)
  if (kind === 3) return dice.pick([0, -1, 1.5, 1e308, 2 ** 53, -(2 ** 31)])
  return dice.pick(VALUES)
}

const record = (dice: Dice, depth: number): Record<string, unknown> =>
  Object.fromEntries(Array.from({ length: dice.roll(6) }, () => [dice.pick(NAMES), value(dice, depth)]))

/** Sends a request and reports a fault: a server error, or no response in time. */
export function sendHostile(
  origin: string,
  { text }: HostileRequest,
  credentials: Credentials,
): Promise<HostileAnswer> {
  const { hostname, port, host } = new URL(origin)
  const wire = text
    .replaceAll('{host}', host)
    .replaceAll('{session}', credentials.session)
    .replaceAll('{token}', credentials.token)
  return new Promise(resolve => {
    const socket = connect(Number(port), hostname, () => socket.write(Buffer.from(wire, 'latin1')))
    let received = ''
    const timer = setTimeout(() => end(received ? 'the answer did not end' : 'there was no answer'), ANSWER_LIMIT_IN_MS)
    const end = (fault?: string) => {
      clearTimeout(timer)
      socket.destroy()
      const status = Number(
        /^HTTP\/1\.[01] (\d{3})/.exec(received.replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/, ''))?.[1] ?? 0,
      )
      resolve({ status, fault: fault ?? faultOf(status, received) })
    }
    socket.setEncoding('latin1')
    socket.on('data', chunk => {
      received += chunk
      // An event stream stays open as long as the client listens.
      if (/^HTTP\/1\.1 200[^]*?content-type: text\/event-stream[^]*?\r\n\r\n/i.test(received)) end()
    })
    socket.on('close', () => end())
    // A server that stops reading resets the connection. What it sent before counts.
    socket.on('error', () => end())
  })
}

/** The error codes of endpoints that are not configured in this application. */
const NOT_SET_UP = /"code":"(a2a-not-configured|mail-unavailable)"/

function faultOf(status: number, received: string): string | undefined {
  if (/^x-injected:/im.test(received.split('\r\n\r\n', 1)[0] ?? '')) return 'a header was injected'
  if (status < 500 || status === 501 || NOT_SET_UP.test(received)) return undefined
  return `answered ${status}: ${received.slice(received.indexOf('\r\n\r\n') + 4).slice(0, 300)}`
}

export interface Attack {
  faults: { name: string; fault: string; text: string }[]
  /** The number of responses per status. */
  statuses: Record<string, number>
}

const AT_ONCE = 16
const LOOK_EVERY = 100

/** Sends all requests, 16 at once. When a request has signed the user out, later requests use a new session. */
export async function attack(origin: string, requests: readonly HostileRequest[], token: string): Promise<Attack> {
  const attacked: Attack = { faults: [], statuses: {} }
  let session = await newSession(origin)
  for (let from = 0; from < requests.length; from += LOOK_EVERY) {
    const waiting = requests.slice(from, from + LOOK_EVERY)
    const credentials = { session, token }
    const send = async () => {
      for (let request = waiting.shift(); request; request = waiting.shift()) {
        const { status, fault } = await sendHostile(origin, request, credentials)
        attacked.statuses[status] = (attacked.statuses[status] ?? 0) + 1
        if (fault) attacked.faults.push({ name: request.name, fault, text: request.text.slice(0, 600) })
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, send))
    if (!(await isSignedIn(origin, session))) session = await newSession(origin)
  }
  return attacked
}

async function newSession(origin: string): Promise<string> {
  const email = `${crypto.randomUUID()}@example.test`
  const answer = await fetch(`${origin}/_fw/auth/sign-up/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin, 'sec-fetch-site': 'same-origin' },
    body: JSON.stringify({ email, password: 'quiet harbour lantern 42', name: 'Mallory' }),
  })
  if (!answer.ok) throw new Error(`nobody can sign up any more: ${answer.status} ${await answer.text()}`)
  return answer.headers.getSetCookie()[0]?.split(';', 1)[0] ?? ''
}

async function isSignedIn(origin: string, cookie: string): Promise<boolean> {
  const answer = await fetch(`${origin}/_fw/session`, { headers: { cookie } })
  const said: unknown = await answer.json()
  return typeof said === 'object' && said !== null && 'session' in said && said.session !== null
}
