import { SESSION_HOLDS } from '#fairway/server/domains/people'
import type { App } from '#fairway/server/kernel/app-context'
import { sha256 } from '#fairway/server/kernel/crypto/hash'
import { randomToken, matchesChallenge, newId } from '#fairway/server/kernel/crypto/random'
import { OFFLINE_ACCESS, type Scope } from '#fairway/shared/scopes'
import { recordSecurityEvent } from '../../kernel/security-events/record-security-event'
import {
  endGrant,
  type GrantRow,
  grantColumns,
  toGrantRow,
  REFRESH_IDLE_IN_MS,
  grantJoins,
  hasLiveGrant,
  isLive,
  GRANT_LIFE_IN_MS,
  mayConnect,
} from './grants'
import { checkResource, type TokenAnswer, tokenAnswer } from './access-token'
import { withoutFreePort } from './clients/redirect-uri'
import { OAuthError } from './oauth-error'
import { refusedGrant, refuseSuspended, requireField, requireVerifier } from './token-request'

interface ConsentInput {
  clientId: string
  /** As the consent page has shown it. */
  clientName: string
  userId: string
  email: string
  /** How the session was proved that approved it. */
  provider: string
  providerDomain?: string
  /** The row of that session; null where it is not one of ours. */
  sessionId: string | null
  orgId: string
  scope: readonly Scope[]
  /** Whether `mcp:write` covers tools that lose something for good. */
  mayDelete: boolean
  resource: string
  /** As the authorization request named it, byte for byte. */
  redirectUri: string
  /** The S256 challenge (RFC 7636). */
  codeChallenge: string
}

// What the same app was given before and never used: it has lost that, or signs in once more. Two installations that are used both stay.
const REPLACE_UNUSED = `update oauth_grants set revoked_at = ?, revoked_reason = 'replaced'
  where user_id = (select user_id from oauth_grants where id = ?) and revoked_at is null and called_at is null
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
        sql: `insert into oauth_grants (id, client_id, client_name, user_id, email, org_id, provider, provider_domain, scope,
          may_delete, resource, redirect_uri, created_at, expires_at) select ?, ?, ?, u.id, ?, o.id, g.provider, g.provider_domain, ?, ?, ?, ?, ?, ?
          from (select ? as org_id, ? as user_id, ? as provider, ? as provider_domain) g ${grantJoins} where ${mayConnect(app.config)}
          and ${SESSION_HOLDS}`,
        args: [
          grantId,
          clientId,
          clientName,
          email.trim().toLowerCase(),
          input.scope.join(' '),
          Number(input.mayDelete),
          resource,
          withoutFreePort(redirectUri),
          now,
          expiresAt,
          orgId,
          userId,
          provider,
          input.providerDomain ?? null,
          sessionId,
          sessionId,
        ],
      },
      {
        sql: `insert into oauth_codes (hash, grant_id, client_id, redirect_uri, code_challenge, resource, expires_at)
          select ?, id, client_id, ?, ?, resource, ? from oauth_grants where id = ?`,
        args: [sha256(code), redirectUri, codeChallenge, codeExpiresAt, grantId],
      },
      { sql: REPLACE_UNUSED, args: [now, grantId, grantId] },
    ],
    'write',
  )
  if (granted?.rowsAffected !== 1) {
    throw new OAuthError('access_denied', 'The account may not connect apps in this organization.', 403)
  }
  app.log.info('app connected', { client: clientId, userId, orgId, grantId })
  return code
}

const REFUSED = 'The code is not known, has ended or was used.'

/**
 * Exchanges a code for tokens, once. Throws `invalid_grant`: a code that its client sends a second time ends all that came from it, and one
 * that comes with a wrong verifier is used up. One with another client or redirect address is left to whom it belongs.
 */
export async function exchangeCode(app: App, fields: Partial<Record<string, string>>): Promise<TokenAnswer> {
  const clientId = requireField(fields, 'client_id')
  const hash = sha256(requireField(fields, 'code'))
  const redirectUri = requireField(fields, 'redirect_uri')
  const verifier = requireVerifier(fields)
  checkResource(app.config, fields.resource)
  const used = await useCode(app, { hash, clientId, redirectUri })
  if (!used) throw await refusedCode(app, { hash, clientId })
  if (!matchesChallenge(used.codeChallenge, verifier)) {
    await endGrant(app, used.grantId, 'wrong-verifier')
    app.log.warn('a code came with a wrong verifier', { client: clientId, grantId: used.grantId })
    throw refusedGrant('The code verifier does not match.')
  }
  const refreshToken = randomToken(32)
  const grant = await openGrant(app, used.grantId, sha256(refreshToken))
  if (!grant) throw refusedGrant(REFUSED)
  return tokenAnswer(app, grant, grant.scope, isKept(grant) ? refreshToken : undefined)
}

const isKept = ({ scope }: GrantRow): boolean => scope.split(' ').includes(OFFLINE_ACCESS)

interface CodeUse {
  hash: string
  clientId: string
  redirectUri: string
}

// One conditional statement: of any number of requests at once, one gets the row.
async function useCode(app: App, { hash, clientId, redirectUri }: CodeUse) {
  const now = app.now().getTime()
  const { rows } = await app.db.client.execute({
    sql: `update oauth_codes set used_at = ? where hash = ? and client_id = ? and redirect_uri = ? and used_at is null
      and expires_at > ? and ${hasLiveGrant(app.config, 'oauth_codes.grant_id')}
      returning grant_id as grantId, code_challenge as codeChallenge`,
    args: [now, hash, clientId, redirectUri, now, now],
  })
  const row = rows[0]
  return row && { grantId: String(row.grantId), codeChallenge: String(row.codeChallenge) }
}

/** Notes that the host is connected, and writes its first refresh token; undefined when the grant has ended meanwhile. */
async function openGrant(app: App, grantId: string, refreshHash: string): Promise<GrantRow | undefined> {
  const now = app.now().getTime()
  const live = isLive(app.config)
  const [, , found] = await app.db.client.batch(
    [
      {
        sql: `insert into oauth_refresh_tokens (hash, grant_id, client_id, issued_at, expires_at)
          select ?, g.id, g.client_id, ?, min(?, g.expires_at) from oauth_grants g ${grantJoins}
          where g.id = ? and instr(' ' || g.scope || ' ', ' ${OFFLINE_ACCESS} ') > 0 and ${live}`,
        args: [refreshHash, now, now + REFRESH_IDLE_IN_MS, grantId, now],
      },
      { sql: 'update oauth_grants set last_used_at = ? where id = ? and revoked_at is null', args: [now, grantId] },
      {
        sql: `select ${grantColumns} from oauth_grants g ${grantJoins} where g.id = ? and ${live}`,
        args: [grantId, now],
      },
    ],
    'write',
  )
  return toGrantRow(found?.rows[0])
}

/** What comes of a code that could not be used: when it comes again from whom it was given to, its grant ends. */
async function refusedCode(app: App, { hash, clientId }: Pick<CodeUse, 'hash' | 'clientId'>) {
  const find = app.memo('find-oauth-code', () =>
    app.db.prepareRead<{ grantId: string; clientId: string; usedAt: number | null; userId: string | null }>(
      `select c.grant_id as grantId, c.client_id as clientId, c.used_at as usedAt, g.user_id as userId
        from oauth_codes c left join oauth_grants g on g.id = c.grant_id where c.hash = ?`,
    ),
  )
  const [code] = await find([hash])
  if (code?.usedAt) {
    const { grantId, clientId: owner, userId, usedAt } = code
    const ageInSeconds = Math.round((app.now().getTime() - usedAt) / 1000)
    await recordSecurityEvent(app, {
      kind: 'code-replayed',
      subject: owner,
      userId: userId ?? undefined,
      reason: `used again after ${ageInSeconds} s${await endReplayed(app, grantId, clientId === owner)}`,
    })
  } else if (code?.clientId === clientId) await refuseSuspended(app, code.userId)
  return refusedGrant(REFUSED)
}

// A client that sends the code of another one must not be able to end its grant.
async function endReplayed(app: App, grantId: string, isOwner: boolean): Promise<string> {
  if (!isOwner) return ' by another client; its connection goes on'
  return (await endGrant(app, grantId, 'code-replay')) ? '; its connection has ended' : '; its connection had ended'
}
