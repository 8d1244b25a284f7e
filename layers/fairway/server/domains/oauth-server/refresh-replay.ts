import type { App } from '#fairway/server/kernel/app-context'
import { recordSecurityEvent } from '../../kernel/security-events/record-security-event'
import { endGrant } from './end-grant'
import { type GrantRow, grantColumns, toGrantRow } from './grant-row'
import { grantJoins, isLive } from './live-grant-sql'
import { refusedGrant } from './token-request'

/** One use of a refresh token. */
export interface RefreshUse {
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
 * while nobody has used that. Whatever else was used before ends its whole grant. Throws `invalid_grant` or `invalid_scope`.
 */
export async function answerReplay(app: App, use: RefreshUse): Promise<{ grant: GrantRow; successor: string }> {
  const find = app.memo('find-refresh-token', () => app.db.prepareRead<TokenRow>(FIND))
  const [row] = await find([use.hash])
  if (!row) throw refusedGrant(REFUSED)
  const isOwner = row.clientId === use.clientId
  // Another client's token that nobody has used stays good for its owner.
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
