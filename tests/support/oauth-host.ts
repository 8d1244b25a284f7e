import { randomUUID } from 'node:crypto'
import type { OAuthDiscoveryState } from '@modelcontextprotocol/client'
import { createCodeVerifier, toCodeChallenge } from '#fairway/server/kernel/crypto/random'
import type { TestBrowser } from './http'
import { serveListener } from './web-server'

export const AUTHORIZE = '/mcp/oauth/authorize'
export const WEB_REDIRECT = 'https://host.example.com/callback'

/** Posts a registration as a host does. */
export const register = (origin: string, metadata: unknown) =>
  fetch(`${origin}/mcp/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(metadata),
  })

/** Registers a host; returns its client_id. */
export async function registeredClient(origin: string, metadata: Record<string, unknown> = {}): Promise<string> {
  const answer = await register(origin, { client_name: 'Test host', redirect_uris: [WEB_REDIRECT], ...metadata })
  if (answer.status !== 201) throw new Error(await answer.text())
  return (await answer.json()).client_id
}

/** The parameters of a valid authorization request; undefined removes one. */
export function authorizeQuery(clientId: string, differing: Record<string, string | undefined> = {}): string {
  const parameters = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: WEB_REDIRECT,
    code_challenge: toCodeChallenge(createCodeVerifier()),
    code_challenge_method: 'S256',
    scope: 'mcp:read mcp:write',
    state: 'a state & more=1',
    ...differing,
  }
  const sent = Object.entries(parameters).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
  return `?${new URLSearchParams(sent)}`
}

/** The page at the authorization endpoint. */
export const authorizePage = (browser: TestBrowser, query: string) => browser.get(AUTHORIZE + query)

/** The fields that a browser sends from the consent page when the user changes none of them. */
export function formOf(html: string): Record<string, string> {
  const fields: Record<string, string> = {}
  for (const [input] of html.matchAll(/<input [^>]*>/g)) {
    const attribute = (name: string) => new RegExp(` ${name}="([^"]*)"`).exec(input)?.[1]
    if (attribute('type') === 'checkbox' && !/ checked/.test(input)) continue
    fields[attribute('name') ?? ''] = (attribute('value') ?? '').replaceAll('&amp;', '&')
  }
  const chosen = /<select [^>]*name="(\w+)".*?<option value="([^"]*)"/.exec(html)
  if (chosen?.[1]) fields[chosen[1]] = chosen[2] ?? ''
  return fields
}

/** Opens the consent page and submits a decision; returns the response. */
export async function decide(
  browser: TestBrowser,
  query: string,
  decision: 'approve' | 'deny' = 'approve',
  differing: Record<string, string> = {},
): Promise<Response> {
  const page = await authorizePage(browser, query)
  if (page.status !== 200) throw new Error(`${page.status} ${page.headers.get('location')} ${await page.text()}`)
  return browser.post(AUTHORIZE + query, { form: { ...formOf(await page.text()), decision, ...differing } })
}

/** The parameters of a redirect to the host. */
export const broughtBy = (answer: Response) =>
  Object.fromEntries(new URL(answer.headers.get('location') ?? 'none:').searchParams)

interface Tokens {
  access_token: string
  token_type: string
  refresh_token?: string
  expires_in?: number
  scope?: string
  /** The issuer, which libraries store with the tokens. */
  issuer?: string
}

/** A host as its library sees it: its redirect address, its stored data, and the address that it wants to open. */
export interface OAuthHost {
  provider: ReturnType<typeof toProvider>
  tokens(): Tokens | undefined
  /** Replaces the tokens, for example with an expired access token. */
  setTokens(tokens: Tokens): void
  /** The address that the library wants to open; undefined when there is none. */
  asked(): URL | undefined
  /** The parameters that the browser returned with. */
  cameBack(): Promise<URLSearchParams>
  stop(): Promise<void>
}

/** A host's listener on this computer, which receives the browser's redirect. */
async function listenForCallback(onReturn: (brought: URLSearchParams) => void) {
  const { origin, stop } = await serveListener((request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1')
    if (url.pathname === '/callback') onReturn(url.searchParams)
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
    response.end('<!DOCTYPE html><html lang="en"><title>Host</title><h1>Back in the host</h1></html>')
  })
  return { redirectUri: `${origin}/callback`, stop }
}

/** A host with only a redirect address. */
export async function startLoopbackHost() {
  const received: URLSearchParams[] = []
  return {
    ...(await listenForCallback(brought => received.push(brought))),
    /** The parameters of the most recent visit. */
    last: () => Object.fromEntries(received.at(-1) ?? []),
  }
}

/** The interface that a host's OAuth library needs, with a loopback redirect on a free port. */
export async function startOAuthHost(name: string, clientMetadataUrl?: string): Promise<OAuthHost> {
  const { promise, resolve } = Promise.withResolvers<URLSearchParams>()
  const { redirectUri: redirectUrl, stop } = await listenForCallback(resolve)
  const kept: Kept = { verifier: '' }
  return {
    provider: toProvider({ name, redirectUrl, clientMetadataUrl }, kept),
    tokens: () => kept.tokens,
    setTokens: tokens => void (kept.tokens = tokens),
    asked: () => kept.asked,
    cameBack: () => promise,
    stop,
  }
}

interface HostInput {
  name: string
  redirectUrl: string
  /** The address of the host's metadata document. Without one, the host registers. */
  clientMetadataUrl?: string
}

interface Kept {
  client?: { client_id: string; issuer?: string }
  tokens?: Tokens
  verifier: string
  asked?: URL
  discovery?: OAuthDiscoveryState
}

const toProvider = ({ name, redirectUrl, clientMetadataUrl }: HostInput, kept: Kept) => ({
  redirectUrl,
  clientMetadataUrl,
  clientMetadata: {
    client_name: name,
    redirect_uris: [redirectUrl],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  },
  state: () => randomUUID(),
  clientInformation: () => kept.client,
  saveClientInformation: (client: { client_id: string; issuer?: string }) => void (kept.client = client),
  tokens: () => kept.tokens,
  saveTokens: (tokens: Tokens) => void (kept.tokens = tokens),
  redirectToAuthorization: (url: URL) => void (kept.asked = url),
  saveCodeVerifier: (verifier: string) => void (kept.verifier = verifier),
  codeVerifier: () => kept.verifier,
  saveDiscoveryState: (state: OAuthDiscoveryState) => void (kept.discovery = state),
  discoveryState: () => kept.discovery,
  // After `invalid_grant`, a host deletes its tokens and asks the person again. After `invalid_client`, it deletes everything.
  invalidateCredentials: (scope: string) => {
    if (scope === 'tokens' || scope === 'all') kept.tokens = undefined
    if (scope === 'client' || scope === 'all') kept.client = undefined
  },
})
