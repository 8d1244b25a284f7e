import { setTimeout as sleep } from 'node:timers/promises'
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
import type { OAuthError } from './oauth-error'
import { refusedGrant, refuseSuspended, requireField } from './token-request'

const PURPOSE = 'oauth-refresh-successor'

/**
 * Exchanges a refresh token for new tokens and replaces the old one in the same transaction. Throws `invalid_grant`, and
 * `invalid_scope` for more than was approved. A second use that is not a retry ends the whole grant.
 */
export async function refresh(app: App, fields: Partial<Record<string, string>>): Promise<TokenAnswer> {
  const clientId = requireField(fields, 'client_id')
  const presented = requireField(fields, 'refresh_token')
  checkResource(app.config, fields.resource)
  const scopes = scopesOf(fields.scope)
  const use = { clientId, presented, hash: sha256(presented), scopes }
  const replaced = await replaceToken(app, use)
  if (replaced?.givenAgainAt) await letArrive(app, replaced.givenAgainAt)
  const { grant, successor } = replaced?.givenAgainAt === null ? replaced : await answerReplay(app, use)
  const left = grant.scope.split(' ')
  return tokenAnswer(app, grant, scopes?.filter(scope => left.includes(scope)).join(' ') ?? grant.scope, successor)
}

/** Returns the requested scopes; undefined means all that were approved. A request without any tool scope means that too. */
function scopesOf(scope: string | undefined): Scope[] | undefined {
  const scopes = knownScopes(scope)
  return toolScopes(scopes).length === 0 ? undefined : scopes
}

const ON_THE_WIRE_IN_MS = 250

// A client keeps the token that arrives last and presents it an hour later. It must not be the one that was just replaced.
const letArrive = (app: App, givenAgainAt: number): Promise<void> =>
  sleep(Math.min(givenAgainAt + ON_THE_WIRE_IN_MS - app.now().getTime(), ON_THE_WIRE_IN_MS))

async function replaceToken(app: App, { clientId, presented, hash, scopes }: RefreshUse) {
  const now = app.now().getTime()
  const token = hmac(app.config.keys.current(PURPOSE).secret, presented)
  const successor = sha256(token)
  const [, added] = await app.db.client.batch(
    [
      {
        sql: `update oauth_refresh_tokens set replaced_by = ?, replaced_at = ?
          where hash = ? and client_id = ? and replaced_by is null and expires_at > ?
          and ${hasLiveGrant(app.config, 'oauth_refresh_tokens.grant_id')} and ${HAS_SCOPES}`,
        args: [successor, now, hash, clientId, now, now, JSON.stringify(scopes ?? [])],
      },
      {
        sql: `insert into oauth_refresh_tokens (hash, grant_id, client_id, issued_at, expires_at)
          select r.replaced_by, g.id, g.client_id, ?, min(?, g.expires_at)
          from oauth_refresh_tokens r join oauth_grants g on g.id = r.grant_id
          where r.hash = ? and r.replaced_by = ? and r.replaced_at = ? on conflict (hash) do nothing
          returning (select ${grantObject} from oauth_grants g ${personJoin('g.user_id')}
            where g.id = oauth_refresh_tokens.grant_id) as grantRow,
            (select r.issued_at from oauth_refresh_tokens r join oauth_refresh_tokens p on p.replaced_by = r.hash
            where r.replaced_by = oauth_refresh_tokens.hash and r.issued_at > p.replaced_at) as givenAgainAt`,
        args: [now, now + REFRESH_IDLE_IN_MS, hash, successor, now],
      },
    ],
    'write',
  )
  const row = added?.rows[0]
  if (!row) return undefined
  // When the replaced token was last sent again, in milliseconds; null when it was sent only once.
  const givenAgainAt = row.givenAgainAt === null ? null : Number(row.givenAgainAt)
  return { grant: parseGrantObject(row.grantRow), successor: token, givenAgainAt }
}

// What the person approved, also after unused scopes were removed: a client that sends all its scopes again gets what is left.
const CONSENTED = 'coalesce(g.consented_scope, g.scope)'

/** Every scope of a JSON list was approved; its one parameter is the list. */
const HAS_SCOPES = `not exists (select 1 from json_each(?) asked join oauth_grants g on g.id = oauth_refresh_tokens.grant_id
  where instr(' ' || ${CONSENTED} || ' ', ' ' || asked.value || ' ') = 0)`

/** One use of a refresh token. */
interface RefreshUse {
  clientId: string
  /** The token as sent. */
  presented: string
  hash: string
  /** The requested scopes; undefined means all that were approved. */
  scopes: string[] | undefined
}

interface TokenRow {
  grantId: string
  clientId: string
  userId: string | null
  scope: string | null
  expiresAt: number
  replacedAt: number | null
}

const FIND = `select r.grant_id as grantId, r.client_id as clientId, g.user_id as userId, ${CONSENTED} as scope,
  r.expires_at as expiresAt, r.replaced_at as replacedAt
  from oauth_refresh_tokens r left join oauth_grants g on g.id = r.grant_id where r.hash = ?`

const REFUSED = 'The refresh token is not known, has ended or was used.'

/**
 * Handles a refresh token that could not be replaced. Within the window, its client gets the newest unused token of the chain,
 * because concurrent renewals can overlap. Every other second use ends the whole grant. Throws `invalid_grant` or
 * `invalid_scope`.
 */
async function answerReplay(app: App, use: RefreshUse): Promise<{ grant: GrantRow; successor: string }> {
  const find = app.memo('find-refresh-token', () => app.db.prepareRead<TokenRow>(FIND))
  const [row] = await find([use.hash])
  if (!row) throw refusedGrant(REFUSED)
  const isOwner = row.clientId === use.clientId
  // An unused token that another client sends stays valid for its owner.
  if (!isOwner && row.replacedAt === null) throw refusedGrant(REFUSED)
  if (row.replacedAt === null) {
    await refuseSuspended(app, row.userId)
    throw refusalOfUnused(app, row, use)
  }
  const successor = isOwner && isRetry(app, row) ? await newestSuccessor(app, use) : undefined
  if (!successor) throw await refuseReplay(app, row, isOwner)
  const grant = await findLiveGrant(app, use.hash)
  if (!grant) {
    await refuseSuspended(app, row.userId)
    throw refusedGrant(REFUSED)
  }
  if (asksTooMuch(row.scope ?? '', use)) throw refusedGrant(TOO_MUCH, 'invalid_scope')
  const { clientId: client, userId, grantId } = row
  const ageInSeconds = ageOf(app, row)
  if (!(await giveAgain(app, successor))) return answerReplay(app, use)
  app.log.warn('a refresh token came again within the window', { client, userId, grantId, ageInSeconds })
  return { grant, successor }
}

// A chain within the window is short. The chain of an old token may have thousands of tokens and is never followed.
const FIND_SUCCESSORS = `with recursive chain (hash, place) as (
    select replaced_by, 1 from oauth_refresh_tokens where hash = ? union all
    select r.replaced_by, place + 1 from chain join oauth_refresh_tokens r on r.hash = chain.hash where r.replaced_by is not null)
  select hash from chain order by place`

/** Derives the unused token at the end of a chain again; undefined when the root secret of one of its tokens was removed. */
async function newestSuccessor(app: App, { presented, hash }: RefreshUse): Promise<string | undefined> {
  const find = app.memo('find-refresh-successors', () => app.db.prepareRead<{ hash: string }>(FIND_SUCCESSORS))
  const keys = app.config.keys.all(PURPOSE)
  let newest: string | undefined = presented
  for (const next of await find([hash])) {
    const before: string = newest
    newest = keys.map(key => hmac(key.secret, before)).find(token => sha256(token) === next.hash)
    if (newest === undefined) return undefined
  }
  return newest
}

/** Notes that a token is sent to its client again; false when it was used in the meantime. */
async function giveAgain(app: App, token: string): Promise<boolean> {
  const { rowsAffected } = await app.db.client.execute({
    sql: 'update oauth_refresh_tokens set issued_at = max(issued_at + 1, ?) where hash = ? and replaced_by is null',
    args: [app.now().getTime(), sha256(token)],
  })
  return rowsAffected === 1
}

/** Ends the grant of a token that was used a second time, and returns the refusal. */
async function refuseReplay(app: App, row: TokenRow, isOwner: boolean): Promise<OAuthError> {
  const ended = await endGrant(app, row.grantId, 'refresh-replay')
  await recordSecurityEvent(app, {
    kind: 'refresh-token-replayed',
    subject: row.clientId,
    userId: row.userId ?? undefined,
    reason: `used again${isOwner ? '' : ' by another client'} after ${ageOf(app, row)} s; ${ended ? 'its connection has ended' : 'its connection had ended'}`,
  })
  return refusedGrant(REFUSED)
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

// A window of 0 allows no retry, even when the request's clock is behind that of the request that won.
function isRetry(app: App, { replacedAt }: TokenRow): boolean {
  const window = app.config.oauth.refreshReplayWindowInSeconds * 1000
  return window > 0 && app.now().getTime() - (replacedAt ?? 0) <= window
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
