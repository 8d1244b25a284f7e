// The accounts of people, for operators.
import { z } from 'zod'
import type { App } from '#fairway/server/kernel/app-context'
import type { InValue } from '#fairway/server/kernel/database/client'
import { newestPage } from '#fairway/server/kernel/database/newest-page'
import { containsSql, toSought } from '#fairway/server/kernel/folding/fold-sql'
import { isoTime } from '#fairway/server/kernel/dependent-rows'
import { countRows } from '#fairway/server/kernel/owned-rows'
import type { ListedPerson, PersonDetails } from '#fairway/shared/schemas/operator'
import { isOperator } from './person'

// The latest known sign-in, in milliseconds. Known devices stay after their sessions have ended.
const LAST_SIGN_IN = `nullif(max(coalesce((select max(d.last_seen_at) from known_devices d where d.user_id = u.id), 0),
  coalesce((select max(s.created_at) from sessions s where s.user_id = u.id), 0)), 0)`

const COLUMNS = `u.id as id, u.name as name, u.email as email, u.email_verified as emailVerified, u.created_at as createdMs,
  ${isoTime('u.created_at')} as createdAt, ${isoTime(LAST_SIGN_IN)} as lastSignInAt, ${isoTime('u.suspended_at')} as since,
  ${isoTime('u.suspended_until')} as until, u.suspended_reason as reason,
  case when u.suspended_at is null or u.suspended_until <= ? then 0 else 1 end as isSuspended,
  (select c.email from fw_address_changes c where c.user_id = u.id and c.expires_at > ?) as pendingEmail`

const rowSchema = z.object({
  id: z.string(),
  name: z.string(),
  email: z.string(),
  emailVerified: z.number(),
  createdMs: z.number(),
  createdAt: z.string(),
  lastSignInAt: z.string().nullable(),
  since: z.string().nullable(),
  until: z.string().nullable(),
  reason: z.string().nullable(),
  isSuspended: z.number(),
  pendingEmail: z.string().nullable(),
})

function toPerson(app: App, row: z.output<typeof rowSchema>): ListedPerson {
  const { emailVerified, createdMs: _createdMs, since, until, reason, isSuspended, ...shown } = row
  const suspension = isSuspended === 1 ? { since: since ?? '', until, reason: reason ?? '' } : null
  const person = { ...shown, emailVerified: emailVerified === 1, suspension }
  return { ...person, isOperator: isOperator(app, person) }
}

interface ListInput {
  /** Part of the name or address. */
  search?: string
  cursor?: string
  suspended?: boolean
}

/**
 * One page of the accounts of this installation, newest first, 50 per page. `cursor` points to the next page and is null at the
 * end.
 */
export async function listPeople(
  app: App,
  { search = '', cursor, suspended }: ListInput,
): Promise<{ people: ListedPerson[]; cursor: string | null }> {
  const now = app.now().getTime()
  const sought = toSought(search.trim())
  const { rows, ...place } = await newestPage(app.db.client, {
    columns: COLUMNS,
    args: [now, now],
    from: 'users u',
    alias: 'u',
    conditions: [
      { sql: `u.kind = 'person'`, args: [] },
      ...(sought
        ? [{ sql: containsSql('(u.name || char(10) || u.email)').join(' and '), args: [sought.pattern, sought.folded] }]
        : []),
      ...(suspended
        ? [{ sql: 'u.suspended_at is not null and (u.suspended_until is null or u.suspended_until > ?)', args: [now] }]
        : []),
    ],
    cursor,
    parse: row => rowSchema.parse(row),
  })
  return { people: rows.map(row => toPerson(app, row)), ...place }
}

const waySchema = z.object({ provider: z.string(), createdAt: z.string(), lastUsedAt: z.string().nullable() })
const termsSchema = z.object({ version: z.string(), acceptedAt: z.string() })
const sessionsSchema = z.object({
  count: z.number(),
  newestAt: z.string().nullable(),
  lastUsedAt: z.string().nullable(),
})

/** One account for operators, with its sign-in methods, live sessions and accepted terms. Undefined for an unknown id. */
export async function findPersonDetails(
  app: App,
  userId: string,
): Promise<Pick<PersonDetails, 'person' | 'waysIn' | 'sessions' | 'terms'> | undefined> {
  const now = app.now().getTime()
  const of = (sql: string, args: InValue[]) => app.db.client.execute({ sql, args })
  const [people, ways, sessions, terms] = await Promise.all([
    of(`select ${COLUMNS} from users u where u.id = ? and u.kind = 'person'`, [now, now, userId]),
    of(
      `select case provider_id when 'credential' then 'password' else provider_id end as provider,
        ${isoTime('created_at')} as createdAt, ${isoTime('last_used_at')} as lastUsedAt
        from accounts where user_id = ? order by created_at`,
      [userId],
    ),
    of(
      `select count(*) as count, ${isoTime('max(created_at)')} as newestAt,
        ${isoTime('max(coalesce(last_used_at, created_at))')} as lastUsedAt from sessions where user_id = ? and expires_at > ?`,
      [userId, now],
    ),
    of(
      `select version, ${isoTime('accepted_at')} as acceptedAt from fw_terms_acceptances where user_id = ? order by accepted_at desc`,
      [userId],
    ),
  ])
  if (!people.rows[0]) return undefined
  return {
    person: toPerson(app, rowSchema.parse(people.rows[0])),
    waysIn: ways.rows.map(row => waySchema.parse(row)),
    sessions: sessionsSchema.parse(sessions.rows[0]),
    terms: terms.rows.map(row => termsSchema.parse(row)),
  }
}

/** The number of accounts of people. */
export const countPeople = async (app: App): Promise<number> =>
  // Accounts of another kind are few and indexed.
  (await countRows(app.db.client, 'users', [])) - (await countRows(app.db.client, `users where kind = 'dev'`, []))
