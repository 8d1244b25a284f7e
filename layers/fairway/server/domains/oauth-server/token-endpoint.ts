import type { App } from '#fairway/server/kernel/app-context'
import { sha256 } from '#fairway/server/kernel/crypto/hash'
import { type TokenAnswer, verifyAccessToken } from './access-token'
import { ASSERTION_GRANT, exchangeAssertion } from './assertion-grant'
import { type Authenticated, authenticateClient, checkMayBePublic } from './authenticate-client'
import { CLIENT_CREDENTIALS, exchangeClientCredentials } from './client-credentials'
import { NOT_REGISTERED } from './clients/client-metadata'
import { isKnownClient } from './clients/registration'
import { exchangeCode } from './code-grant'
import { DEVICE_GRANT } from './device/device-codes'
import { exchangeDeviceCode } from './device/device-grant'
import { endGrant } from './grants'
import { OAuthError } from './oauth-error'
import { refresh } from './refresh-grant'
import { type ClientRequest, type Fields, requireField } from './token-request'

/**
 * Handles a request of the token endpoint; throws OAuthError with the codes of RFC 6749 §5.2. Whatever this server refuses to a
 * client that it does not know is `invalid_client`: hosts then register again.
 */
export async function answerTokenRequest(app: App, request: ClientRequest): Promise<TokenAnswer> {
  const authenticated = await authenticateClient(app, request)
  const { fields } = authenticated
  const exchange = EXCHANGES.get(requireField(fields, 'grant_type'))
  if (!exchange) throw new OAuthError('unsupported_grant_type', `Use ${GRANT_TYPES.join(', ')}.`)
  try {
    return await exchange(app, fields, { ...authenticated, network: request.network ?? '' })
  } catch (error) {
    // Checked last, because a code or token that was found proves that its client is known.
    if (error instanceof OAuthError && authenticated.client?.source !== 'service')
      await checkKnown(app, request, fields.client_id)
    throw error
  }
}

type Exchange = (app: App, fields: Fields, more: Authenticated & { network: string }) => Promise<TokenAnswer>

const EXCHANGES = new Map<string, Exchange>([
  ['authorization_code', exchangeCode],
  ['refresh_token', refresh],
  [ASSERTION_GRANT, exchangeAssertion],
  [DEVICE_GRANT, exchangeDeviceCode],
  [CLIENT_CREDENTIALS, exchangeClientCredentials],
])
const GRANT_TYPES = [...EXCHANGES.keys()]

/** Throws `invalid_client` for a client that is not known; one that sent a header gets a challenge (RFC 6749 §5.2). */
async function checkKnown(app: App, { authorization }: ClientRequest, clientId: string | undefined): Promise<void> {
  if (clientId === undefined || (await isKnownClient(app, clientId))) return
  const headers = authorization === undefined ? undefined : { 'www-authenticate': 'Basic realm="oauth"' }
  throw new OAuthError('invalid_client', NOT_REGISTERED, 401, { headers })
}

/**
 * Ends the grant of a refresh or access token (RFC 7009). An unknown token, an expired access token and another client's token
 * change nothing and cause no error. Throws `invalid_request`, `invalid_client`, and `unsupported_token_type` for service accounts.
 */
export async function revokeToken(app: App, request: ClientRequest): Promise<void> {
  const { fields, client: known } = await authenticateClient(app, request)
  const token = requireField(fields, 'token')
  // RFC 7009 §2.2.1: an answer of 200 would say that the token has ended.
  if (known?.source === 'service')
    throw new OAuthError('unsupported_token_type', 'The token of a service account ends with its key.')
  const grant = (await grantOfRefreshToken(app, token)) ?? (await grantOfAccessToken(app, token))
  if (!grant || (fields.client_id !== undefined && fields.client_id !== grant.clientId)) {
    return checkKnown(app, request, fields.client_id)
  }
  const { grantId, clientId: client } = grant
  if (fields.client_id === undefined) await checkMayBePublic(app, client)
  if (await endGrant(app, grantId, 'host')) app.log.info('a host has ended its connection', { client, grantId })
}

interface TokenOwner {
  grantId: string
  clientId: string
}

const FIND_OWNER = 'select grant_id as grantId, client_id as clientId from oauth_refresh_tokens where hash = ?'

async function grantOfRefreshToken(app: App, token: string): Promise<TokenOwner | undefined> {
  const find = app.memo('find-grant-of-refresh-token', () => app.db.prepareRead<TokenOwner>(FIND_OWNER))
  const [row] = await find([sha256(token)])
  return row
}

async function grantOfAccessToken(app: App, token: string): Promise<TokenOwner | undefined> {
  const claims = await verifyAccessToken(app, token)
  return claims ? { grantId: claims.grant_id, clientId: claims.client_id } : undefined
}
