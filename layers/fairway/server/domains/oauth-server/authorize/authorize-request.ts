import type { App } from '#fairway/server/kernel/app-context'
import { DEFAULT_SCOPES, knownScopes, type Scope, SUPPORTED_SCOPES, toolScopes } from '#fairway/shared/scopes'
import type { OAuthClient } from '../clients/client'
import { findClient } from '../clients/find-client'
import { matchesRedirect } from '../clients/redirect-uri'
import { checkResource, mcpUrl } from '../endpoints'
import { OAuthError } from '../oauth-error'
import type { Parameters } from './parameters'

/** A client and an address of it: from here on, refusals are sent there. */
export interface ProvenClient {
  client: OAuthClient
  redirectUri: string
  state: string | undefined
}

/** An authorization request that may be shown to a person. */
export interface AuthorizeRequest extends ProvenClient {
  scopes: Scope[]
  resource: string
  codeChallenge: string
  prompts: ReadonlySet<string>
}

const LONGEST_STATE = 4096
const LONGEST_SCOPE = 1024

/** The client and its address, for a visitor of this network; throws what may only be shown here, never sent anywhere. */
export async function proveClient(app: App, parameters: Parameters, network: string): Promise<ProvenClient> {
  for (const name of ['client_id', 'redirect_uri']) {
    if (parameters.repeated.has(name)) throw invalid(`${name} was sent twice.`)
  }
  const clientId = parameters.get('client_id')
  if (clientId === undefined) throw invalid('client_id is missing.')
  const client = await findClient(app, clientId, network)
  const redirectUri = parameters.get('redirect_uri')
  if (redirectUri === undefined) throw invalid('redirect_uri is missing.')
  const isRegistered = client.redirectUris.some(uri => matchesRedirect(uri, redirectUri, client.applicationType))
  if (!isRegistered) throw invalid('redirect_uri is not one that the app has registered.')
  const state = parameters.repeated.has('state') ? undefined : parameters.get('state')
  return { client, redirectUri, state }
}

type Check = (parameters: Parameters, app: App) => void

/** What a request must be once its client is proven, in this order; each throws the OAuthError that is sent back. */
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

/** The request in full; throws the OAuthError to send back to the client. */
export function checkRequest(app: App, proven: ProvenClient, parameters: Parameters): AuthorizeRequest {
  for (const check of checks) check(parameters, app)
  return {
    ...proven,
    scopes: askedScopes(parameters),
    resource: mcpUrl(app.config),
    codeChallenge: parameters.get('code_challenge') ?? '',
    prompts: promptsOf(parameters),
  }
}

function everyParameterOnce({ repeated }: Parameters): void {
  const name = [...repeated].find(sent => sent !== 'resource')
  if (name !== undefined) throw invalid(`${/^\w{1,40}$/.test(name) ? name : 'A parameter'} was sent twice.`)
}

// Ignoring it would answer another request than the one that was meant (RFC 9101).
function noRequestObject(parameters: Parameters): void {
  if (parameters.get('request') ?? parameters.get('request_uri')) throw invalid('Request objects are not supported.')
}

function stateIsShort(parameters: Parameters): void {
  if ((parameters.get('state')?.length ?? 0) > LONGEST_STATE) throw invalid('state is too long.')
}

function responseIsCode(parameters: Parameters): void {
  const type = parameters.get('response_type')
  if (type === undefined) throw invalid('response_type is missing.')
  if (type !== 'code') throw new OAuthError('unsupported_response_type', 'response_type is code.')
}

function answerIsQuery(parameters: Parameters): void {
  if ((parameters.get('response_mode') ?? 'query') !== 'query') throw invalid('response_mode is query.')
}

function challengeIsS256(parameters: Parameters): void {
  const challenge = parameters.get('code_challenge')
  if (challenge === undefined) throw invalid('code_challenge is missing.')
  // Left out, the method would be plain (RFC 7636 §4.3).
  if (parameters.get('code_challenge_method') !== 'S256') throw invalid('code_challenge_method is S256.')
  if (!/^[A-Za-z0-9_-]{43}$/.test(challenge)) throw invalid('code_challenge is not a SHA-256 value as base64url.')
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
  if (prompts.has('none') && prompts.size > 1) throw invalid('prompt=none stands alone.')
}

/** The scopes that were asked for and exist; those of every host where none of them opens anything. */
function askedScopes(parameters: Parameters): Scope[] {
  const known = knownScopes(parameters.get('scope'))
  return toolScopes(known).length > 0 ? known : [...DEFAULT_SCOPES, ...known]
}

const promptsOf = (parameters: Parameters): Set<string> =>
  new Set((parameters.get('prompt') ?? '').split(' ').filter(Boolean))

const invalid = (description: string): OAuthError => new OAuthError('invalid_request', description)
