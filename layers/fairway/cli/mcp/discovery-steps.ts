import * as oauth from 'oauth4webapi'
import { extractWWWAuthenticateParams } from '@modelcontextprotocol/client'
import { isLoopback, describeAnswer, reasonOf, StepFailure } from './endpoint'

const LIMIT_IN_MS = 15_000

/** The public metadata of a server, before any sign-in. */
export interface Challenge {
  resourceMetadataUrl?: URL
  scope?: string
}

/** Options for a request to the server or its authorization server: http only on this machine, and with a short timeout. */
export const requestOptions = (url: URL) => ({
  [oauth.allowInsecureRequests]: isLoopback(url),
  signal: () => AbortSignal.timeout(LIMIT_IN_MS),
})

/** The first request of a host, in the older revision that every server understands. */
export const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'fw', version: '1' } },
}

/** Sends one JSON-RPC message to the endpoint, with an access token when there is one. */
export const postMessage = (url: URL, message: unknown, accessToken?: string): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    redirect: 'manual',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(accessToken ? { authorization: `Bearer ${accessToken}` } : {}),
    },
    body: JSON.stringify(message),
    signal: AbortSignal.timeout(LIMIT_IN_MS),
  })

/** Step 1: sends a request without a credential, and expects a challenge that names the metadata. */
export async function askForChallenge(url: URL): Promise<Challenge> {
  const step = `POST ${url.href} without a token`
  const expected = '401 with WWW-Authenticate: Bearer'
  const answer = await postMessage(url, INITIALIZE).catch((error: unknown) => fail(step, 'an answer', error))
  const header = answer.headers.get('www-authenticate')
  if (answer.status !== 401) throw new StepFailure(step, expected, await describeAnswer(answer))
  if (!header || !/^bearer\b/i.test(header))
    throw new StepFailure(
      step,
      expected,
      header === null ? '401 without WWW-Authenticate' : `WWW-Authenticate: ${header}`,
    )
  const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(answer)
  return { resourceMetadataUrl, scope }
}

/** Step 2: the protected resource metadata (RFC 9728), from the address in the challenge or the well-known one. */
export async function readResourceMetadata(
  url: URL,
  { resourceMetadataUrl }: Challenge,
): Promise<oauth.ResourceServer> {
  const step = `GET ${resourceMetadataUrl?.href ?? 'the protected resource metadata'}`
  const expected = `protected resource metadata of ${url.href} (RFC 9728)`
  try {
    const answer = resourceMetadataUrl
      ? await fetch(checked(resourceMetadataUrl), { redirect: 'manual', signal: AbortSignal.timeout(LIMIT_IN_MS) })
      : await oauth.resourceDiscoveryRequest(url, requestOptions(url))
    if (answer.status !== 200) throw new StepFailure(step, expected, await describeAnswer(answer))
    const metadata = await oauth.processResourceDiscoveryResponse(url, answer)
    if (!metadata.authorization_servers?.[0])
      throw new StepFailure(step, 'at least one of authorization_servers', 'none')
    return metadata
  } catch (error) {
    throw fail(step, expected, error)
  }
}

/** Step 3: the authorization server's metadata (RFC 8414), including everything that a public client requires. */
export async function readServerMetadata({ authorization_servers: issuers = [] }: oauth.ResourceServer) {
  const [issuer = ''] = issuers
  const step = `GET the metadata of ${issuer}`
  const expected = `authorization server metadata whose issuer is ${issuer} (RFC 8414)`
  try {
    const url = checked(new URL(issuer))
    const answer = await oauth.discoveryRequest(url, { ...requestOptions(url), algorithm: 'oauth2' })
    if (answer.status !== 200) throw new StepFailure(step, expected, await describeAnswer(answer))
    const server = await oauth.processDiscoveryResponse(url, answer)
    checkServer(step, server)
    return server
  } catch (error) {
    throw fail(step, expected, error)
  }
}

const NEEDED = ['authorization_endpoint', 'token_endpoint', 'registration_endpoint'] as const

function checkServer(step: string, server: oauth.AuthorizationServer): void {
  for (const name of NEEDED) {
    const value = server[name]
    if (!value || !URL.canParse(value)) throw new StepFailure(step, `an address in ${name}`, value ?? 'nothing')
    checked(new URL(value))
  }
  const lists = {
    code_challenge_methods_supported: 'S256',
    response_types_supported: 'code',
    token_endpoint_auth_methods_supported: 'none',
  }
  for (const [name, value] of Object.entries(lists)) {
    const list = server[name]
    if (!Array.isArray(list) || !list.includes(value))
      throw new StepFailure(step, `${value} in ${name}`, JSON.stringify(list) ?? 'nothing')
  }
}

function checked(url: URL): URL {
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url))) return url
  throw new Error(`${url.href} is not https`)
}

/** Turns a thrown value into the failure of a step; returns an existing failure unchanged. */
export function fail(step: string, expected: string, thrown: unknown): never {
  throw thrown instanceof StepFailure ? thrown : new StepFailure(step, expected, reasonOf(thrown), { cause: thrown })
}
