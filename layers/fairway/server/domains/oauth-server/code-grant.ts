import type { App } from '#fairway/server/kernel/app-context'
import { constantTimeEqual, sha256 } from '#fairway/server/kernel/crypto/hash'
import { toCodeChallenge, randomToken } from '#fairway/server/kernel/crypto/random'
import { OFFLINE_ACCESS } from '#fairway/shared/scopes'
import { recordSecurityEvent } from '../../kernel/security-events/record-security-event'
import { endGrant } from './end-grant'
import { checkResource } from './endpoints'
import { type GrantRow, grantColumns, toGrantRow } from './grant-row'
import { REFRESH_IDLE_IN_MS } from './lifetimes'
import { grantJoins, hasLiveGrant, isLive } from './live-grant-sql'
import { type TokenAnswer, tokenAnswer } from './token-answer'
import { refusedGrant, requireField, requireVerifier } from './token-request'

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
  if (!constantTimeEqual(used.codeChallenge, toCodeChallenge(verifier))) {
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
  }
  return refusedGrant(REFUSED)
}

// Whoever names another client has no claim on the grant: it must not be theirs to end.
async function endReplayed(app: App, grantId: string, isOwner: boolean): Promise<string> {
  if (!isOwner) return ' by another client; its connection goes on'
  return (await endGrant(app, grantId, 'code-replay')) ? '; its connection has ended' : '; its connection had ended'
}
