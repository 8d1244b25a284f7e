import type { App } from '#server/foundation/app-context'
import type { InStatement, InValue } from '#server/foundation/database/client'

/** Every table whose rows let somebody in as the user of `user_id`. A new way to sign in adds its table here. */
const waysIn = ['sessions', 'accounts', 'passkeys', 'passkey_challenges', 'two_factor', 'oauth_grants']

/** Names one user: an SQL condition on `users`, with its values. */
export interface UserCondition {
  sql: string
  args: InValue[]
}

/** Picks the user out as long as nobody has confirmed the address. */
export const unconfirmed = (user: UserCondition): string =>
  `select id from users where email_verified = 0 and kind = 'person' and (${user.sql})`

/** The statements that take every password, session and linked provider from an account whose address nobody had confirmed. */
export const emptyingStatements = (user: UserCondition): InStatement[] =>
  waysIn.map(table => ({ sql: `delete from ${table} where user_id in (${unconfirmed(user)})`, args: user.args }))

/** The statement after which the address counts as confirmed. */
export const confirmingStatement = (app: App, user: UserCondition): InStatement => ({
  sql: `update users set email_verified = 1, updated_at = ? where id in (${unconfirmed(user)})`,
  args: [app.now().getTime(), ...user.args],
})

/** The statements that give an account whose address nobody had confirmed to the owner of the address. They change nothing for a confirmed address. */
export const promotionStatements = (app: App, user: UserCondition): InStatement[] => [
  ...emptyingStatements(user),
  confirmingStatement(app, user),
]
