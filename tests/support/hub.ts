import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { SignJWT, UnsecuredJWT } from 'jose'
import { createKeyRing } from '#fairway/server/kernel/crypto/seal'
import { createCodeVerifier, toCodeChallenge, randomToken } from '#fairway/server/kernel/crypto/random'
import { A2A_SECRET } from './secrets'
import { serve } from './web-server'

/** How one sign-in at this hub deviates from a correct one. */
export interface HubMisbehaviour {
  /** Claims that replace the default ones; undefined removes a claim. */
  claims?: Record<string, unknown>
  header?: Record<string, unknown>
  /** Signs with this secret instead of the shared one, or with a key derived from a secret; `none` omits the signature. */
  key?: { raw: string } | { derivedFrom: string; purpose: string } | 'none'
  algorithm?: 'HS256' | 'HS384' | 'HS512'
  /** Replaces the assertion. */
  assertion?: (made: string) => string
  /** Replaces the response of the token endpoint. */
  answer?: () => Promise<Response>
}

interface HubPerson {
  email: string
  sub?: string
}

interface Grant {
  person: HubPerson
  wrong: HubMisbehaviour
  request: URLSearchParams
}

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')
const toBytes = (text: string): Uint8Array => new TextEncoder().encode(text)

/** An identity hub on a free port that can misbehave in one sign-in. It checks applications as strictly as a real hub. */
export async function startHub() {
  const grants = new Map<string, Grant>()
  const assertions: string[] = []
  const tokenRequests: Record<string, string>[] = []
  let signedIn: HubPerson | undefined
  let outage: (() => Promise<Response>) | undefined
  const server = await serve(async request => {
    const url = new URL(request.url)
    if (url.pathname === '/_fw/identity/authorize') return authorize(url)
    if (url.pathname !== '/_fw/identity/token' || request.method !== 'POST') return new Response('', { status: 404 })
    return outage ? outage() : token(new URLSearchParams(await request.text()))
  })

  function authorize({ searchParams }: URL): Response {
    if (!signedIn) return new Response('<h1>Sign in at the hub</h1>', { headers: { 'content-type': 'text/html' } })
    const query = issue(searchParams, signedIn, {})
    return new Response(null, { status: 302, headers: { location: `${searchParams.get('redirect_uri')}?${query}` } })
  }

  function issue(request: URLSearchParams, person: HubPerson, wrong: HubMisbehaviour): URLSearchParams {
    const code = randomBytes(32).toString('base64url')
    grants.set(code, { person, wrong, request })
    return new URLSearchParams({ code, state: request.get('state') ?? '' })
  }

  async function token(form: URLSearchParams): Promise<Response> {
    tokenRequests.push(Object.fromEntries(form))
    const code = form.get('code') ?? ''
    const grant = grants.get(code)
    grants.delete(code)
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    const isGood =
      form.get('grant_type') === 'authorization_code' &&
      grant?.request.get('code_challenge') === challenge &&
      grant.request.get('redirect_uri') === form.get('redirect_uri') &&
      grant.request.get('client_id') === form.get('client_id')
    if (!grant || !isGood) return Response.json({ error: 'invalid_grant' }, { status: 400 })
    if (grant.wrong.answer) return grant.wrong.answer()
    const made = await assertionFor(grant)
    const assertion = grant.wrong.assertion?.(made) ?? made
    assertions.push(assertion)
    return Response.json({ assertion, token_type: 'identity-assertion', expires_in: 60 })
  }

  async function assertionFor({ person, wrong, request }: Grant): Promise<string> {
    const now = Math.floor(Date.now() / 1000)
    const claims = {
      iss: server.origin,
      sub: person.sub ?? `person-${person.email}`,
      aud: request.get('redirect_uri') ?? '',
      iat: now,
      exp: now + 60,
      jti: randomBytes(16).toString('hex'),
      email: person.email,
      email_verified: true,
      client_id: request.get('client_id'),
      ...wrong.claims,
    }
    const { key = { raw: A2A_SECRET }, algorithm = 'HS256' } = wrong
    if (key === 'none') return `${encode({ alg: 'none', typ: 'identity+jwt', ...wrong.header })}.${encode(claims)}.`
    const secret = 'raw' in key ? key.raw : createKeyRing([key.derivedFrom]).current(key.purpose).secret
    return new SignJWT(claims)
      .setProtectedHeader({ alg: algorithm, typ: 'identity+jwt', ...wrong.header })
      .sign(toBytes(secret))
  }

  return {
    origin: server.origin,
    stop: server.stop,
    /** The requests of applications to the token endpoint. */
    tokenRequests,
    /** The assertions issued to applications. */
    assertions,
    /** Approves a person's sign-in; returns the query of the redirect back to the application. */
    approve(authorizationUrl: string, person: HubPerson, wrong: HubMisbehaviour = {}): URLSearchParams {
      const url = new URL(authorizationUrl)
      if (url.origin + url.pathname !== `${server.origin}/_fw/identity/authorize`) {
        throw new Error(`not the authorization endpoint: ${url.origin}${url.pathname}`)
      }
      return issue(url.searchParams, person, wrong)
    },
    /** Signs this person in for every browser that comes to the hub from now on. */
    signIn(person: HubPerson) {
      signedIn = person
    },
    /** Answers every token request with this response from now on; undefined ends the outage. */
    breakDown(answer?: () => Promise<Response>) {
      outage = answer
    },
  }
}

export type TestHub = Awaited<ReturnType<typeof startHub>>

/** An application's entry in the hub's registry. */
export const registered = (appId: string, origin = `https://${appId}.example.test`, more: object = {}) => ({
  appId,
  clientId: appId,
  origin,
  callbackPath: '/_fw/identity/callback',
  capabilities: ['identity-sso'],
  ...more,
})

/** The parameters of an application's redirect to the hub, and the verifier that it keeps. */
export function newRequest(appId: string, redirectUri: string) {
  const verifier = createCodeVerifier()
  const parameters: Record<string, string> = {
    response_type: 'code',
    app: appId,
    client_id: appId,
    redirect_uri: redirectUri,
    state: randomToken(32),
    code_challenge: toCodeChallenge(verifier),
    code_challenge_method: 'S256',
  }
  return { verifier, parameters, query: `?${new URLSearchParams(parameters)}` }
}

/** The settings of a hub. */
export const hubEnv = (entries: unknown[] = [registered('mail')]) => ({
  A2A_SECRET,
  IDENTITY_SSO_APP_REGISTRY_JSON: JSON.stringify(entries),
})

/** The values that a desktop application generates before a ceremony. */
export function aCeremony() {
  const verifier = randomToken(48)
  return { verifier, input: { codeChallenge: toCodeChallenge(verifier), nonce: randomToken(32) } }
}

export interface PeerTokenChange {
  /** The signing key; `null` creates an unsigned token. */
  secret?: string | null
  typ?: string
  alg?: string
  /** Claims to change; undefined removes a claim. */
  claims?: Record<string, unknown>
  /** The token's age in seconds. */
  age?: number
  /** The token's lifetime in seconds. */
  life?: number
}

/** A token from another implementation, signed directly with the shared secret. */
export function peerToken(
  { audience, issuer, subject }: { audience: string; issuer: string; subject: string },
  { secret = A2A_SECRET, typ = 'a2a+jwt', alg = 'HS256', claims = {}, age = 0, life = 60 }: PeerTokenChange = {},
): Promise<string> {
  const iat = Math.floor(Date.now() / 1000) - age
  const all = { iss: issuer, aud: audience, sub: subject, iat, exp: iat + life, jti: randomUUID(), ...claims }
  const payload = JSON.parse(JSON.stringify(all))
  if (secret === null) return Promise.resolve(new UnsecuredJWT(payload).encode())
  return new SignJWT(payload).setProtectedHeader({ alg, typ }).sign(new TextEncoder().encode(secret))
}
