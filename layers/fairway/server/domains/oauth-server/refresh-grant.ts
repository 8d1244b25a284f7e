import { personJoin } from '#fairway/server/domains/people'
import type { App } from '#fairway/server/kernel/app-context'
import { hmac, sha256 } from '#fairway/server/kernel/crypto/hash'
import { recordSecurityEvent } from '#fairway/server/kernel/security-events/record-security-event'
import { knownScopes, type Scope, toolScopes } from '#fairway/shared/scopes'
import { checkResource, type TokenAnswer, tokenAnswer } from './access-token'
import {
  type GrantRow,
  grantColumns,
  grantObject,
  parseGrantObject,
  toGrantRow,
  REFRESH_IDLE_IN_MS,
  hasLiveGrant,
  endGrant,
  grantJoins,
  isLive,
} from './grants'
import { refusedGrant, requireField } from './token-request'

const PURPOSE = 'oauth-refresh-successor'

/**
 * Exchanges a refresh token for new tokens; the old one is replaced in the same transaction. Throws `invalid_grant`, and
 * `invalid_scope` for more than was approved. One that comes a second time, and is no retry, ends everything of its grant.
 */
export async function refresh(app: App, fields: Partial<Record<string, string>>): Promise<TokenAnswer> {
  const clientId = requireField(fields, 'client_id')
  const presented = requireField(fields, 'refresh_token')
  checkResource(app.config, fields.resource)
  const scopes = scopesOf(fields.scope)
  // Derived, so that the same one can be given again to a host that retries although only hashes are stored.
  const successors = app.config.keys.all(PURPOSE).map(key => {
    const token = hmac(key.secret, presented)
    return { token, hash: sha256(token) }
  })
  const use = { clientId, hash: sha256(presented), scopes, successors }
  const { grant, successor } = (await replaceToken(app, use)) ?? (await answerReplay(app, use))
  return tokenAnswer(app, grant, scopes?.join(' ') ?? grant.scope, successor)
}

/** What a renewal asks for; undefined for all that was approved, which is meant too where nothing is named that opens anything. */
function scopesOf(scope: string | undefined): Scope[] | undefined {
  const scopes = knownScopes(scope)
  return toolScopes(scopes).length === 0 ? undefined : scopes
}

async function replaceToken(
  app: App,
  { clientId, hash, scopes, successors }: RefreshUse,
): Promise<{ grant: GrantRow; successor: string } | undefined> {
  const now = app.now().getTime()
  const successor = successors[0]
  if (!successor) throw refusedGrant('There is no key.')
  const [, added] = await app.db.client.batch(
    [
      {
        sql: `update oauth_refresh_tokens set replaced_by = ?, replaced_at = ?
          where hash = ? and client_id = ? and replaced_by is null and expires_at > ?
          and ${hasLiveGrant(app.config, 'oauth_refresh_tokens.grant_id')} and ${HAS_SCOPES}`,
        args: [successor.hash, now, hash, clientId, now, now, JSON.stringify(scopes ?? [])],
      },
      {
        sql: `insert into oauth_refresh_tokens (hash, grant_id, client_id, issued_at, expires_at)
          select r.replaced_by, g.id, g.client_id, ?, min(?, g.expires_at)
          from oauth_refresh_tokens r join oauth_grants g on g.id = r.grant_id
          where r.hash = ? and r.replaced_by = ? and r.replaced_at = ? on conflict (hash) do nothing
          returning (select ${grantObject} from oauth_grants g ${personJoin('g.user_id')}
            where g.id = oauth_refresh_tokens.grant_id) as grantRow`,
        args: [now, now + REFRESH_IDLE_IN_MS, hash, successor.hash, now],
      },
    ],
    'write',
  )
  const grant = added?.rows[0] && parseGrantObject(added.rows[0].grantRow)
  return grant && { grant, successor: successor.token }
}

/** Every scope of a JSON list is part of the grant; its one parameter is the list. */
const HAS_SCOPES = `not exists (select 1 from json_each(?) asked join oauth_grants g on g.id = oauth_refresh_tokens.grant_id
  where instr(' ' || g.scope || ' ', ' ' || asked.value || ' ') = 0)`

/** One use of a refresh token. */
interface RefreshUse {
  clientId: string
  hash: string
  /** What is asked for now; undefined is all that was approved. */
  scopes: string[] | undefined
  /** The tokens that may follow, one for each root secret, the current one first. */
  successors: { token: string; hash: string }[]
}

interface TokenRow {
  grantId: string
  clientId: string
  userId: string | null
  scope: string | null
  expiresAt: number
  replacedBy: string | null
  replacedAt: number | null
  /** Whether the token that followed was used itself. */
  successorUsed: number
}

const FIND = `select r.grant_id as grantId, r.client_id as clientId, g.user_id as userId, g.scope as scope,
  r.expires_at as expiresAt, r.replaced_by as replacedBy, r.replaced_at as replacedAt,
  exists (select 1 from oauth_refresh_tokens s where s.hash = r.replaced_by and s.replaced_by is not null) as successorUsed
  from oauth_refresh_tokens r left join oauth_grants g on g.id = r.grant_id where r.hash = ?`

const REFUSED = 'The refresh token is not known, has ended or was used.'

/**
 * What becomes of a refresh token that could not be replaced: its client is given the same successor again within the window,
 * while that is unused. Every other second use ends the whole grant. Throws `invalid_grant` or `invalid_scope`.
 */
async function answerReplay(app: App, use: RefreshUse): Promise<{ grant: GrantRow; successor: string }> {
  const find = app.memo('find-refresh-token', () => app.db.prepareRead<TokenRow>(FIND))
  const [row] = await find([use.hash])
  if (!row) throw refusedGrant(REFUSED)
  const isOwner = row.clientId === use.clientId
  // An unused token that another client sends stays good for its owner.
  if (row.replacedBy === null) throw isOwner ? refusalOfUnused(app, row, use) : refusedGrant(REFUSED)
  const successor = use.successors.find(({ hash }) => hash === row.replacedBy)
  if (successor && isOwner && isRetry(app, row)) {
    const grant = await findLiveGrant(app, use.hash)
    if (!grant) throw refusedGrant(REFUSED)
    if (asksTooMuch(grant.scope, use)) throw refusedGrant(TOO_MUCH, 'invalid_scope')
    const { clientId: client, userId, grantId } = row
    app.log.warn('a refresh token came again within the window', {
      client,
      userId,
      grantId,
      ageInSeconds: ageOf(app, row),
    })
    return { grant, successor: successor.token }
  }
  const ended = await endGrant(app, row.grantId, 'refresh-replay')
  await recordSecurityEvent(app, {
    kind: 'refresh-token-replayed',
    subject: row.clientId,
    userId: row.userId ?? undefined,
    reason: `used again${isOwner ? '' : ' by another client'} after ${ageOf(app, row)} s; ${ended ? 'its connection has ended' : 'its connection had ended'}`,
  })
  throw refusedGrant(REFUSED)
}

const TOO_MUCH = 'More is asked for than was approved.'

const asksTooMuch = (granted: string, { scopes = [] }: RefreshUse): boolean =>
  scopes.some(scope => !granted.split(' ').includes(scope))

function refusalOfUnused(app: App, { scope, expiresAt }: TokenRow, use: RefreshUse) {
  const isOver = expiresAt <= app.now().getTime()
  return !isOver && scope !== null && asksTooMuch(scope, use)
    ? refusedGrant(TOO_MUCH, 'invalid_scope')
    : refusedGrant(REFUSED)
}

// At 0 nothing is a retry, not even where the clock of the request is behind the one that won.
function isRetry(app: App, { replacedAt, successorUsed }: TokenRow): boolean {
  const window = app.config.oauth.refreshReplayWindowInSeconds * 1000
  return window > 0 && successorUsed === 0 && app.now().getTime() - (replacedAt ?? 0) <= window
}

async function findLiveGrant(app: App, hash: string): Promise<GrantRow | undefined> {
  const find = app.memo('find-live-grant-of-token', () =>
    app.db.prepareRead<object>(
      `select ${grantColumns} from oauth_refresh_tokens r join oauth_grants g on g.id = r.grant_id ${grantJoins}
        where r.hash = ? and ${isLive(app.config)}`,
    ),
  )
  const [row] = await find([hash, app.now().getTime()])
  return toGrantRow(row)
}

const ageOf = (app: App, { replacedAt }: TokenRow): number =>
  Math.round((app.now().getTime() - (replacedAt ?? 0)) / 1000)
