import type { App } from '#fairway/server/kernel/app-context'
import type { InStatement, InValue } from '#fairway/server/kernel/database/client'

/** Names one user: an SQL condition on `users`, with its values. */
export interface UserCondition {
  sql: string
  args: InValue[]
}

/** Picks the user out as long as nobody has confirmed the address. */
export const unconfirmed = (user: UserCondition): string =>
  `select id from users where email_verified = 0 and kind = 'person' and (${user.sql})`

/**
 * What says that somebody has used the account: a way in beside the password `?`, or what they left in it. A new way to sign in,
 * and a new thing that others might leave for its owner to trust, adds its table here.
 */
const USED_ALREADY = [
  'select 1 from accounts w where w.user_id = users.id and w.password is not ?',
  ...['sessions', 'passkeys', 'two_factor', 'oauth_grants', 'vault_credentials', 'oauth_tokens'].map(
    table => `select 1 from ${table} w where w.user_id = users.id`,
  ),
  'select 1 from organizations w where w.created_by = users.id',
  'select 1 from org_invitations w where w.invited_by = users.id',
  'select 1 from shares w where w.shared_by = users.id',
]
  .map(select => `exists (${select})`)
  .join(' or ')

/**
 * The statements after which the address of an unconfirmed account counts as confirmed, the last of them being the update that
 * says so; they change nothing for a confirmed one. Where addresses must be confirmed, a password, sessions and grants of an
 * earlier time end, which have opened nothing. Whatever else opens the account or lies in it stays, and its owner is asked about it
 * (`claimSince`). `passwordHash` is the password that is being confirmed together with the address.
 */
export function confirmingStatements(app: App, user: UserCondition, passwordHash?: string): InStatement[] {
  const now = app.now().getTime()
  const mustBeConfirmed = app.config.signIn.emailVerification === 'required'
  const passwordEnds: InStatement = {
    sql: `delete from accounts where provider_id = 'credential' and password is not ? and user_id in (${unconfirmed(user)})`,
    args: [passwordHash ?? '', ...user.args],
  }
  const accessEnds: InStatement[] = [
    { sql: `delete from sessions where user_id in (${unconfirmed(user)})`, args: user.args },
    {
      sql: `update oauth_grants set revoked_at = ?, revoked_reason = 'unconfirmed'
        where revoked_at is null and user_id in (${unconfirmed(user)})`,
      args: [now, ...user.args],
    },
  ]
  return [
    ...(mustBeConfirmed ? [passwordEnds] : []),
    {
      sql: `update users set claim_since = ? where id in (${unconfirmed(user)}) and (${USED_ALREADY})`,
      args: [now, ...user.args, passwordHash ?? ''],
    },
    ...(mustBeConfirmed ? accessEnds : []),
    {
      sql: `update users set email_verified = 1, security_version = security_version + 1, updated_at = ? where id in (${unconfirmed(user)})`,
      args: [now, ...user.args],
    },
  ]
}
