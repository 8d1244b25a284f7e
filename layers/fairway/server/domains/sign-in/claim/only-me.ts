import { endGrantsOf, endSessionsStatements } from '#fairway/server/domains/people'
import { removeBroughtInStatements } from '#fairway/server/domains/organizations'
import type { App } from '#fairway/server/kernel/app-context'
import type { InStatement, InValue } from '#fairway/server/kernel/database/client'

export interface Claimant {
  userId: string
  /** The session that decides, which goes on; null where sessions are not ours. */
  sessionId: string | null
}

/** The condition that the question is still open and that the session that answers it is still there and proved the address. */
export const isOpenFor = ({ userId, sessionId }: Claimant): { sql: string; args: InValue[] } => ({
  sql: `exists (select 1 from users where id = ? and claim_since is not null) and (? is null or exists (
    select 1 from sessions where id = ? and user_id = ? and proves_address = 1))`,
  args: [userId, sessionId, sessionId, userId],
})

/**
 * The row of `accounts` came with the sign-in that decides: the link of its provider, or the password that was set by the same mail.
 * A password that is merely newer than the question proves nothing: who knew the old one may have changed it.
 */
export const OWN_PROOF = `exists (select 1 from sessions s join users u on u.id = s.user_id
  where s.id = ? and s.user_id = accounts.user_id and accounts.updated_at >= u.claim_since and case accounts.provider_id
    when 'credential' then s.provider = 'password' and s.created_at >= accounts.updated_at
    else s.provider = accounts.provider_id end)`

/** What a stranger may have left behind or has under way, for the user `?`; a new place for such things adds its row. */
const LEFT_BEHIND = [
  'delete from passkeys where user_id = ?',
  'delete from passkey_challenges where user_id = ?',
  // The backup codes and the sign-ins that wait for a code go with it.
  'delete from two_factor where user_id = ?',
  'delete from vault_credentials where user_id = ?',
  'delete from vault_credentials where org_id in (select id from organizations where created_by = ?)',
  'delete from oauth_tokens where user_id = ?',
  'delete from connection_states where user_id = ?',
  'delete from shares where shared_by = ?',
  'delete from identity_codes where user_id = ?',
  'delete from desktop_ceremonies where exchanged_at is null and user_id = ?',
]

/** The statements of “Only me from now on”, of which each does nothing once the question is answered; the last one answers it. */
export function onlyMeStatements(app: App, claimant: Claimant): InStatement[] {
  const { userId, sessionId } = claimant
  const when = isOpenFor(claimant)
  const now = app.now().getTime()
  const whileOpen = (sql: string, args: InValue[]): InStatement => ({
    sql: `${sql} and ${when.sql}`,
    args: [...args, ...when.args],
  })
  return [
    whileOpen(`delete from accounts where user_id = ? and not ${OWN_PROOF}`, [userId, sessionId]),
    ...LEFT_BEHIND.map(sql => whileOpen(sql, [userId])),
    ...['embed_tickets', 'embed_tokens'].map(table =>
      whileOpen(`delete from ${table} where user_id = ? and session_id is not ?`, [userId, sessionId ?? '']),
    ),
    whileOpen(`update a2a_approvals set status = 'declined', decided_at = ? where status = 'pending' and user_id = ?`, [
      now,
      userId,
    ]),
    whileOpen(
      'update email_links set used_at = ? where used_at is null and email = (select email from users where id = ?)',
      [now, userId],
    ),
    ...removeBroughtInStatements(app, { userId, when }),
    ...endGrantsOf(app, { userId, reason: 'claimed', when }),
    ...endSessionsStatements(app, { userId, when, except: { sql: 'id is ?', args: [sessionId] } }),
    answeredStatement(claimant),
  ]
}

/** The statement after which the question is answered; it changes a row for one of any number of answers at once. */
export function answeredStatement(claimant: Claimant): InStatement {
  const when = isOpenFor(claimant)
  return {
    sql: `update users set claim_since = null where id = ? and ${when.sql}`,
    args: [claimant.userId, ...when.args],
  }
}
