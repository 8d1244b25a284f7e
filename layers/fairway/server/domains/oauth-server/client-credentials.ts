// The client credentials grant (RFC 6749 §4.4) is for service accounts alone. Their tokens open `/mcp`, and there is no refresh
// token (§4.4.3).
import { openServiceAccount, type ServiceActorRow } from '#fairway/server/domains/sessions'
import type { App } from '#fairway/server/kernel/app-context'
import { checkResource, type TokenAnswer, tokenAnswer } from './access-token'
import { askedScopes } from './assertion-grant'
import type { Authenticated } from './authenticate-client'
import { findServiceActor } from './clients/service-clients'
import { OAuthError } from './oauth-error'
import { grantable } from './service-account-access'
import type { Fields } from './token-request'

export const CLIENT_CREDENTIALS = 'client_credentials'

/**
 * Issues an access token to a service account for the named scopes that it has, or for all of them. Throws `invalid_client` (401)
 * without a key or an assertion and while the account is paused, `unauthorized_client` for other clients, `invalid_target` and
 * `invalid_scope`.
 */
export async function exchangeClientCredentials(
  app: App,
  fields: Fields,
  { client }: Authenticated,
): Promise<TokenAnswer> {
  if (!client) throw refusedAccount('Send the key of a service account, or an assertion that it signed.')
  if (client.source !== 'service' || client.credential === undefined)
    throw new OAuthError('unauthorized_client', 'Only service accounts use client_credentials.')
  checkResource(app.config, fields.resource)
  const requested = askedScopes(fields.scope)
  const row = await findServiceActor(app, 'byToken', [client.id, client.credential])
  const isLive = row && (row.expiresAt === null || row.expiresAt > app.now().getTime())
  if (!isLive || 'refusal' in (await openServiceAccount(app, row)))
    throw refusedAccount('The service account is paused or has ended.')
  const scopes = grantable(row).filter(scope => requested?.includes(scope) ?? true)
  if (scopes.length === 0) throw new OAuthError('invalid_scope', 'The service account has none of these scopes.')
  return tokenAnswer(app, subjectOf(row, client.credential), scopes.join(' '), undefined)
}

// The account is its own subject, and its token is bound to the credential.
const subjectOf = ({ accountId, email, accountOrgId, expiresAt }: ServiceActorRow, credential: string) => ({
  grantId: credential,
  clientId: accountId,
  userId: accountId,
  email,
  orgId: accountOrgId,
  expiresAt: expiresAt ?? Number.MAX_SAFE_INTEGER,
})

const refusedAccount = (description: string): OAuthError =>
  new OAuthError('invalid_client', description, 401, { headers: { 'www-authenticate': 'Basic realm="oauth"' } })
