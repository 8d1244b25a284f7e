import { personJoin } from '#fairway/server/domains/people'
import type { App } from '#fairway/server/kernel/app-context'
import { hmac, sha256 } from '#fairway/server/kernel/crypto/hash'
import { knownScopes, type Scope, toolScopes } from '#fairway/shared/scopes'
import { checkResource } from './endpoints'
import { type GrantRow, grantColumns, toGrantRow } from './grant-row'
import { REFRESH_IDLE_IN_MS } from './lifetimes'
import { hasLiveGrant } from './live-grant-sql'
import { answerReplay, type RefreshUse } from './refresh-replay'
import { type TokenAnswer, tokenAnswer } from './token-answer'
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
  const [replaced, , found] = await app.db.client.batch(
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
          where r.hash = ? and r.replaced_by = ? and r.replaced_at = ? on conflict (hash) do nothing`,
        args: [now, now + REFRESH_IDLE_IN_MS, hash, successor.hash, now],
      },
      {
        sql: `select ${grantColumns} from oauth_refresh_tokens r join oauth_grants g on g.id = r.grant_id
          ${personJoin('g.user_id')} where r.hash = ?`,
        args: [hash],
      },
    ],
    'write',
  )
  const grant = replaced?.rowsAffected === 1 ? toGrantRow(found?.rows[0]) : undefined
  return grant && { grant, successor: successor.token }
}

/** Every scope of a JSON list is part of the grant; its one parameter is the list. */
const HAS_SCOPES = `not exists (select 1 from json_each(?) asked join oauth_grants g on g.id = oauth_refresh_tokens.grant_id
  where instr(' ' || g.scope || ' ', ' ' || asked.value || ' ') = 0)`
