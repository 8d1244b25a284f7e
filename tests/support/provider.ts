import { createHash, createHmac, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { serve } from './web-server'

/** How one sign-in at this issuer deviates from a correct one. */
export interface Misbehaviour {
  /** Claims that replace the default ones; undefined removes a claim. */
  claims?: Record<string, unknown>
  header?: Record<string, unknown>
  /** How the ID token is signed. `other-key` signs with an unknown key under the known key id. */
  signature?: 'good' | 'other-key' | 'none' | 'hs256-with-public-key'
  /** The response of the userinfo endpoint; empty by default. */
  userInfo?: Record<string, unknown>
  /** Replaces the response of the token endpoint. */
  answer?: () => Promise<Response>
}

interface Person {
  sub: string
  email?: string
  email_verified?: unknown
  name?: string
}

interface IssuerInput {
  clientId: string
  clientSecret: string
  /** Members that replace those of the default metadata. */
  metadata?: Record<string, unknown>
}

interface Grant {
  person: Person
  wrong: Misbehaviour
  request: URLSearchParams
}

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

// RFC 6749 §2.3.1: both parts are form-encoded, and the client chooses how many characters it encodes.
const readBasic = (header: string | null): string[] | undefined =>
  header
    ? Buffer.from(header.replace(/^Basic /, ''), 'base64')
        .toString()
        .split(':')
        .map(decodeURIComponent)
    : undefined

/** Whether a token request matches this authorization request: the code verifier and the redirect address. */
function isAnswerTo(request: URLSearchParams, form: URLSearchParams): boolean {
  const challenge = createHash('sha256')
    .update(form.get('code_verifier') ?? '')
    .digest('base64url')
  return request.get('code_challenge') === challenge && request.get('redirect_uri') === form.get('redirect_uri')
}

// Making RSA keys takes longer than a test, so all issuers share them.
const keys = generateKeyPairSync('rsa', { modulusLength: 2048 })
const others = generateKeyPairSync('rsa', { modulusLength: 2048 })

/** An OpenID issuer as a fetch-style function that can misbehave in one sign-in. It checks its client as a real one does. */
export function createIssuer(issuer: string, { clientId, clientSecret, metadata = {} }: IssuerInput) {
  const grants = new Map<string, Grant>()
  const authentications: ('basic' | 'post')[] = []
  const description = {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/keys`,
    userinfo_endpoint: `${issuer}/userinfo`,
    id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'],
    ...metadata,
  }
  const tokens = new Map<string, Grant>()

  function userInfo(request: Request): Response {
    const grant = tokens.get((request.headers.get('authorization') ?? '').replace(/^Bearer /, ''))
    if (!grant) return Response.json({ error: 'invalid_token' }, { status: 401 })
    return Response.json({ sub: grant.person.sub, ...grant.wrong.userInfo })
  }

  async function token(request: Request): Promise<Response> {
    const form = new URLSearchParams(await request.text())
    const code = form.get('code') ?? ''
    const grant = grants.get(code)
    grants.delete(code)
    const basic = readBasic(request.headers.get('authorization'))
    authentications.push(basic ? 'basic' : 'post')
    const isClient =
      (basic ?? [form.get('client_id'), form.get('client_secret')]).join(':') === `${clientId}:${clientSecret}`
    if (!isClient) return Response.json({ error: 'invalid_client' }, { status: 401 })
    if (!grant || !isAnswerTo(grant.request, form)) return Response.json({ error: 'invalid_grant' }, { status: 400 })
    if (grant.wrong.answer) return grant.wrong.answer()
    tokens.set(code, grant)
    return Response.json({ access_token: code, token_type: 'Bearer', id_token: idToken(grant) })
  }

  function idToken({ person, wrong, request }: Grant): string {
    const now = Math.floor(Date.now() / 1000)
    const claims = {
      iss: issuer,
      aud: clientId,
      iat: now,
      exp: now + 300,
      nonce: request.get('nonce'),
      email_verified: true,
      ...person,
      ...wrong.claims,
    }
    const { signature = 'good' } = wrong
    const alg = { good: 'RS256', 'other-key': 'RS256', none: 'none', 'hs256-with-public-key': 'HS256' }[signature]
    const content = `${encode({ alg, kid: 'key-1', typ: 'JWT', ...wrong.header })}.${encode(claims)}`
    return `${content}.${signatureOf(content, signature)}`
  }

  function signatureOf(content: string, kind: NonNullable<Misbehaviour['signature']>): string {
    if (kind === 'none') return ''
    if (kind === 'hs256-with-public-key') {
      const pem = keys.publicKey.export({ type: 'spki', format: 'pem' })
      return createHmac('sha256', pem).update(content).digest('base64url')
    }
    const key: KeyObject = kind === 'good' ? keys.privateKey : others.privateKey
    return sign('sha256', Buffer.from(content), key).toString('base64url')
  }

  return {
    issuer,
    /** The client authentication methods used at the token endpoint. */
    authentications,
    async handle(request: Request): Promise<Response> {
      const url = request.url.split('?', 1)[0] ?? ''
      if (url.endsWith('/.well-known/openid-configuration')) return Response.json(description)
      if (url === description.jwks_uri) {
        return Response.json({ keys: [{ ...keys.publicKey.export({ format: 'jwk' }), kid: 'key-1', alg: 'RS256' }] })
      }
      if (url === description.userinfo_endpoint) return userInfo(request)
      return url === description.token_endpoint ? token(request) : new Response('', { status: 404 })
    },
    /** Approves a person's sign-in; returns the query of the redirect back to the application. */
    approve(authorizationUrl: string, person: Person, wrong: Misbehaviour = {}): URLSearchParams {
      const request = new URL(authorizationUrl).searchParams
      const code = randomBytes(16).toString('hex')
      grants.set(code, { person, wrong, request })
      return new URLSearchParams({ code, state: request.get('state') ?? '' })
    },
  }
}

/** The same issuer on a free port. */
export async function startIssuer(input: IssuerInput) {
  let handle: (request: Request) => Promise<Response> = async () => new Response('', { status: 503 })
  const server = await serve(request => handle(request))
  const issuer = createIssuer(server.origin, input)
  handle = issuer.handle
  return { ...issuer, stop: server.stop }
}

interface GithubPerson {
  id: number
  login: string
  name?: string | null
  /** The public email address of the profile, which is not verified. */
  publicEmail?: string
  emails: { email: string; primary: boolean; verified: boolean }[]
}

interface GithubInput {
  clientId: string
  clientSecret: string
}

/** A server with the part of GitHub's documented API that sign-in needs, as on GitHub Enterprise Server. */
export async function startGithub({ clientId, clientSecret }: GithubInput) {
  const codes = new Map<string, { person: GithubPerson; request: URLSearchParams }>()
  const tokens = new Map<string, GithubPerson>()

  async function accessToken(request: Request): Promise<Response> {
    const form = new URLSearchParams(await request.text())
    const grant = codes.get(form.get('code') ?? '')
    codes.delete(form.get('code') ?? '')
    if (form.get('client_id') !== clientId || form.get('client_secret') !== clientSecret) {
      return Response.json({ error: 'incorrect_client_credentials' })
    }
    // GitHub responds to a wrong code with 200.
    if (!grant || !isAnswerTo(grant.request, form)) return Response.json({ error: 'bad_verification_code' })
    const token = `gho_${randomBytes(18).toString('hex')}`
    tokens.set(token, grant.person)
    const answer = { access_token: token, scope: 'read:user,user:email', token_type: 'bearer' }
    const wantsJson = request.headers.get('accept')?.includes('json')
    return wantsJson ? Response.json(answer) : new Response(new URLSearchParams(answer).toString())
  }

  function api(request: Request, path: string): Response {
    if (!request.headers.get('user-agent')) return Response.json({ message: 'User agent required' }, { status: 403 })
    const person = tokens.get((request.headers.get('authorization') ?? '').replace(/^Bearer /, ''))
    if (!person) return Response.json({ message: 'Bad credentials' }, { status: 401 })
    const { id, login, name = null, publicEmail = null, emails } = person
    if (path === '/api/v3/user') {
      return Response.json({ id, login, name, email: publicEmail, avatar_url: `https://github.test/${id}.png` })
    }
    if (path !== '/api/v3/user/emails') return Response.json({ message: 'Not Found' }, { status: 404 })
    return Response.json(emails.map(email => ({ ...email, visibility: 'private' })))
  }

  const server = await serve(async request => {
    const { pathname } = new URL(request.url)
    return pathname === '/login/oauth/access_token' ? accessToken(request) : api(request, pathname)
  })
  return {
    url: server.origin,
    stop: server.stop,
    /** Approves a person's sign-in; returns the query of the redirect back to the application. */
    approve(authorizationUrl: string, person: GithubPerson): URLSearchParams {
      const url = new URL(authorizationUrl)
      if (url.pathname !== '/login/oauth/authorize') throw new Error(`not the authorization page: ${url.pathname}`)
      const code = randomBytes(10).toString('hex')
      codes.set(code, { person, request: url.searchParams })
      return new URLSearchParams({ code, state: url.searchParams.get('state') ?? '' })
    },
  }
}
