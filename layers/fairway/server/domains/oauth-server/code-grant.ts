import { SESSION_HOLDS } from '#fairway/server/domains/people'
import type { App } from '#fairway/server/kernel/app-context'
import { sha256 } from '#fairway/server/kernel/crypto/hash'
import type { InStatement } from '#fairway/server/kernel/database/client'
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
  hasScope,
  hasLiveGrant,
  isLive,
  GRANT_LIFE_IN_MS,
  mayConnect,
} from './grants'
import { checkResource, type TokenAnswer, tokenAnswer } from './access-token'
import { servesOrg } from './clients/managed-clients'
import { withoutFreePort } from './clients/redirect-uri'
import { approveStatement, awaitsDecision } from './device/device-codes'
import { OAuthError } from './oauth-error'
import { rootMark } from './root-mark'
import { refusedGrant, refuseSuspended, requireField, requireVerifier } from './token-request'

/** How long a code may be exchanged. RFC 6749 (4.1.2) recommends ten minutes at most. */
const CODE_LIFE_IN_MS = 60_000

interface ConsentInput {
  clientId: string
  /** As shown on the consent page. */
  clientName: string
  userId: string
  email: string
  /** The sign-in provider of the session that approved it. */
  provider: string
  providerDomain?: string
  /** Whether that session had proved a second factor. */
  provedSecondFactor?: boolean
  /** The row of that session; null when it is not a Fairway session. */
  sessionId: string | null
  orgId: string
  scope: readonly Scope[]
  /** Whether `mcp:write` includes destructive tools. */
  mayDelete: boolean
  /** Whether the person is asked before those run. */
  asksFirst: boolean
  /** Whether the client must sign its token requests. */
  mustSign: boolean
  resource: string
  /** As in the authorization request, byte for byte. */
  redirectUri: string
  /** The S256 challenge (RFC 7636). */
  codeChallenge: string
  /** The hash of a device code, and its end in milliseconds: the device gets the tokens, so no code is issued. */
  device?: { hash: string; expiresAt: number }
}

// Revokes an earlier grant of the same app that was never used: the app lost it, or is connecting again. Two installations that
// are both used stay.
const REPLACE_UNUSED = `update oauth_grants set revoked_at = ?, revoked_reason = 'replaced'
  where user_id = (select user_id from oauth_grants where id = ?) and revoked_at is null and called_at is null
  and exists (select 1 from oauth_grants n where n.id = ? and n.id <> oauth_grants.id and n.client_id = oauth_grants.client_id
    and n.redirect_uri = oauth_grants.redirect_uri and n.user_id = oauth_grants.user_id and n.org_id = oauth_grants.org_id)
  and not exists (select 1 from oauth_refresh_tokens r where r.grant_id = oauth_grants.id and r.replaced_by is not null)`

/**
 * Stores a person's approval and returns the code for the host: 32 random bytes, usable once and for a minute. The new grant
 * replaces an earlier, never used grant of that host. Throws the OAuthError `access_denied` when the person has left the
 * organization, its sign-in rule shuts them out, the session that approved has ended, or a device no longer waits.
 */
export async function grantAndIssueCode(app: App, input: ConsentInput): Promise<string> {
  const code = randomToken(32)
  const grantId = newId()
  const now = app.now().getTime()
  const { accessTokenLifeInSeconds } = app.config.oauth
  const { device } = input
  const codeExpiresAt = device?.expiresAt ?? now + CODE_LIFE_IN_MS
  const awaited = device ? awaitsDecision(device.hash, now) : { sql: 'true', args: [] }
  // Without a refresh token, the grant ends with its only access token.
  const isKept = input.scope.includes(OFFLINE_ACCESS)
  const expiresAt = isKept ? now + GRANT_LIFE_IN_MS : codeExpiresAt + accessTokenLifeInSeconds * 1000
  const { clientId, clientName, email, provider, sessionId, resource, orgId, userId, redirectUri } = input
  const [granted] = await app.db.client.batch(
    [
      {
        sql: `insert into oauth_grants (id, client_id, client_name, user_id, email, org_id, provider, provider_domain, proved_second_factor, scope,
          may_delete, asks_first, must_sign, resource, redirect_uri, created_at, expires_at, root_mark)
          select ?, ?, ?, u.id, ?, o.id, g.provider, g.provider_domain, g.proved_second_factor, ?, ?, ?, ?, ?, ?, ?, ?, ?
          from (select ? as org_id, ? as user_id, ? as provider, ? as provider_domain, ? as proved_second_factor) g ${grantJoins} where ${mayConnect(app.config)}
          and ${SESSION_HOLDS} and ${servesOrg('?', 'o.id')} and ${awaited.sql}`,
        args: [
          grantId,
          clientId,
          clientName,
          email.trim().toLowerCase(),
          input.scope.join(' '),
          Number(input.mayDelete),
          Number(input.asksFirst),
          Number(input.mustSign),
          resource,
          device ? null : withoutFreePort(redirectUri),
          now,
          expiresAt,
          rootMark(app, grantId),
          orgId,
          userId,
          provider,
          input.providerDomain ?? null,
          Number(input.provedSecondFactor ?? false),
          sessionId,
          sessionId,
          clientId,
          ...awaited.args,
        ],
      },
      device
        ? approveStatement(device.hash, grantId, now)
        : codeStatement(input, { code, grantId, expiresAt: codeExpiresAt }),
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

interface IssuedCode {
  code: string
  grantId: string
  /** In milliseconds. */
  expiresAt: number
}

const codeStatement = (
  { redirectUri, codeChallenge }: ConsentInput,
  { code, grantId, expiresAt }: IssuedCode,
): InStatement => ({
  sql: `insert into oauth_codes (hash, grant_id, client_id, redirect_uri, code_challenge, resource, expires_at)
    select ?, id, client_id, ?, ?, resource, ? from oauth_grants where id = ?`,
  args: [sha256(code), redirectUri, codeChallenge, expiresAt, grantId],
})

const REFUSED = 'The code is not known, has ended or was used.'

/**
 * Exchanges a code for tokens, once. Throws `invalid_grant`. A wrong verifier or a second use ends the whole grant, except a
 * second use that repeats the first within seconds. An unused code with another client or redirect address stays usable.
 */
export async function exchangeCode(app: App, fields: Partial<Record<string, string>>): Promise<TokenAnswer> {
  const clientId = requireField(fields, 'client_id')
  const hash = sha256(requireField(fields, 'code'))
  const redirectUri = requireField(fields, 'redirect_uri')
  const verifier = requireVerifier(fields)
  checkResource(app.config, fields.resource)
  const used = await useCode(app, { hash, clientId, redirectUri })
  if (!used) throw await refusedCode(app, { hash, clientId, redirectUri, verifier })
  if (!matchesChallenge(used.codeChallenge, verifier)) {
    await endGrant(app, used.grantId, 'wrong-verifier')
    app.log.warn('a code came with a wrong verifier', { client: clientId, grantId: used.grantId })
    throw refusedGrant('The code verifier does not match.')
  }
  const answer = await firstTokens(app, used.grantId)
  if (!answer) throw refusedGrant(REFUSED)
  return answer
}

/** Issues the first tokens of a grant; undefined when it has ended. */
export async function firstTokens(app: App, grantId: string): Promise<TokenAnswer | undefined> {
  const refreshToken = randomToken(32)
  const grant = await openGrant(app, grantId, sha256(refreshToken))
  return grant && tokenAnswer(app, grant, grant.scope, isKept(grant) ? refreshToken : undefined)
}

const isKept = ({ scope }: GrantRow): boolean => scope.split(' ').includes(OFFLINE_ACCESS)

interface CodeUse {
  hash: string
  clientId: string
  redirectUri: string
}

// One conditional statement: of all concurrent requests, one gets the row.
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

/** Marks the host as connected and stores its first refresh token; undefined when the grant has ended meanwhile. */
async function openGrant(app: App, grantId: string, refreshHash: string): Promise<GrantRow | undefined> {
  const now = app.now().getTime()
  const live = isLive(app.config)
  const [, , granted] = await app.db.client.batch(
    [
      {
        sql: `insert into oauth_refresh_tokens (hash, grant_id, client_id, issued_at, expires_at)
          select ?, g.id, g.client_id, ?, min(?, g.expires_at) from oauth_grants g ${grantJoins}
          where g.id = ? and ${hasScope('g.scope', OFFLINE_ACCESS)} and ${live}`,
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
  return toGrantRow(granted?.rows[0])
}

interface UsedCode {
  grantId: string
  clientId: string
  redirectUri: string
  codeChallenge: string
  usedAt: number | null
  userId: string | null
}

/** Returns the refusal of a code that could not be used. A second use ends the grant, unless it only repeats the first. */
async function refusedCode(app: App, use: CodeUse & { verifier: string }): Promise<OAuthError> {
  const find = app.memo('find-oauth-code', () =>
    app.db.prepareRead<UsedCode>(
      `select c.grant_id as grantId, c.client_id as clientId, c.redirect_uri as redirectUri, c.code_challenge as codeChallenge,
        c.used_at as usedAt, g.user_id as userId
        from oauth_codes c left join oauth_grants g on g.id = c.grant_id where c.hash = ?`,
    ),
  )
  const [code] = await find([use.hash])
  if (code?.usedAt) await noteReuse(app, { ...code, usedAt: code.usedAt }, use)
  else if (code?.clientId === use.clientId) await refuseSuspended(app, code.userId)
  return refusedGrant(REFUSED)
}

/**
 * How long a client may send the same exchange again without ending its grant, because some pages send it twice. As long as the
 * default of `FW_REFRESH_REPLAY_WINDOW`, but the second one gets no tokens.
 */
const REPEATED_EXCHANGE_IN_MS = 10_000

async function noteReuse(app: App, code: UsedCode & { usedAt: number }, use: CodeUse & { verifier: string }) {
  const { grantId, clientId: client, userId, usedAt } = code
  const ageInMs = app.now().getTime() - usedAt
  const isOwner = client === use.clientId
  const isSame = isOwner && code.redirectUri === use.redirectUri && matchesChallenge(code.codeChallenge, use.verifier)
  const ageInSeconds = Math.round(ageInMs / 1000)
  if (isSame && ageInMs <= REPEATED_EXCHANGE_IN_MS) {
    app.log.warn('a code was exchanged again within seconds', { client, userId, grantId, ageInSeconds })
    return
  }
  const ended = await endGrant(app, grantId, 'code-replay')
  await recordSecurityEvent(app, {
    kind: 'code-replayed',
    subject: client,
    userId: userId ?? undefined,
    reason: `used again${isOwner ? '' : ' by another client'} after ${ageInSeconds} s; ${ended ? 'its connection has ended' : 'its connection had ended'}`,
  })
}
