// What a device sends: its request for a connection, and its polls at the token endpoint (RFC 8628 §3.1, §3.4).
import type { App } from '#fairway/server/kernel/app-context'
import { knownScopes } from '#fairway/shared/scopes'
import { addressKey, canonicalAddress } from '#fairway/server/kernel/http/client-address'
import { checkResource, type TokenAnswer } from '../access-token'
import { authenticateClient, requireClient } from '../authenticate-client'
import { firstTokens } from '../code-grant'
import { hasLiveGrant } from '../grants'
import { OAuthError } from '../oauth-error'
import { type ClientRequest, type Fields, refuseSuspended, requireField } from '../token-request'
import {
  DEVICE_LIFE_IN_SECONDS,
  devicePage,
  issueDeviceCode,
  offersDevices,
  POLL_INTERVAL_IN_SECONDS,
  pollDevice,
  shownUserCode,
} from './device-codes'

/**
 * Stores what a device asks for and returns its codes (RFC 8628 §3.2). Throws `invalid_client` (401), `unauthorized_client` for a
 * client that has not registered this grant type, and `invalid_target`.
 */
export async function askForDevice(app: App, request: Omit<ClientRequest, 'network'>, clientAddress: string) {
  const network = addressKey(clientAddress)
  const { fields, client: proved } = await authenticateClient(app, { ...request, network })
  const client = proved ?? (await requireClient(app, requireField(fields, 'client_id'), network))
  if (!proved && client.signing?.isRequired)
    throw new OAuthError('invalid_client', 'This app must send a signed client_assertion.', 401)
  if (!client.usesDevices)
    throw new OAuthError('unauthorized_client', 'The app has not registered the grant type of devices.')
  checkResource(app.config, fields.resource)
  const wanted = {
    clientId: client.id,
    scope: knownScopes(fields.scope).join(' '),
    askedFrom: canonicalAddress(clientAddress),
  }
  const { deviceCode, userCode } = await issueDeviceCode(app, wanted)
  return {
    device_code: deviceCode,
    user_code: shownUserCode(userCode),
    verification_uri: devicePage(app),
    verification_uri_complete: devicePage(app, userCode),
    expires_in: DEVICE_LIFE_IN_SECONDS,
    interval: POLL_INTERVAL_IN_SECONDS,
  }
}

/**
 * Exchanges an approved device code for tokens, once. Throws what `pollDevice` throws, and `access_denied` when the grant has ended
 * meanwhile.
 */
export async function exchangeDeviceCode(app: App, fields: Fields): Promise<TokenAnswer> {
  if (!offersDevices(app)) throw new OAuthError('unsupported_grant_type', 'This installation connects no devices.')
  const clientId = requireField(fields, 'client_id')
  const deviceCode = requireField(fields, 'device_code')
  checkResource(app.config, fields.resource)
  const { hash, grantId } = await pollDevice(app, deviceCode, clientId)
  const use = await useDeviceCode(app, hash)
  if (use === 'repeated') throw new OAuthError('invalid_grant', 'The device code was used.')
  const answer = use === 'first' ? await firstTokens(app, grantId) : undefined
  if (answer) return answer
  await refuseSuspended(app, await personOf(app, grantId))
  throw new OAuthError('access_denied', 'The connection has ended.')
}

/** Uses an approved code: of all polls at once, one is the first. `ended` when its grant is no longer live. */
async function useDeviceCode(app: App, hash: string): Promise<'first' | 'repeated' | 'ended'> {
  const now = app.now().getTime()
  const [used, after] = await app.db.client.batch(
    [
      {
        sql: `update fw_device_codes set used_at = ? where hash = ? and used_at is null
          and ${hasLiveGrant(app.config, 'fw_device_codes.grant_id')}`,
        args: [now, hash, now],
      },
      { sql: 'select used_at as usedAt from fw_device_codes where hash = ?', args: [hash] },
    ],
    'write',
  )
  if (used?.rowsAffected === 1) return 'first'
  return after?.rows[0]?.usedAt ? 'repeated' : 'ended'
}

async function personOf(app: App, grantId: string): Promise<string | null> {
  const [row] = await app.db.prepareRead<{ userId: string }>('select user_id as userId from oauth_grants where id = ?')(
    [grantId],
  )
  return row?.userId ?? null
}
