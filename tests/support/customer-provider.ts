import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { Provider } from 'oidc-provider'
import type { TestBrowser } from './http'
import { asPerson, walkPages } from './provider-oidc'
import { listen } from './web-server'

/** The claims of a person at a customer's provider, by what the vendor sends. */
export type CustomerClaims = Readonly<Record<string, unknown>>

/** A way in which a provider misbehaves: it changes the claims or the signature of the ID token. */
export interface Misbehaviour {
  claims?: CustomerClaims
  /** Signs with a key that the provider does not publish. */
  hasForeignKey?: boolean
}

export interface CustomerProvider {
  issuer: string
  origin: string
  /** The client that the customer's admin registers, with its redirect address. */
  register(client: { clientId: string; clientSecret?: string; redirectUri: string; jwksUri?: string }): void
  /** Sets the claims of a person by `sub`. */
  person(sub: string, claims: CustomerClaims): void
  /** Signs this person in on the provider's pages; returns the address that it redirects to. */
  signIn(authorizationUrl: string, sub: string): Promise<string>
  /** Signs an assertion about a person for a client of ours, good for five minutes (ID-JAG). */
  assert(about: { sub: string; clientId: string; audience: string; scope?: string }): Promise<string>
  /** Makes the next ID tokens wrong; undefined ends that. */
  misbehave(how?: Misbehaviour): void
  stop(): Promise<void>
}

/**
 * A real OpenID provider of a customer on a free port. `path` shapes its issuer as a vendor's (`/realms/x`, `/<tenant>/v2.0`).
 * A thin server before it rewrites ID tokens where a test wants a misbehaving provider, and drops `iss` from redirects.
 */
export async function startCustomerProvider({ path = '', sendsIss = true } = {}): Promise<CustomerProvider> {
  const server = createServer()
  const { origin, stop } = await listen(server)
  const issuer = `${origin}${path}`
  const keys = await generateKeyPair('RS256', { extractable: true })
  const foreign = await generateKeyPair('RS256', { extractable: true })
  const jwk = { ...(await exportJWK(keys.privateKey)), kid: 'key-1', alg: 'RS256', use: 'sig' }
  const people = new Map<string, CustomerClaims>()
  let wrong: Misbehaviour | undefined
  const clients = new Map<string, Record<string, unknown>>()

  const open = () => {
    const provider = new Provider(issuer, {
      clients: [...clients.values()] as never,
      jwks: { keys: [jwk as never] },
      claims: {
        openid: ['sub', 'tid', 'oid', 'hd', 'xms_edov', 'preferred_username'],
        email: ['email', 'email_verified'],
        profile: ['name'],
      },
      conformIdTokenClaims: false,
      findAccount: (_context, sub) => ({ accountId: sub, claims: () => ({ sub, ...people.get(sub) }) }),
      cookies: { keys: ['only-for-tests'] },
      pkce: { required: () => true },
      // Our keys are on this machine, which the provider's own transport refuses.
      fetch: (url, init) => fetch(url, { signal: init?.signal, headers: init?.headers }),
      features: { devInteractions: { enabled: true } },
    })
    const handle = provider.callback()
    server.removeAllListeners('request').on('request', (request, response) => {
      // As frameworks mount it: the provider finds its own path in the original address.
      Object.assign(request, { originalUrl: request.url, url: (request.url ?? '/').slice(path.length) || '/' })
      const isMetadata = !sendsIss && request.url?.startsWith('/.well-known') === true
      const isToken = wrong && request.url?.startsWith('/token')
      if (!isMetadata && !isToken) return void handle(request, response)
      const end = response.end.bind(response)
      const replace = async (body: string, isMetadata: boolean) => {
        const text = await (isMetadata ? withoutIss(body) : rewritten(body, wrong ?? {}))
        response.removeHeader('content-length')
        end(text)
      }
      response.end = ((body?: unknown) => {
        void replace(String(body ?? ''), isMetadata)
        return response
      }) as typeof response.end
      return void handle(request, response)
    })
  }

  async function withoutIss(body: string): Promise<string> {
    return JSON.stringify({ ...JSON.parse(body), authorization_response_iss_parameter_supported: undefined })
  }

  async function rewritten(body: string, { claims = {}, hasForeignKey }: Misbehaviour): Promise<string> {
    const answer = JSON.parse(body)
    if (!answer.id_token) return body
    const payload = JSON.parse(Buffer.from(answer.id_token.split('.')[1], 'base64url').toString())
    const idToken = await new SignJWT({ ...payload, ...claims })
      .setProtectedHeader({ alg: 'RS256', kid: 'key-1' })
      .sign(hasForeignKey ? foreign.privateKey : keys.privateKey)
    return JSON.stringify({ ...answer, id_token: idToken })
  }

  open()
  return {
    issuer,
    origin,
    register({ clientId, clientSecret, redirectUri, jwksUri }) {
      clients.set(clientId, {
        client_id: clientId,
        ...(clientSecret
          ? { client_secret: clientSecret }
          : {
              token_endpoint_auth_method: 'private_key_jwt',
              token_endpoint_auth_signing_alg: 'ES256',
              jwks_uri: jwksUri,
            }),
        redirect_uris: [redirectUri],
      })
      open()
    },
    person: (sub, claims) => void people.set(sub, claims),
    assert: ({ sub, clientId, audience, scope }) =>
      new SignJWT({ client_id: clientId, jti: randomUUID(), ...(scope === undefined ? {} : { scope }) })
        .setProtectedHeader({ alg: 'RS256', kid: 'key-1', typ: 'oauth-id-jag+jwt' })
        .setIssuer(issuer)
        .setSubject(sub)
        .setAudience(audience)
        .setIssuedAt()
        .setExpirationTime('5 min')
        .sign(keys.privateKey),
    misbehave: how => void (wrong = how),
    async signIn(start, sub) {
      const back = new URL(await walkPages(origin, start, asPerson(sub)))
      if (!sendsIss) back.searchParams.delete('iss')
      return back.href
    },
    stop,
  }
}

/** Follows the way to the provider and back; returns the answer of our callback. */
export async function goThrough(
  provider: CustomerProvider,
  browser: TestBrowser,
  start: string,
  sub: string,
): Promise<Response> {
  const back = new URL(await provider.signIn(start, sub))
  return browser.get(back.pathname + back.search)
}

/** Adds the provider to the organization of an owner, tests it as an admin of this proved domain, and activates it; returns its ID. */
export async function connectProvider(provider: CustomerProvider, owner: TestBrowser, domain: string): Promise<string> {
  const post = async (path: string, json?: object) => {
    const answer = await owner.post(`/_fw/org/connections${path}`, { json })
    if (!answer.ok) throw new Error(await answer.text())
    return answer.json()
  }
  const client = { clientId: 'fairway', clientSecret: 'a-secret-between-the-two' }
  const { id, redirectUri } = await post('', { name: 'Larch login', issuer: provider.issuer, ...client })
  provider.register({ ...client, redirectUri })
  provider.person('admin', { email: `admin@${domain}`, email_verified: true, name: 'Admin' })
  await goThrough(provider, owner, (await post(`/${id}/test`)).url, 'admin')
  await post(`/${id}/activate`)
  return id
}
