import { definePublicRoute, getSession, useFairway } from '#fw'
import { catalog as actions } from '#fw/actions'
import { catalog as collections } from '#fw/collections'
import { handlers } from '#fw/handlers'
import { operations } from '#fw/operations'
import { defineEventHandler } from 'h3'
import { describe, expect, it, onTestFinished } from 'vitest'
import { checkCollections } from '#fairway/server/domains/collections'
import { answerTokenRequest, makePersonalToken, setWorkspaceSso } from '#fairway/server/domains/oauth-server'
import type { FwConfigInput } from '#fairway/server/kernel/config/fw-config'
import { isRoute, openInOf, type OpenIn, type OpenState } from '#fairway/server/kernel/http/methods'
import { createBrowsers } from '#fairway/testing/callers'
import { createEdge } from '#fairway/testing/edge'
import { createPeople, sessionOf } from '#fairway/testing/people'
import { createTestApp } from '../support/app'
import { approve } from '../support/oauth-grant'
import { WORKSPACE_SECRET } from '../support/workspace'

interface Address {
  method: string
  path: string
  openIn: OpenIn
}

type Mounted = (typeof handlers)[number]

/** Every address of the server with its declaration: each operation, action and collection, and each route of a file. */
async function addressesOfServer(): Promise<Address[]> {
  const routes = handlers.filter(({ route }) => route !== undefined)
  return (await Promise.all(routes.map(addressesAt))).flat()
}

async function addressesAt(mounted: Mounted): Promise<Address[]> {
  const { route = '' } = mounted
  if (operations.some(({ path }) => path === route)) return ofOperations(route)
  const addressed = actions.filter(({ action }) => action.address?.path === route)
  if (addressed.length > 0) return addressed.flatMap(({ action }) => ofAddress(action))
  if (route === '/_fw/actions/:name') return actions.flatMap(ofAction)
  const [, name = '', , format] = route.split('/')
  const listed = collections.find(collection => collection.name === name)
  if (!listed) return ofFile(mounted, route)
  const openIn = openInOf({ reads: format === undefined, isPublic: listed.collection.public })
  return [{ method: 'GET', path: format ? `/${name}/export/csv` : route, openIn }]
}

const ofOperations = (route: string): Promise<Address[]> =>
  Promise.all(
    operations
      .filter(({ path }) => path === route)
      .map(async ({ method, path, load }) => {
        const { openIn, tokens } = await load()
        return { method, path, openIn: tokens ? [...openIn, 'api-token'] : openIn }
      }),
  )

const ofAddress = ({ address, readOnly, public: isPublic }: (typeof actions)[number]['action']): Address[] =>
  address ? [{ ...address, openIn: openInOf({ reads: readOnly, isPublic }) }] : []

function ofAction({ name, action }: (typeof actions)[number]): Address[] {
  if (!action.http) return []
  const openIn = openInOf({ reads: action.readOnly, isPublic: action.public })
  const methods = action.readOnly ? ['GET', 'POST'] : ['POST']
  return methods.map(method => ({ method, path: `/_fw/actions/${name}`, openIn }))
}

async function ofFile({ method, load }: Mounted, path: string): Promise<Address[]> {
  const { default: handler } = await load()
  if (!isRoute(handler)) throw new Error(`${path} is not declared`)
  const { openIn } = handler
  const alone = method?.toUpperCase() ?? (path.includes('**') || path === '/mcp' ? 'POST' : 'GET')
  return (handler.methods ?? [alone]).map(each => {
    const states = 'includes' in openIn ? openIn : openIn[each as keyof typeof openIn]
    return { method: each, path, openIn: states ?? [] }
  })
}

/** Without the settings that this test can't combine, these addresses do not exist. */
const ABSENT = [
  'GET /_fw/dev/mails',
  'GET /_fw/dev/outbox',
  'GET /_fw/files/:place',
  'GET /_fw/files/:place/:row/:file',
  'GET /_fw/identity/callback',
  'GET /_fw/identity/login',
  'POST /_fw/dev/mails',
  'POST /_fw/files/:place',
]

/** Without these parameters, the address would refuse the request before it asks who sends it. */
const QUERIES: Record<string, string> = {
  '/_fw/mail-topics': '?token=x',
  '/_fw/identity/authorize': `?${new URLSearchParams({
    response_type: 'code',
    app: 'mail',
    client_id: 'mail-client',
    redirect_uri: 'http://127.0.0.3:4000/_fw/identity/callback',
    state: 'a'.repeat(43),
    code_challenge: 'a'.repeat(43),
    code_challenge_method: 'S256',
  })}`,
}

const TERMS: FwConfigInput = { legal: { terms: { version: '2', url: 'https://a.example/terms' } } }
const OPERATOR = 'operator@example.test'
const HUB = {
  FW_APP_ID: 'hub',
  A2A_SECRET: WORKSPACE_SECRET,
  FW_METRICS_TOKEN: 'a-token-of-the-tests-that-reads-metrics',
  IDENTITY_SSO_APP_REGISTRY_JSON: JSON.stringify([
    {
      appId: 'mail',
      clientId: 'mail-client',
      origin: 'http://127.0.0.3:4000',
      callbackPath: '/_fw/identity/callback',
      capabilities: ['identity-sso'],
    },
  ]),
}

const all = await addressesOfServer()
const addresses = all.filter(({ method, path }) => !ABSENT.includes(`${method} ${path}`))

/** The whole server with every optional part that fits together, and a browser for each person. */
async function startServer(env: Record<string, string> = {}, declared: FwConfigInput = {}, own: typeof handlers = []) {
  const { app, close } = await createTestApp(
    { FW_OPERATORS: OPERATOR, FW_RATE_LIMITS: 'off', ...HUB, ...env },
    declared,
  )
  const edge = createEdge(app, [...own, ...handlers])
  onTestFinished(async () => {
    await edge.close()
    await close()
  })
  checkCollections(app, collections)
  await setWorkspaceSso(app, true, 'tests')
  const send = createBrowsers(app, edge)
  const withToken: (token: string) => Send = token => (path, options) =>
    send(null, path, { ...options, headers: { ...options.headers, authorization: `Bearer ${token}` } })
  return { app, person: createPeople(app), send, newSend: () => createBrowsers(app, edge), withToken }
}

type Options = Omit<RequestInit, 'headers'> & { headers: Record<string, string> }
type Send = (path: string, options: Options) => Promise<Response>
interface Answer {
  status: number
  code: string
  challenge: string | null
}

/** Sends the request of an address without input, and reads the code of the answer. */
async function call(send: Send, { method, path }: Address): Promise<Answer> {
  const filled = path
    .replaceAll(/\*\*:?\w*/g, 'sign-in/email')
    .replace(':name', 'Entrypoint')
    .replaceAll(/:\w+/g, 'x')
  const isRead = method === 'GET'
  const headers: Record<string, string> = { accept: 'application/json' }
  if (!isRead) headers['content-type'] = 'application/json'
  const left = new AbortController()
  const ask = (body?: BodyInit) => send(filled + (QUERIES[path] ?? ''), { method, headers, body, signal: left.signal })
  let answer = await ask(isRead ? undefined : '{}')
  // A form of a page.
  if (answer.status === 415) {
    delete headers['content-type']
    answer = await ask(new URLSearchParams())
  }
  const isJson = /json/.test(answer.headers.get('content-type') ?? '')
  const { code, error } = isJson ? await answer.json().catch(() => ({})) : {}
  left.abort()
  // OAuth answers with `error`; pages have no code.
  return { status: answer.status, code: code ?? error ?? '', challenge: answer.headers.get('www-authenticate') }
}

/** The addresses at which the answer differs from the declaration. */
async function differences(answerAt: (address: Address) => Promise<Answer>, fits: (a: Answer, b: Address) => boolean) {
  const found: string[] = []
  for (const address of addresses) {
    const answer = await answerAt(address)
    const { method, path, openIn } = address
    if (!fits(answer, address))
      found.push(`${method} ${path} (${openIn.join(', ')}): ${answer.status} ${answer.code} ${answer.challenge}`)
  }
  return found
}

/** Makes the caller of each address, and a new one after an address that is open and so may have changed it. */
function keptWhileClosed<Caller>(make: () => Promise<Caller>, ...states: OpenState[]) {
  let kept: Promise<Caller> | undefined
  return (address: Address): Promise<Caller> => {
    const caller = (kept ??= make())
    if (isOpen(address, 'signed-out', ...states)) kept = undefined
    return caller
  }
}

const isOpen = ({ openIn }: Address, ...states: OpenState[]) => states.some(state => openIn.includes(state))
/** A page that asks people to sign in has no code. */
const isUnauthenticated = ({ status, code }: Answer) => status === 401 && code !== ''

/** Addresses that only read a token or a password of their own ignore the session. */
const fitsSetup = (code: string) => (answer: Answer, address: Address) =>
  isOpen(address, 'setup')
    ? answer.code !== code && answer.code !== 'unauthenticated'
    : answer.code === code || isUnauthenticated(answer) || isOAuthRefusal(answer)
/** OAuth has one code for all refusals of a page. */
const isOAuthRefusal = ({ status, code }: Answer) => status === 403 && code === 'invalid_request'

describe('the addresses of the server', () => {
  it('are open to people who are signed out only where declared', async () => {
    const { send } = await startServer()
    expect(addresses.length).toBeGreaterThan(150)
    expect(
      await differences(
        address => call((...asked) => send(null, ...asked), address),
        (answer, address) => answer.code !== 'not-found' && isUnauthenticated(answer) !== isOpen(address, 'signed-out'),
      ),
    ).toEqual([])
  })

  it('are open before a required second factor only where declared', async () => {
    const { send, person } = await startServer({ FW_REQUIRE_SECOND_FACTOR: 'at-once' })
    const personFor = keptWhileClosed(person, 'setup')
    expect(
      await differences(async address => {
        const ada = await personFor(address)
        return call((...asked) => send(ada, ...asked), address)
      }, fitsSetup('second-factor-setup-required')),
    ).toEqual([])
  })

  it('are open while terms are due only where declared', async () => {
    const { send, person } = await startServer({}, TERMS)
    const personFor = keptWhileClosed(person, 'setup')
    expect(
      await differences(async address => {
        const ada = await personFor(address)
        return call((...asked) => send(ada, ...asked), address)
      }, fitsSetup('terms-due')),
    ).toEqual([])
  })

  it('are open while an operator views as a person only where declared', async () => {
    const { newSend, person } = await startServer()
    const operator = await person({ email: OPERATOR })
    const { userId } = await person()
    const browserFor = keptWhileClosed(
      async () => {
        const json = { reason: 'Ticket 4711' }
        const send = newSend()
        await send(operator, `/_fw/operator/people/${userId}/view`, { method: 'POST', json })
        return send
      },
      'view',
      'view-as-operator',
    )
    expect(
      await differences(
        async address => {
          const send = await browserFor(address)
          return call((...asked) => send(operator, ...asked), address)
        },
        (answer, address) =>
          isOpen(address, 'view', 'view-as-operator')
            ? answer.code !== 'view-only' && answer.code !== 'unauthenticated'
            : answer.code === 'view-only' || isUnauthenticated(answer) || isOpen(address, 'signed-out'),
      ),
    ).toEqual([])
  })

  it('are open to API tokens only where declared, and refuse others with a challenge', async () => {
    const { app, person, withToken } = await startServer()
    const scopes = ['mcp:read', 'mcp:write', 'operator'] as const
    const input = { name: 'Script', scopes: [...scopes], expiresInDays: 30 as const }
    const { token } = await makePersonalToken(app, await sessionOf(app, await person({ email: OPERATOR })), input)
    expect(await differences(address => call(withToken(token), address), fitsToken('api-token'))).toEqual([])
  })

  it('are open to tokens of MCP hosts only where declared, and refuse others with a challenge', async () => {
    const { app, person, withToken } = await startServer()
    const form = await approve(app, await sessionOf(app, await person()))
    const { access_token: token } = await answerTokenRequest(app, { form, authorization: undefined, network: 'a' })
    expect(await differences(address => call(withToken(token), address), fitsToken('mcp-token'))).toEqual([])
  })
})

describe('the routes of an author', () => {
  const answer = defineEventHandler(async event => (await useFairway(event)).session.email)
  const open = defineEventHandler(async event => (await useFairway(event, { openIn: ['view', 'setup'] })).session.email)
  const anyone = definePublicRoute(async event => (await getSession(event))?.email ?? 'nobody')
  const made = { '/api/closed': answer, '/api/open': open, '/api/anyone': anyone }
  const routes = Object.entries(made).map(([route, handler]) => ({ route, load: async () => ({ default: handler }) }))
  const statuses = async (send: Send) =>
    Promise.all(Object.keys(made).map(async path => (await send(path, { headers: {} })).status))

  it('are closed in a view, before a second factor and while terms are due, unless they say otherwise', async () => {
    const { newSend, person } = await startServer({}, {}, routes)
    const operator = await person({ email: OPERATOR })
    const { userId } = await person()
    const send = newSend()
    expect(await statuses((...asked) => send(operator, ...asked))).toEqual([200, 200, 200])
    const json = { reason: 'Ticket 4711' }
    await send(operator, `/_fw/operator/people/${userId}/view`, { method: 'POST', json })
    expect(await statuses((...asked) => send(operator, ...asked))).toEqual([403, 200, 403])

    const setup = { FW_REQUIRE_SECOND_FACTOR: 'at-once' }
    for (const strict of [await startServer(setup, {}, routes), await startServer({}, TERMS, routes)]) {
      const ada = await strict.person()
      expect(await statuses((...asked) => strict.send(ada, ...asked))).toEqual([403, 200, 200])
    }
  })

  it('keep middleware that reads the session working in a view, for requests that read', async () => {
    const middleware = defineEventHandler(async event => void (await getSession(event)))
    const { newSend, person } = await startServer({}, {}, [{ load: async () => ({ default: middleware }) }, ...routes])
    const operator = await person({ email: OPERATOR })
    const { userId, email } = await person()
    const send = newSend()
    const json = { reason: 'Ticket 4711' }
    await send(operator, `/_fw/operator/people/${userId}/view`, { method: 'POST', json })
    expect(await (await send(operator, '/api/open')).text()).toBe(email)
    expect((await send(operator, '/api/open', { method: 'POST' })).status).toBe(403)
  })
})

const fitsToken = (state: OpenState) => (answer: Answer, address: Address) => {
  if (isOpen(address, state)) return answer.status !== 401
  if (isOpen(address, 'signed-out')) return !isUnauthenticated(answer) || answer.code === 'invalid_client'
  return answer.status === 401 && answer.challenge?.includes('error="invalid_token"') === true
}
