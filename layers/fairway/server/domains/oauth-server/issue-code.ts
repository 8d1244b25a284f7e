import { SESSION_HOLDS } from '#fairway/server/domains/people'
import type { App } from '#fairway/server/kernel/app-context'
import { sha256 } from '#fairway/server/kernel/crypto/hash'
import { newId, randomToken } from '#fairway/server/kernel/crypto/random'
import { OFFLINE_ACCESS, type Scope } from '#fairway/shared/scopes'
import { GRANT_LIFE_IN_MS } from './lifetimes'
import { withoutFreePort } from './clients/redirect-uri'
import { grantJoins, mayConnect } from './live-grant-sql'
import { OAuthError } from './oauth-error'

export interface ConsentInput {
  clientId: string
  /** As the consent page has shown it. */
  clientName: string
  userId: string
  email: string
  /** How the session was proved that approved it. */
  provider: string
  /** The row of that session; null where it is not one of ours. */
  sessionId: string | null
  orgId: string
  scope: readonly Scope[]
  resource: string
  /** As the authorization request named it, byte for byte. */
  redirectUri: string
  /** The S256 challenge (RFC 7636). */
  codeChallenge: string
}

// What the same app was given before and never used: it has lost that, or signs in once more. Two installations that are used both stay.
const REPLACE_UNUSED = `update oauth_grants set revoked_at = ?, revoked_reason = 'replaced'
  where revoked_at is null and called_at is null
  and exists (select 1 from oauth_grants n where n.id = ? and n.id <> oauth_grants.id and n.client_id = oauth_grants.client_id
    and n.redirect_uri = oauth_grants.redirect_uri and n.user_id = oauth_grants.user_id and n.org_id = oauth_grants.org_id)
  and not exists (select 1 from oauth_refresh_tokens r where r.grant_id = oauth_grants.id and r.replaced_by is not null)`

/**
 * Writes what a person has just approved, and gives the code for the host: 32 random bytes, good once and for a minute. It takes the
 * place of an earlier connection of that host that was never used.
 * Throws the OAuthError `access_denied` when the person is no member of the organization any more, its sign-in rule shuts them out, or
 * the session that approved has ended.
 */
export async function grantAndIssueCode(app: App, input: ConsentInput): Promise<string> {
  const code = randomToken(32)
  const grantId = newId()
  const now = app.now().getTime()
  const { codeLifeInSeconds, accessTokenLifeInSeconds } = app.config.oauth
  const codeExpiresAt = now + codeLifeInSeconds * 1000
  // Without a refresh token nothing outlives the one access token.
  const isKept = input.scope.includes(OFFLINE_ACCESS)
  const expiresAt = isKept ? now + GRANT_LIFE_IN_MS : codeExpiresAt + accessTokenLifeInSeconds * 1000
  const { clientId, clientName, email, provider, sessionId, resource, orgId, userId, redirectUri, codeChallenge } =
    input
  const [granted] = await app.db.client.batch(
    [
      {
        sql: `insert into oauth_grants (id, client_id, client_name, user_id, email, org_id, provider, scope, resource, redirect_uri,
          created_at, expires_at) select ?, ?, ?, u.id, ?, o.id, g.provider, ?, ?, ?, ?, ?
          from (select ? as org_id, ? as user_id, ? as provider) g ${grantJoins} where ${mayConnect(app.config)}
          and ${SESSION_HOLDS}`,
        args: [
          grantId,
          clientId,
          clientName,
          email.trim().toLowerCase(),
          input.scope.join(' '),
          resource,
          withoutFreePort(redirectUri),
          now,
          expiresAt,
          orgId,
          userId,
          provider,
          sessionId,
          sessionId,
        ],
      },
      {
        sql: `insert into oauth_codes (hash, grant_id, client_id, redirect_uri, code_challenge, resource, expires_at)
          select ?, id, client_id, ?, ?, resource, ? from oauth_grants where id = ?`,
        args: [sha256(code), redirectUri, codeChallenge, codeExpiresAt, grantId],
      },
      { sql: REPLACE_UNUSED, args: [now, grantId] },
    ],
    'write',
  )
  if (granted?.rowsAffected !== 1) {
    throw new OAuthError('access_denied', 'The account may not connect apps in this organization.', 403)
  }
  app.log.info('app connected', { client: clientId, userId, orgId, grantId })
  return code
}
