import { createServer } from 'node:http'
import { Provider } from 'oidc-provider'
import { CookieJar, type TestBrowser } from './http'
import { borrowServer, type TestServer } from './server'
import { listen } from './web-server'

export interface OidcProvider {
  issuer: string
  /** Sets the redirect addresses that the provider accepts; replaces earlier ones. */
  allow(...redirectUris: string[]): void
  /** The number of token requests of a grant type that succeeded. */
  granted(grantType: string): number
  /** Completes the provider's pages as this person; returns the address that the provider redirects to. */
  signIn(authorizationUrl: string, email: string): Promise<string>
  /** Cancels on the provider's page. */
  cancel(authorizationUrl: string): Promise<string>
  stop(): Promise<void>
}

interface OidcInput {
  clientId: string
  clientSecret: string
  /** Addresses that the provider reports as unverified. */
  unverified?: string[]
  /** Lifetimes in seconds that replace the provider's defaults. */
  ttl?: { AccessToken?: number; AuthorizationCode?: number }
}

/** What a person does on a page of a provider: the fields of its form, or cancelling. */
type OnPage = (page: string) => Record<string, string> | 'abort'

/** Signs in with a password, whichever it is, and consents. */
export const asPerson =
  (login: string): OnPage =>
  (page): Record<string, string> =>
    page.includes('name="login"') ? { prompt: 'login', login, password: 'any' } : { prompt: 'consent' }

/** Walks through the pages of a provider until it redirects to another place, and returns that address. */
export async function walkPages(place: string, start: string, onPage: OnPage): Promise<string> {
  const jar = new CookieJar()
  let url = start
  let body: URLSearchParams | undefined
  for (let step = 0; step < 20; step++) {
    const response = await fetch(url, {
      method: body ? 'POST' : 'GET',
      body,
      redirect: 'manual',
      headers: { cookie: jar.header },
    })
    jar.keep(response.headers.getSetCookie())
    body = undefined
    const location = response.headers.get('location')
    if (location) {
      url = new URL(location, url).href
      if (!url.startsWith(place)) return url
      continue
    }
    const page = await response.text()
    const next = onPage(page)
    if (next === 'abort') url = new URL(/href="([^"]*\/abort)"/.exec(page)?.[1] ?? '', url).href
    else {
      url = new URL(/action="([^"]+)"/.exec(page)?.[1] ?? '', url).href
      body = new URLSearchParams(next)
    }
  }
  throw new Error('the provider did not send the browser back')
}

/** A real OpenID provider on a free port, whose account ids are email addresses. Call `allow` before you use it. */
export async function startOidcProvider({
  clientId,
  clientSecret,
  unverified = [],
  ttl = {},
}: OidcInput): Promise<OidcProvider> {
  const server = createServer()
  const { origin: issuer, stop } = await listen(server)
  const granted = new Map<string, number>()

  function allow(...redirectUris: string[]): void {
    const provider = new Provider(issuer, {
      clients: [
        {
          client_id: clientId,
          client_secret: clientSecret,
          redirect_uris: redirectUris,
          grant_types: ['authorization_code', 'refresh_token', 'client_credentials'],
        },
      ],
      features: { revocation: { enabled: true }, clientCredentials: { enabled: true } },
      ttl: { AccessToken: 3600, AuthorizationCode: 60, ...ttl },
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
      conformIdTokenClaims: false,
      findAccount: (_context, id) => ({
        accountId: id,
        claims: () => ({ sub: id, email: id, email_verified: !unverified.includes(id), name: id.split('@')[0] ?? id }),
      }),
      cookies: { keys: ['only-for-tests'] },
      pkce: { required: () => true },
    })
    provider.on('grant.success', ({ oidc }) => {
      const type = String(oidc.params?.grant_type)
      granted.set(type, (granted.get(type) ?? 0) + 1)
    })
    server.removeAllListeners('request').on('request', provider.callback())
  }

  return {
    issuer,
    allow,
    granted: type => granted.get(type) ?? 0,
    signIn: (url, email) => walkPages(issuer, url, asPerson(email)),
    cancel: url => walkPages(issuer, url, () => 'abort'),
    stop,
  }
}

/** Borrows a server with a real provider, which the application calls `corp`. */
export async function borrowWithCorp(
  env: Record<string, string> = {},
): Promise<{ provider: OidcProvider; server: TestServer }> {
  const client = { clientId: 'fairway', clientSecret: 'a-secret-between-the-two' }
  const provider = await startOidcProvider(client)
  const providers = [{ id: 'corp', name: 'Corp', issuer: provider.issuer, ...client }]
  const server = await borrowServer({ env: { FW_OIDC_PROVIDERS: JSON.stringify(providers), ...env } })
  provider.allow(`${server.origin}/_fw/auth/callback/corp`)
  return { provider, server }
}

/** Signs a browser in with the provider that the application calls `corp`; returns the response of the callback. */
export async function signInWithCorp(
  provider: OidcProvider,
  browser: TestBrowser,
  email: string,
  callbackURL = '/notes',
): Promise<Response> {
  const start = await browser.post('/_fw/auth/sign-in/social', { json: { provider: 'corp', callbackURL } })
  if (!start.ok) throw new Error(await start.text())
  const back = new URL(await provider.signIn((await start.json()).url, email))
  return browser.get(back.pathname + back.search)
}
