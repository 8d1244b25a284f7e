// Suspends and reactivates accounts: an operator enters a reason and, optionally, an end.
import { z } from 'zod'
import type { App } from '#fairway/server/kernel/app-context'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { fieldError } from '#fairway/server/kernel/http/field-errors'
import { mailContent, mailTime } from '#fairway/server/kernel/mail/mail-content'
import { messagesOf } from '#fairway/server/kernel/messages'
import { recordSecurityEvent } from '#fairway/server/kernel/security-events/record-security-event'
import { SIGN_IN_PATH } from '#fairway/shared/paths'
import { mailNotice } from './devices'
import { endSessionsStatements } from './end-access'
import { findPerson, isOperator, suspendedError, suspendedUntilSql } from './person'

interface SuspendInput {
  userId: string
  /** The ID of the operator. */
  by: string
  reason: string
  /** When the suspension ends; null for one without an end. */
  until: Date | null
}

/**
 * Suspends an account, or changes the reason and end of its suspension. Its sessions and sign-ins under way end in the same
 * transaction. Grants and tokens stay and are refused during the suspension. Throws `not-found`, `cannot-suspend` for operators
 * and oneself, and `invalid-input` for an end in the past.
 */
export async function suspendPerson(app: App, { userId, by, reason, until }: SuspendInput): Promise<void> {
  const person = await requirePerson(app, userId)
  if (userId === by || isOperator(app, person)) throw new AppError('cannot-suspend')
  const now = app.now().getTime()
  if (until && until.getTime() <= now)
    throw new AppError('invalid-input', {
      errors: [fieldError('until', 'too-small', { least: new Date(now).toISOString() })],
    })
  await app.db.client.batch(
    [
      {
        sql: `update users set suspended_at = ?, suspended_until = ?, suspended_reason = ?, updated_at = ? where id = ?`,
        args: [now, until?.getTime() ?? null, reason, now, userId],
      },
      ...endSessionsStatements(app, { userId }),
    ],
    'write',
  )
  await recordSecurityEvent(app, { kind: 'account-suspended', userId, reason })
  const href = app.config.baseUrl + SIGN_IN_PATH
  mailNotice(app, userId, ({ language, timeZone }) => {
    const end = until ? mailTime(until, language, timeZone) : messagesOf(language).mailWords.noEnd
    return mailContent(app, 'account-suspended', { values: { why: reason, until: end }, href, language })
  })
}

/** Ends the suspension of an account. Throws `not-found`. An account that is not suspended stays unchanged. */
export async function reactivatePerson(app: App, userId: string): Promise<void> {
  await requirePerson(app, userId)
  const { rowsAffected } = await app.db.client.execute({
    sql: `update users set suspended_at = null, suspended_until = null, suspended_reason = null, updated_at = ?
      where id = ? and suspended_at is not null`,
    args: [app.now().getTime(), userId],
  })
  if (rowsAffected === 0) return
  await recordSecurityEvent(app, { kind: 'account-reactivated', userId, reason: 'by an operator' })
  const href = app.config.baseUrl + SIGN_IN_PATH
  mailNotice(app, userId, ({ language }) => mailContent(app, 'account-reactivated', { values: {}, href, language }))
}

/** Signs a person out everywhere, including sign-ins under way. Returns how many sessions were deleted. Throws `not-found`. */
export async function endSessionsOf(app: App, userId: string): Promise<number> {
  await requirePerson(app, userId)
  const [ended] = await app.db.client.batch(endSessionsStatements(app, { userId }), 'write')
  const count = ended?.rowsAffected ?? 0
  if (count > 0) await recordSecurityEvent(app, { kind: 'sessions-revoked', userId, reason: String(count) })
  return count
}

async function requirePerson(app: App, userId: string) {
  const person = await findPerson(app, { userId })
  if (person?.kind !== 'person') throw new AppError('not-found')
  return person
}

const rowSchema = z.object({ until: z.number(), reason: z.string().nullable() })

/** Throws `account-suspended`, with the reason and the end, while the account is suspended. */
export async function checkNotSuspended(app: App, userId: string): Promise<void> {
  const find = app.memo('find-suspension', () =>
    app.db.prepareRead<object>(
      `select ${suspendedUntilSql('users')} as until, suspended_reason as reason from users where id = ?`,
    ),
  )
  const [row] = await find([userId])
  const { until, reason } = row ? rowSchema.parse(row) : { until: 0, reason: null }
  if (until > app.now().getTime()) throw suspendedError(until, reason ?? undefined)
}
