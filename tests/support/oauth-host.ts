import { randomUUID } from 'node:crypto'
import type { OAuthDiscoveryState } from '@modelcontextprotocol/client'
import { serveListener } from './web-server'

interface Tokens {
  access_token: string
  token_type: string
  refresh_token?: string
  expires_in?: number
  scope?: string
}

/** A host as its library sees it: where it is redirected to, what it keeps, and the address it wants opened. */
export interface OAuthHost {
  provider: ReturnType<typeof toProvider>
  tokens(): Tokens | undefined
  /** Keeps other tokens, for example an access token that has ended. */
  setTokens(tokens: Tokens): void
  /** The address that the library wants opened; undefined when it was not asked for one. */
  asked(): URL | undefined
  /** What the browser brought back. */
  cameBack(): Promise<URLSearchParams>
  stop(): Promise<void>
}

/** A host's own listener on this computer, to which the browser is sent back. */
async function listenForCallback(onReturn: (brought: URLSearchParams) => void) {
  const { origin, stop } = await serveListener((request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1')
    if (url.pathname === '/callback') onReturn(url.searchParams)
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
    response.end('<!DOCTYPE html><html lang="en"><title>Host</title><h1>Back in the host</h1></html>')
  })
  return { redirectUri: `${origin}/callback`, stop }
}

/** A host that knows nothing but its redirect address. */
export async function startLoopbackHost() {
  const received: URLSearchParams[] = []
  return {
    ...(await listenForCallback(brought => received.push(brought))),
    /** What the last visit brought. */
    last: () => Object.fromEntries(received.at(-1) ?? []),
  }
}

/** The part of a host that its OAuth library asks for, with a loopback redirect on a free port. */
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
  /** The address of the host's metadata document; without one it registers itself. */
  clientMetadataUrl?: string
}

interface Kept {
  client?: { client_id: string }
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
  saveClientInformation: (client: { client_id: string }) => void (kept.client = client),
  tokens: () => kept.tokens,
  saveTokens: (tokens: Tokens) => void (kept.tokens = tokens),
  redirectToAuthorization: (url: URL) => void (kept.asked = url),
  saveCodeVerifier: (verifier: string) => void (kept.verifier = verifier),
  codeVerifier: () => kept.verifier,
  saveDiscoveryState: (state: OAuthDiscoveryState) => void (kept.discovery = state),
  discoveryState: () => kept.discovery,
  // What a host does when the server says `invalid_grant`: it forgets its tokens and asks the person again.
  invalidateCredentials: (scope: string) => {
    if (scope === 'tokens' || scope === 'all') kept.tokens = undefined
  },
})
