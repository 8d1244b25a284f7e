import type { App } from '#fairway/server/kernel/app-context'
import { CODE_CHALLENGE } from '#fairway/server/kernel/crypto/random'
import { DEFAULT_SCOPES, knownScopes, type Scope, SUPPORTED_SCOPES, toolScopes } from '#fairway/shared/scopes'
import { checkResource, mcpUrl } from '../access-token'
import { type Parameters, sentTwice } from '../authorization-endpoint'
import { NOT_REGISTERED, type OAuthClient, refusedClient } from '../clients/client-metadata'
import { findDocumentClient, isUrlLike } from '../clients/document-clients'
import { matchesRedirect } from '../clients/redirect-uri'
import { findOwnClient } from '../clients/registration'
import type { DeviceRequest } from '../device/device-codes'
import { OAuthError } from '../oauth-error'

const LONGEST_ID = 2048
const LONGEST_STATE = 4096
const LONGEST_SCOPE = 1024

/** A client and one of its registered addresses. Later refusals are sent to that address. */
export interface ProvenClient {
  client: OAuthClient
  redirectUri: string
  state: string | undefined
}

/** An authorization request that may be shown to a person. */
export interface AuthorizeRequest extends ProvenClient {
  scopes: Scope[]
  /** Whether the client names scopes for tools; otherwise `scopes` has the default ones. */
  namesScopes: boolean
  resource: string
  codeChallenge: string
  prompts: ReadonlySet<string>
  /** The request of a device, which has neither address nor challenge: both are empty. */
  device?: DeviceRequest
}

/**
 * Returns the client and its address, for a visitor of this network. Its errors may only be shown here and never sent to an
 * address.
 */
export async function proveClient(app: App, parameters: Parameters, network: string): Promise<ProvenClient> {
  for (const name of ['client_id', 'redirect_uri']) {
    if (parameters.repeated.has(name)) throw invalidRequest(sentTwice(name))
  }
  const clientId = parameters.get('client_id')
  if (clientId === undefined) throw invalidRequest('client_id is missing.')
  const client = await findClient(app, clientId, network)
  const redirectUri = parameters.get('redirect_uri')
  if (redirectUri === undefined) throw invalidRequest('redirect_uri is missing.')
  const isRegistered = client.redirectUris.some(uri => matchesRedirect(uri, redirectUri, client.applicationType))
  if (!isRegistered) throw invalidRequest('redirect_uri is not one that the app has registered.')
  const state = parameters.repeated.has('state') ? undefined : parameters.get('state')
  return { client, redirectUri, state }
}

/**
 * Finds the client with this id: an address by its metadata document, any other id by its registration. `network` is the address
 * key of the visitor. Throws OAuthError `invalid_client`.
 */
export async function findClient(app: App, clientId: string, network: string): Promise<OAuthClient> {
  if (clientId.length > LONGEST_ID) throw refusedClient('The client_id is too long.')
  if (isUrlLike(clientId)) return findDocumentClient(app, clientId, network)
  const client = await findOwnClient(app, clientId)
  if (!client) throw refusedClient(NOT_REGISTERED)
  return client
}

type Check = (parameters: Parameters, app: App) => void

/** The checks of a request whose client is proven, in this order. Each throws the OAuthError that is sent back. */
const checks: readonly Check[] = [
  everyParameterOnce,
  noRequestObject,
  stateIsShort,
  responseIsCode,
  answerIsQuery,
  challengeIsS256,
  resourceIsOurs,
  scopeIsShort,
  promptIsPossible,
]

/** Returns the complete request; throws the OAuthError to send back to the client. */
export function checkRequest(app: App, proven: ProvenClient, parameters: Parameters): AuthorizeRequest {
  for (const check of checks) check(parameters, app)
  return {
    ...proven,
    ...requestedScopes(parameters.get('scope')),
    resource: mcpUrl(app.config),
    codeChallenge: parameters.get('code_challenge') ?? '',
    prompts: promptsOf(parameters),
  }
}

function everyParameterOnce({ repeated }: Parameters): void {
  const name = [...repeated].find(sent => sent !== 'resource')
  if (name !== undefined) throw invalidRequest(sentTwice(name))
}

// To ignore a request object would be to answer a different request than the client meant (RFC 9101).
function noRequestObject(parameters: Parameters): void {
  if (parameters.get('request') ?? parameters.get('request_uri'))
    throw invalidRequest('Request objects are not supported.')
}

function stateIsShort(parameters: Parameters): void {
  if ((parameters.get('state')?.length ?? 0) > LONGEST_STATE) throw invalidRequest('state is too long.')
}

function responseIsCode(parameters: Parameters): void {
  const type = parameters.get('response_type')
  if (type === undefined) throw invalidRequest('response_type is missing.')
  if (type !== 'code') throw new OAuthError('unsupported_response_type', 'response_type is code.')
}

function answerIsQuery(parameters: Parameters): void {
  if ((parameters.get('response_mode') ?? 'query') !== 'query') throw invalidRequest('response_mode is query.')
}

function challengeIsS256(parameters: Parameters): void {
  const challenge = parameters.get('code_challenge')
  if (challenge === undefined) throw invalidRequest('code_challenge is missing.')
  // Without this parameter, the method would be plain (RFC 7636 §4.3).
  if (parameters.get('code_challenge_method') !== 'S256') throw invalidRequest('code_challenge_method is S256.')
  if (!CODE_CHALLENGE.test(challenge)) throw invalidRequest('code_challenge is not a SHA-256 value as base64url.')
}

function resourceIsOurs(parameters: Parameters, { config }: App): void {
  for (const resource of parameters.all('resource')) checkResource(config, resource)
}

function scopeIsShort(parameters: Parameters): void {
  if ((parameters.get('scope')?.length ?? 0) > LONGEST_SCOPE) {
    throw new OAuthError('invalid_scope', `The scopes of this server are ${SUPPORTED_SCOPES.join(' ')}.`)
  }
}

function promptIsPossible(parameters: Parameters): void {
  const prompts = promptsOf(parameters)
  if (prompts.has('none') && prompts.size > 1) throw invalidRequest('prompt=none stands alone.')
}

/** The requested scopes that exist. If none of them allows any tools, the default scopes are added. */
export function requestedScopes(scope: string | undefined): Pick<AuthorizeRequest, 'scopes' | 'namesScopes'> {
  const known = knownScopes(scope)
  const namesScopes = toolScopes(known).length > 0
  return { scopes: namesScopes ? known : [...DEFAULT_SCOPES, ...known], namesScopes }
}

const promptsOf = (parameters: Parameters): Set<string> =>
  new Set((parameters.get('prompt') ?? '').split(' ').filter(Boolean))

/** The refusal of a malformed request. */
export const invalidRequest = (description: string): OAuthError => new OAuthError('invalid_request', description)
