import { setTimeout as sleep } from 'node:timers/promises'
import * as oauth from 'oauth4webapi'
import type { CallbackServer } from '../browser'
import { fail, requestOptions } from './discovery-steps'
import { StepFailure } from './endpoint'

/** The stored part of a token response. */
export interface Tokens {
  accessToken: string
  refreshToken?: string
  /** Milliseconds since 1970; undefined when the server did not send an expiry. */
  expiresAt?: number
  scope?: string
}

/** The source of tokens: one endpoint, its authorization server, and our client there. */
export interface Party {
  resource: URL
  server: oauth.AuthorizationServer
  clientId: string
}

const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'

/** Whether a machine without a browser can ask this server for a connection (RFC 8628). */
export const offersDevices = ({ device_authorization_endpoint: endpoint }: oauth.AuthorizationServer): boolean =>
  endpoint !== undefined

/** Loopback without a port: RFC 8252 allows any port at the time of the request. */
const REGISTERED_REDIRECT = 'http://127.0.0.1/callback'

/** Step 4: registers this machine as a public client (RFC 7591) and returns its client id. */
export async function registerClient(server: oauth.AuthorizationServer, clientName: string): Promise<string> {
  const step = `POST ${server.registration_endpoint}`
  try {
    const url = new URL(server.registration_endpoint ?? '')
    const metadata = {
      client_name: clientName,
      application_type: 'native' as const,
      redirect_uris: [REGISTERED_REDIRECT],
      grant_types: ['authorization_code', 'refresh_token', ...(offersDevices(server) ? [DEVICE_GRANT] : [])],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    }
    const answer = await oauth.dynamicClientRegistrationRequest(server, metadata, requestOptions(url))
    const client = await oauth.processDynamicClientRegistrationResponse(answer)
    return client.client_id
  } catch (error) {
    throw fail(step, '201 with a client_id (RFC 7591)', error)
  }
}

/** The requested scopes: those of the challenge or of the resource, and `offline_access` where the server offers it. */
export function wantedScope(
  server: oauth.AuthorizationServer,
  resource: oauth.ResourceServer,
  scope: string | undefined,
): string {
  const wanted = scope?.split(' ') ?? resource.scopes_supported ?? []
  const offline = server.scopes_supported?.includes('offline_access') ? ['offline_access'] : []
  return [...new Set([...wanted, ...offline])].join(' ')
}

/** Step 5: lets the person sign in and consent in a browser, and exchanges the returned code. */
export async function authorize(
  party: Party,
  scope: string,
  callback: CallbackServer,
  show: (url: string) => Promise<void>,
): Promise<Tokens> {
  const { server, clientId, resource } = party
  const verifier = oauth.generateRandomCodeVerifier()
  const redirectUri = `${new URL(callback.url).origin}/callback`
  const url = new URL(server.authorization_endpoint ?? '')
  const query = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state: new URL(callback.url).searchParams.get('state') ?? '',
    resource: resource.href,
    ...(scope ? { scope } : {}),
  }
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
  await show(url.href)
  const answer = await checkAnswer(party, await callback.received)
  return exchangeCode(party, answer, redirectUri, verifier)
}

const checkAnswer = ({ server, clientId }: Party, query: URLSearchParams): Promise<URLSearchParams> =>
  asStep('the way back from the browser', `a code and iss=${server.issuer}`, () =>
    // The callback server has verified and removed the state.
    oauth.validateAuthResponse(server, { client_id: clientId }, query, oauth.expectNoState),
  )

const exchangeCode = (party: Party, query: URLSearchParams, redirectUri: string, verifier: string): Promise<Tokens> => {
  const { server, clientId } = party
  const client = { client_id: clientId }
  return asStep(`POST ${server.token_endpoint} (authorization code)`, 'an access token', async () => {
    const options = tokenOptions(party)
    const none = oauth.None()
    const answer = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      none,
      query,
      redirectUri,
      verifier,
      options,
    )
    return toTokens(await oauth.processAuthorizationCodeResponse(server, client, answer))
  })
}

/** What a person needs to approve on another device. */
export interface ShownCode {
  code: string
  address: string
  /** The address with the code. */
  complete?: string
}

/** Step 5 on a machine without a browser: shows a code, and polls until the person has decided elsewhere (RFC 8628). */
export async function authorizeDevice(
  party: Party,
  scope: string,
  limitInMs: number,
  show: (shown: ShownCode) => void,
): Promise<Tokens> {
  const { server, clientId, resource } = party
  const endpoint = server.device_authorization_endpoint
  const device = await asStep(`POST ${endpoint ?? 'the device endpoint'}`, 'a code (RFC 8628)', async () => {
    if (!endpoint) throw new Error('The server connects no devices. Run the command without --device.')
    const parameters = { resource: resource.href, ...(scope ? { scope } : {}) }
    const client = { client_id: clientId }
    const options = requestOptions(new URL(endpoint))
    const answer = await oauth.deviceAuthorizationRequest(server, client, oauth.None(), parameters, options)
    return oauth.processDeviceAuthorizationResponse(server, client, answer)
  })
  show({ code: device.user_code, address: device.verification_uri, complete: device.verification_uri_complete })
  const until = Date.now() + Math.min(limitInMs, device.expires_in * 1000)
  return asStep(`POST ${server.token_endpoint} (device code)`, 'an access token', () =>
    pollDevice(party, device.device_code, { seconds: device.interval ?? 5, until }),
  )
}

/** Asks until the person has decided; waits longer when the server says so or is away (RFC 8628 §3.5). */
async function pollDevice(party: Party, deviceCode: string, wait: { seconds: number; until: number }): Promise<Tokens> {
  const client = { client_id: party.clientId }
  let { seconds } = wait
  for (;;) {
    if (Date.now() + seconds * 1000 > wait.until) throw new Error('Nobody has decided in time. Run the command again.')
    await sleep(seconds * 1000)
    try {
      const options = tokenOptions(party)
      const answer = await oauth.deviceCodeGrantRequest(party.server, client, oauth.None(), deviceCode, options)
      if (answer.status < 500) return toTokens(await oauth.processDeviceCodeResponse(party.server, client, answer))
      seconds *= 2
    } catch (error) {
      seconds = nextWait(error, seconds)
    }
  }
}

const PENDING = 'authorization_pending'

/** How many seconds to wait before the next poll; throws an error that ends the polls. */
function nextWait(error: unknown, seconds: number): number {
  const { error: code, status } = error instanceof oauth.ResponseBodyError ? error : { error: undefined, status: 0 }
  if (code === PENDING) return seconds
  if (code === 'slow_down') return seconds + 5
  const isAway = error instanceof TypeError || error instanceof DOMException || status === 429
  if (isAway || code === 'temporarily_unavailable') return seconds * 2
  throw error
}

/** Step 6: exchanges a refresh token for new tokens; the old token is spent, whether or not the response arrives. */
export function refresh(party: Party, refreshToken: string): Promise<Tokens> {
  const { server, clientId } = party
  const client = { client_id: clientId }
  return asStep(`POST ${server.token_endpoint} (refresh token)`, 'a new access token', async () => {
    const answer = await oauth.refreshTokenGrantRequest(server, client, oauth.None(), refreshToken, tokenOptions(party))
    const tokens = toTokens(await oauth.processRefreshTokenResponse(server, client, answer))
    return { ...tokens, refreshToken: tokens.refreshToken ?? refreshToken }
  })
}

const tokenOptions = ({ server, resource }: Party) => ({
  ...requestOptions(new URL(server.token_endpoint ?? '')),
  additionalParameters: { resource: resource.href },
})

/** Step 8: revokes all tokens of one consent (RFC 7009). */
export function revoke({ server, clientId }: Party, token: string): Promise<void> {
  const { revocation_endpoint: endpoint } = server
  const step = `POST ${endpoint ?? 'the revocation endpoint'}`
  return asStep(step, '200 (RFC 7009)', async () => {
    if (!endpoint) throw new StepFailure(step, 'revocation_endpoint in the metadata', 'nothing')
    const options = requestOptions(new URL(endpoint))
    const answer = await oauth.revocationRequest(server, { client_id: clientId }, oauth.None(), token, options)
    await oauth.processRevocationResponse(answer)
  })
}

/** Runs the work of a step and turns errors into its failure, with the server's own error description where it sent one. */
async function asStep<T>(step: string, expected: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw fail(step, expected, describeRefusal(error))
  }
}

/** Returns the error of RFC 6749 when the server has refused the grant or does not know the client, so only a new sign-in helps. */
export function spentBy(thrown: unknown): 'invalid_grant' | 'invalid_client' | undefined {
  const cause = thrown instanceof StepFailure ? thrown.cause : undefined
  const refusal = cause instanceof Error ? cause.cause : undefined
  const error = refusal instanceof oauth.ResponseBodyError ? refusal.error : undefined
  return error === 'invalid_grant' || error === 'invalid_client' ? error : undefined
}

/** Returns the server's own error description, if it sent one. */
function describeRefusal(thrown: unknown): unknown {
  if (thrown instanceof oauth.ResponseBodyError || thrown instanceof oauth.AuthorizationResponseError)
    return new Error(`${thrown.error}${thrown.error_description ? `: ${thrown.error_description}` : ''}`, {
      cause: thrown,
    })
  return thrown
}

function toTokens(answer: oauth.TokenEndpointResponse): Tokens {
  return {
    accessToken: answer.access_token,
    refreshToken: answer.refresh_token,
    expiresAt: answer.expires_in === undefined ? undefined : Date.now() + answer.expires_in * 1000,
    scope: answer.scope,
  }
}
