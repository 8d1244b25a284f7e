import { beforeAll, describe, expect, it } from 'vitest'
import { statusAndCode } from '../support/error-code'
import { createBrowser, plainRequest, signUp, type TestBrowser } from '../support/http'
import { query } from '../support/query'
import { useServer } from '../support/use-server'

const ada = { email: 'ada@example.test', password: 'quiet harbour lantern 42', name: 'Ada' }
const FORM = 'application/x-www-form-urlencoded'
const JSON_TYPE = 'application/json'
const EVIL = 'https://evil.example'

const server = useServer({ env: { FW_EMBED_ANCESTORS: 'https://host.example.test' } })
let browser: TestBrowser

beforeAll(async () => {
  browser = createBrowser(server.origin)
  await signUp(browser, ada)
})

const send = (path: string, init: Parameters<typeof plainRequest>[1] = {}) =>
  plainRequest(server.origin, { path, ...init })
const own = () => ({ origin: server.origin, 'sec-fetch-site': 'same-origin' })
const credentials = new URLSearchParams({ intent: 'sign-in', ...ada }).toString()

/** Spellings of one path that routers, proxies and browsers treat as equal. */
const spellings = (path: string): string[] => [
  path,
  `${path}/`,
  `${path}//`,
  `/${path}`,
  `//${path}/`,
  `/.${path}`,
  `/x/..${path}`,
  `/%2e${path}`,
  `/x/%2E%2e${path}/.`,
  path.replace(/[a-z]/, letter => `%${letter.charCodeAt(0).toString(16)}`),
  path.replace(/-/, '%2D'),
]
/** Spellings of other paths, which must not return the response of the first one. */
const neighbours = (path: string): string[] => [
  path.toUpperCase(),
  `${path};x`,
  `${path};/`,
  `${path}%2F`,
  `${path}%00`,
  `${path}%20`,
  `${path}.`,
]

interface Rule {
  what: string
  path: string
  ask: (path: string) => Promise<unknown>
  answer: unknown
}

const post = (path: string, headers: Record<string, string>, body = '{}') =>
  send(path, { method: 'POST', headers: { 'content-type': JSON_TYPE, ...headers }, body })
const headersOf = ({ headers }: Response, ...names: string[]) => names.map(name => headers.get(name))
const policyOf = (answer: Response) =>
  /frame-ancestors ([^;]*)/.exec(answer.headers.get('content-security-policy') ?? '')?.[1]

const rules: Rule[] = [
  {
    what: 'refuses a sign-in that another site sends',
    path: '/sign-in',
    async ask(path) {
      const headers = { 'content-type': FORM, origin: EVIL, 'sec-fetch-site': 'cross-site' }
      const answer = await send(path, { method: 'POST', headers, body: credentials })
      return [answer.status, answer.headers.getSetCookie()]
    },
    answer: [403, []],
  },
  {
    what: 'signs in from our own page',
    path: '/sign-in',
    async ask(path) {
      const answer = await send(path, {
        method: 'POST',
        headers: { 'content-type': FORM, ...own() },
        body: credentials,
      })
      return [answer.status, answer.headers.getSetCookie().length]
    },
    answer: [303, 1],
  },
  {
    what: 'refuses a session that another site wants to end',
    path: '/_fw/session',
    async ask(path) {
      const headers = { cookie: browser.cookieHeader(), origin: EVIL, 'sec-fetch-site': 'same-origin' }
      return statusAndCode(await send(path, { method: 'DELETE', headers }))
    },
    answer: [403, 'cross-origin'],
  },
  {
    what: 'sets the headers of every answer and lets nobody keep it',
    path: '/_fw/session',
    ask: async path =>
      headersOf(await send(path), 'cache-control', 'x-content-type-options', 'referrer-policy', 'content-type'),
    answer: ['no-store', 'nosniff', 'same-origin', 'application/json'],
  },
  {
    what: 'counts the bytes of an action',
    path: '/_fw/actions/create-note',
    ask: async path =>
      statusAndCode(
        await post(
          path,
          { ...own(), cookie: browser.cookieHeader() },
          JSON.stringify({ title: 'x'.repeat(1024 * 1024) }),
        ),
      ),
    answer: [413, 'payload-too-large'],
  },
  {
    what: 'counts the bytes of everything else',
    path: '/_fw/org',
    ask: async path =>
      statusAndCode(
        await post(path, { ...own(), cookie: browser.cookieHeader() }, JSON.stringify({ name: 'x'.repeat(70_000) })),
      ),
    answer: [413, 'payload-too-large'],
  },
  {
    what: 'lets every page register a host',
    path: '/mcp/oauth/register',
    async ask(path) {
      const preflight = await send(path, {
        method: 'OPTIONS',
        headers: { origin: EVIL, 'access-control-request-method': 'POST' },
      })
      const foreign = { origin: EVIL, 'sec-fetch-site': 'cross-site' }
      const made = await post(path, foreign, '{"redirect_uris":["https://host.example.com/cb"]}')
      return [preflight.status, made.status, ...headersOf(made, 'access-control-allow-origin')]
    },
    answer: [204, 201, '*'],
  },
  {
    what: 'lets no foreign page call the endpoint of hosts',
    path: '/mcp',
    ask: async path => statusAndCode(await post(path, { origin: EVIL, authorization: 'Bearer x' })),
    answer: [403, 'cross-origin'],
  },
  {
    what: 'answers data and not a page where data is served',
    path: '/_fw/nothing',
    async ask(path) {
      const answer = await send(path, { headers: { accept: 'text/html', 'sec-fetch-mode': 'cors' } })
      return [answer.status, ...headersOf(answer, 'content-type', 'cache-control')]
    },
    answer: [404, 'application/problem+json', 'no-store'],
  },
  {
    what: 'asks for a session before a collection',
    path: '/note-list',
    ask: async path => statusAndCode(await send(path, { headers: { accept: 'text/html' } })),
    answer: [401, 'unauthenticated'],
  },
  {
    what: 'shows an embed page to the sites that may',
    path: '/embed/notes',
    ask: async path => policyOf(await send(path)),
    answer: `'self' https://host.example.test`,
  },
  {
    what: 'shows every other page to our own site alone',
    path: '/notes',
    async ask(path) {
      const answer = await send(path)
      return [answer.status, policyOf(answer), ...headersOf(answer, 'set-cookie')]
    },
    answer: [200, `'self'`, null],
  },
  {
    what: 'gives a file',
    path: '/favicon.svg',
    ask: async path => headersOf(await send(path), 'content-type'),
    answer: ['image/svg+xml'],
  },
]

describe('path spellings', () => {
  it.each(rules)('$what: $path', async ({ path, ask, answer }) => {
    for (const spelled of spellings(path)) expect([spelled, await ask(spelled)]).toEqual([spelled, answer])
  })

  it.each(['/sign-in', '/_fw/auth/sign-in/email', '/_fw/session', '/_fw/actions/create-note', '/approvals/x'])(
    'with another case or parameter are other paths and let no request through: %s',
    async path => {
      const before = await query(server, 'select count(*) as count from sessions')
      for (const spelled of neighbours(path)) {
        const foreign = { cookie: browser.cookieHeader(), origin: EVIL, 'sec-fetch-site': 'cross-site' }
        const answer = await post(spelled, foreign, JSON.stringify(ada))
        expect([spelled, answer.status, answer.headers.getSetCookie()]).toEqual([spelled, 403, []])
        const ours = await post(spelled, own(), JSON.stringify(ada))
        expect([spelled, ours.status < 500, ours.status >= 400]).toEqual([spelled, true, true])
      }
      expect(await query(server, 'select count(*) as count from sessions')).toEqual(before)
    },
  )

  it.each(['http://evil.example/sign-in', 'sign-in', '*'])(
    'return 400 for a target that is not a path: %s',
    async target => {
      expect((await send(target)).status).toBe(400)
    },
  )
})
