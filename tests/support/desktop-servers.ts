import { createHash, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { HubApp } from '../../desktop/eligibility'

interface Asked {
  method: string
  url: URL
  headers: IncomingMessage['headers']
  body: string
  cookies: Map<string, string>
}

interface Answer {
  status?: number
  json?: unknown
  html?: string
  location?: string
  cookies?: string[]
}

type Answering = (asked: Asked) => Answer | Promise<Answer>
type Rule = (asked: Asked, next: () => Promise<Answer>) => Answer | Promise<Answer>

/** A small server that records what it is asked and can be told to answer otherwise. */
export interface DesktopServer {
  origin: string
  /** `GET /path` of everything asked so far. */
  asked: string[]
  /** Sessions that have not been ended: cookie value and address. */
  sessions: Map<string, string>
  /** From now on this rule answers `GET /path`; undefined takes it away. */
  rule(what: string, rule: Rule | undefined): void
  count(what: string): number
  stop(): Promise<void>
}

/** Everything of a run that must appear in no message. */
export type Secrets = Map<string, string>

export const SESSION_COOKIE = 'fw.session_token'
const random = (bytes = 32) => randomBytes(bytes).toString('base64url')
const challengeOf = (verifier: string) => createHash('sha256').update(verifier).digest('base64url')
const setCookie = (name: string, value: string, path = '/') =>
  `${name}=${value}; Path=${path}; HttpOnly; SameSite=Lax; Max-Age=${value ? 600 : 0}`

export const wait = (milliseconds: number) => new Promise<void>(resolve => setTimeout(resolve, milliseconds))

async function startOn(host: string, secrets: Secrets, answer: Answering): Promise<DesktopServer> {
  const rules = new Map<string, Rule>()
  const asked: string[] = []
  const server = createServer(async (request, response) => {
    const question = await toAsked(request)
    const what = `${question.method} ${question.url.pathname}`
    asked.push(what)
    for (const [name, value] of question.cookies) secrets.set(value, `cookie ${name}`)
    const rule = rules.get(what)
    const next = () => Promise.resolve(answer(question))
    const given = await Promise.resolve(rule ? rule(question, next) : next()).catch(() => ({ status: 500 }) as Answer)
    for (const cookie of given.cookies ?? []) secrets.set(/=([^;]*)/.exec(cookie)?.[1] ?? '', 'cookie that was set')
    send(response, given)
  })
  await new Promise<void>(resolve => server.listen(0, host, resolve))
  return {
    origin: `http://${host}:${(server.address() as AddressInfo).port}`,
    asked,
    sessions: new Map(),
    rule: (what, rule) => (rule ? rules.set(what, rule) : rules.delete(what)),
    count: what => asked.filter(one => one === what).length,
    stop: () => stop(server),
  }
}

function send(response: ServerResponse, { status, json, html, location, cookies = [] }: Answer): void {
  response.writeHead(status ?? (location ? 302 : 200), {
    'content-type': html === undefined ? 'application/json' : 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    ...(location ? { location } : {}),
    ...(cookies.length > 0 ? { 'set-cookie': cookies } : {}),
  })
  response.end(html ?? (json === undefined ? '' : JSON.stringify(json)))
}

function stop(server: Server): Promise<void> {
  server.closeAllConnections()
  return new Promise(resolve => server.close(() => resolve()))
}

async function toAsked(request: IncomingMessage): Promise<Asked> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(Buffer.from(chunk))
  const { method = 'GET', headers } = request
  const pairs = (headers.cookie ?? '').split('; ').filter(Boolean)
  return {
    method,
    url: new URL(`http://${headers.host}${request.url}`),
    headers,
    body: Buffer.concat(chunks).toString(),
    cookies: new Map(pairs.map(pair => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)])),
  }
}

/** The part that hub and applications have in common: sessions by cookie. */
function sessionAnswer(server: DesktopServer, { method, headers, cookies }: Asked): Answer {
  const token = cookies.get(SESSION_COOKIE) ?? ''
  const email = server.sessions.get(token)
  if (method !== 'DELETE') return { json: { session: email ? { email } : null } }
  if (headers.origin !== server.origin) return { status: 403 }
  server.sessions.delete(token)
  return { status: 204, cookies: [setCookie(SESSION_COOKIE, '')] }
}

/** Starts a session: the `Set-Cookie` value. */
export function startSession(server: DesktopServer, email: string): string {
  const token = `${random()}.${random()}`
  server.sessions.set(token, email)
  return setCookie(SESSION_COOKIE, token)
}

export interface HubServer extends DesktopServer {
  /** The switch of the hub. */
  isOn: boolean
  /** What the hub knows. */
  apps: HubApp[]
}

interface Ceremony {
  challenge: string
  nonce: string
  binding: string
  email?: string
}

/** A hub on 127.0.0.1: availability, ceremonies with a page that a person confirms, codes, assertions. */
export async function startHub(secrets: Secrets): Promise<HubServer> {
  const ceremonies = new Map<string, Ceremony>()
  const codes = new Map<string, { email: string; challenge: string; callback: string }>()
  const beginCeremony = ({ body, headers }: Asked): Answer => {
    if (headers.origin !== hub.origin) return { status: 403 }
    const { codeChallenge, nonce } = JSON.parse(body) as { codeChallenge: string; nonce: string }
    const [id, binding] = [random(8), random()]
    ceremonies.set(id, { challenge: codeChallenge, nonce, binding })
    secrets.set(nonce, 'nonce')
    return {
      status: 201,
      json: {
        id,
        url: `${hub.origin}/_fw/desktop/ceremonies/${id}?nonce=${nonce}`,
        completionUrl: `${hub.origin}/_fw/desktop/complete?nonce=${nonce}`,
        expiresAt: new Date(Date.now() + 300_000).toISOString(),
      },
      cookies: [setCookie('fw.desktop_binding', binding, '/_fw/desktop')],
    }
  }
  const exchange = ({ headers, cookies }: Asked, ceremony: Ceremony): Answer => {
    const verifier = String(headers['x-fairway-verifier'])
    secrets.set(verifier, 'verifier of the desktop application')
    if (cookies.get('fw.desktop_binding') !== ceremony.binding || challengeOf(verifier) !== ceremony.challenge)
      return { status: 403 }
    return ceremony.email ? { json: { email: ceremony.email, apps: hub.apps } } : { status: 409 }
  }
  const ceremonyAnswer = (asked: Asked, id: string, isExchange: boolean): Answer => {
    const ceremony = ceremonies.get(id)
    if (!ceremony) return { status: 410 }
    if (isExchange) return exchange(asked, ceremony)
    if (asked.method !== 'POST') return { html: ceremonyPage }
    ceremony.email = new URLSearchParams(asked.body).get('email') ?? ''
    return {
      location: `${hub.origin}/_fw/desktop/complete?nonce=${ceremony.nonce}`,
      cookies: [startSession(hub, ceremony.email)],
    }
  }
  const authorize = ({ url, cookies }: Asked): Answer => {
    const email = hub.sessions.get(cookies.get(SESSION_COOKIE) ?? '')
    if (!email) return { location: `${hub.origin}/sign-in` }
    const [state, challenge, callback] = ['state', 'code_challenge', 'redirect_uri'].map(
      name => url.searchParams.get(name) ?? '',
    ) as [string, string, string]
    const code = random()
    codes.set(code, { email, challenge, callback })
    secrets.set(code, 'code')
    secrets.set(state, 'state')
    return { location: `${callback}?${new URLSearchParams({ code, state })}` }
  }
  const token = ({ body }: Asked): Answer => {
    const { code, code_verifier: verifier } = JSON.parse(body) as Record<string, string>
    const known = codes.get(code ?? '')
    codes.delete(code ?? '')
    secrets.set(verifier ?? '', 'verifier of an application')
    if (!known || challengeOf(verifier ?? '') !== known.challenge) return { status: 400 }
    const assertion = `eyJ${random()}.${Buffer.from(JSON.stringify({ email: known.email })).toString('base64url')}.${random()}`
    secrets.set(assertion, 'assertion')
    return { json: { assertion } }
  }
  const desktopAnswer = (asked: Asked): Answer => {
    const [, , , part, id = '', last] = asked.url.pathname.split('/')
    if (part === 'availability') return { json: { available: hub.isOn, client: null } }
    if (!hub.isOn) return { status: 404 }
    if (part === 'ceremonies' && id) return ceremonyAnswer(asked, id, last === 'exchange')
    if (part === 'ceremonies') return beginCeremony(asked)
    const email = hub.sessions.get(asked.cookies.get(SESSION_COOKIE) ?? '')
    if (!email) return { status: 401, html: '<h1>Sign in first</h1>' }
    return part === 'apps' ? { json: { email, apps: hub.apps } } : { html: '<h1>You can close this window</h1>' }
  }
  const server = await startOn('127.0.0.1', secrets, asked => {
    const { pathname } = asked.url
    if (pathname === '/_fw/session') return sessionAnswer(hub, asked)
    if (pathname === '/_fw/identity/authorize') return authorize(asked)
    if (pathname === '/_fw/identity/token') return token(asked)
    return pathname.startsWith('/_fw/desktop/') ? desktopAnswer(asked) : { status: 404 }
  })
  const hub: HubServer = Object.assign(server, { isOn: true, apps: [] })
  return hub
}

const ceremonyPage = `<!DOCTYPE html><html lang="en"><title>Sign in</title><h1>Sign in on this computer?</h1>
<form method="post"><label>E-mail <input name="email"></label><button>Continue</button></form>`

/** An application on another host of this machine that signs people in through the hub. */
export async function startApp(
  { host, id, hub }: { host: string; id: string; hub: HubServer },
  secrets: Secrets,
): Promise<DesktopServer> {
  const states = new Map<string, string>()
  const login = ({ cookies }: Asked): Answer => {
    if (app.sessions.has(cookies.get(SESSION_COOKIE) ?? '')) return { location: '/' }
    const [state, verifier] = [random(), random(48)]
    states.set(state, verifier)
    secrets.set(state, 'state')
    secrets.set(verifier, 'verifier of an application')
    const query = new URLSearchParams({
      response_type: 'code',
      app: id,
      client_id: id,
      redirect_uri: callbackOf(app),
      state,
      code_challenge: challengeOf(verifier),
      code_challenge_method: 'S256',
    })
    return {
      location: `${hub.origin}/_fw/identity/authorize?${query}`,
      cookies: [setCookie(`fw.identity.${state.slice(0, 16)}`, '1')],
    }
  }
  const callback = async ({ url, cookies }: Asked): Promise<Answer> => {
    const state = url.searchParams.get('state') ?? ''
    const verifier = states.get(state)
    states.delete(state)
    if (!verifier || !cookies.has(`fw.identity.${state.slice(0, 16)}`)) return { status: 400 }
    const answer = await fetch(`${hub.origin}/_fw/identity/token`, {
      method: 'POST',
      body: JSON.stringify({ code: url.searchParams.get('code'), code_verifier: verifier }),
    })
    if (!answer.ok) return { status: 400 }
    const { assertion } = (await answer.json()) as { assertion: string }
    const { email } = JSON.parse(Buffer.from(assertion.split('.')[1] ?? '', 'base64url').toString()) as {
      email: string
    }
    return { location: '/', cookies: [startSession(app, email)] }
  }
  const client = () => ({ hubUrl: hub.origin, appId: id, clientId: id, callbackUrl: callbackOf(app) })
  const app = await startOn(host, secrets, asked => {
    const { pathname } = asked.url
    if (pathname === '/_fw/session') return sessionAnswer(app, asked)
    if (pathname === '/_fw/desktop/availability') return { json: { available: false, client: client() } }
    if (pathname === '/_fw/identity/login') return login(asked)
    if (pathname === '/_fw/identity/callback') return callback(asked)
    return pathname === '/'
      ? { html: `<!DOCTYPE html><html lang="en"><title>${id}</title><h1>${id}</h1>` }
      : { status: 404, html: '<h1>Not found</h1>' }
  })
  return app
}

export const callbackOf = ({ origin }: DesktopServer): string => `${origin}/_fw/identity/callback`
