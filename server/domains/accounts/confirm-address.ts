import type { App } from '#server/foundation/app-context'
import type { InStatement, InValue } from '#server/foundation/database/client'

/** Names one user: an SQL condition on `users`, with its values. */
export interface UserCondition {
  sql: string
  args: InValue[]
}

/** Picks the user out as long as nobody has confirmed the address. */
export const unconfirmed = (user: UserCondition): string =>
  `select id from users where email_verified = 0 and kind = 'person' and (${user.sql})`

/** What lets somebody in as the user of `user_id`, beside the password `?`. A new way to sign in adds its table here. */
const OPENS_ALREADY = [
  'select 1 from accounts w where w.user_id = users.id and w.password is not ?',
  ...['sessions', 'passkeys', 'two_factor'].map(table => `select 1 from ${table} w where w.user_id = users.id`),
  'select 1 from oauth_grants w where w.user_id = users.id and w.revoked_at is null',
]
  .map(select => `exists (${select})`)
  .join(' or ')

/**
 * The statements after which the address of an unconfirmed account counts as confirmed, the last of them being the update that
 * says so; they change nothing for a confirmed one. Whatever else opens the account stays, and its owner is asked about it
 * (`claimSince`); only where addresses must be confirmed end those that opened nothing before they were (`neverOpened`).
 * `passwordHash` is the password that is being confirmed together with the address.
 */
export function confirmingStatements(app: App, user: UserCondition, passwordHash = ''): InStatement[] {
  const now = app.now().getTime()
  return [
    ...(app.config.signIn.emailVerification === 'required' ? neverOpened(app, user, passwordHash) : []),
    {
      sql: `update users set claim_since = ? where id in (${unconfirmed(user)}) and (${OPENS_ALREADY})`,
      args: [now, ...user.args, passwordHash],
    },
    {
      sql: `update users set email_verified = 1, security_version = security_version + 1, updated_at = ? where id in (${unconfirmed(user)})`,
      args: [now, ...user.args],
    },
  ]
}

/** Passwords, and sessions and grants from the time of another setting: they would begin to open the account now. */
function neverOpened(app: App, user: UserCondition, passwordHash: string): InStatement[] {
  const mine = `user_id in (${unconfirmed(user)})`
  return [
    {
      sql: `delete from accounts where provider_id = 'credential' and password is not ? and ${mine}`,
      args: [passwordHash, ...user.args],
    },
    { sql: `delete from sessions where ${mine}`, args: user.args },
    {
      sql: `update oauth_grants set revoked_at = ?, revoked_reason = 'unconfirmed' where revoked_at is null and ${mine}`,
      args: [app.now().getTime(), ...user.args],
    },
  ]
}
