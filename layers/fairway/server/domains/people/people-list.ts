// The accounts of people, for operators.
import { and, eq, gt, isNotNull, isNull, or, sql } from 'drizzle-orm'
import { z } from 'zod'
import type { App } from '#fairway/server/kernel/app-context'
import type { InValue } from '#fairway/server/kernel/database/client'
import { type CountedQuery, readSortedTotal } from '#fairway/server/kernel/database/read-sorted'
import { withValues } from '#fairway/server/kernel/database/orm'
import { rowsThatMayContain } from '#fairway/server/kernel/folding/trigrams'
import { containsText, foldedSql } from '#fairway/server/kernel/folding/fold-sql'
import { isoTime } from '#fairway/server/kernel/dependent-rows'
import { countRows } from '#fairway/server/kernel/owned-rows'
import type { ListedPerson, PersonDetails, PersonInList } from '#fairway/shared/schemas/operator'
import type { Total } from '#fairway/shared/schemas/total'
import { isOperator, PERSON_TEXT } from './person'
import { shownNameSql, shownPersonSql, toShownPerson } from './shown-person'
import { users } from './tables'

// Known devices stay after their sessions have ended.
const LAST_SIGN_IN = sql<number>`max(coalesce((select max(d.last_seen_at) from known_devices d where d.user_id = users.id), 0),
  coalesce((select max(s.created_at) from sessions s where s.user_id = users.id), 0))`

/** What each order compares. */
const ORDERS = {
  name: sql.raw(foldedSql(shownNameSql('users'))),
  createdAt: users.createdAt,
  lastSignInAt: LAST_SIGN_IN,
}
const NEWEST_FIRST = { field: 'createdAt', isDescending: true } as const

const selectPeople = (app: App, sortValue = sql<string | number>`0`) =>
  app.db.orm
    .select({
      person: sql<string>`${sql.raw(shownPersonSql('users'))}`,
      id: users.id,
      email: users.email,
      emailVerified: users.emailVerified,
      createdAt: users.createdAt,
      hasSecondFactor: sql`users.second_factor_since is not null or users.passkey_since is not null`.mapWith(Boolean),
      since: users.suspendedAt,
      until: users.suspendedUntil,
      reason: users.suspendedReason,
      lastSignInMs: LAST_SIGN_IN,
      sortValue,
      pendingEmail: sql<string | null>`(select c.email from fw_address_changes c
        where c.user_id = users.id and c.expires_at > ${app.now().getTime()})`,
    })
    .from(users)

type PersonRow = Omit<Awaited<ReturnType<typeof selectPeople>>[number], 'sortValue'>

function toPerson(
  app: App,
  { person, since, until, reason, createdAt, lastSignInMs, ...shown }: PersonRow,
): ListedPerson & Pick<PersonInList, 'hasSecondFactor'> {
  const isSuspended = since !== null && (until === null || until > app.now())
  return {
    ...toShownPerson(person),
    ...shown,
    createdAt: createdAt.toISOString(),
    lastSignInAt: lastSignInMs === 0 ? null : new Date(lastSignInMs).toISOString(),
    suspension: isSuspended
      ? { since: since.toISOString(), until: until?.toISOString() ?? null, reason: reason ?? '' }
      : null,
    isOperator: isOperator(app, shown),
  }
}

interface ListInput extends CountedQuery<keyof typeof ORDERS> {
  /** Part of the name or address. */
  search?: string
  suspended?: boolean
}

/** Returns one page of the accounts of this installation, by default newest first. */
export async function listPeople(
  app: App,
  { search = '', suspended, ...query }: ListInput,
): Promise<{ people: ReturnType<typeof toPerson>[]; cursor: string | null } & Total> {
  const mayContain = await rowsThatMayContain(app, PERSON_TEXT, search)
  const isWanted = and(
    eq(users.kind, 'person'),
    mayContain && sql`${users.id} in (${withValues(mayContain.sql, mayContain.args)})`,
    containsText(sql.raw(PERSON_TEXT.textOf('users')), search.trim()),
    suspended
      ? and(isNotNull(users.suspendedAt), or(isNull(users.suspendedUntil), gt(users.suspendedUntil, app.now())))
      : undefined,
  )
  const list = { values: ORDERS, id: users.id, from: users, where: isWanted, first: NEWEST_FIRST }
  const { rows, ...page } = await readSortedTotal(app.db.orm, list, query, ({ sortValue, isOnPage, orderBy }) =>
    selectPeople(app, sortValue).where(isOnPage).orderBy(orderBy),
  )
  return { people: rows.map(row => toPerson(app, row)), ...page }
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
  const [[person], ways, sessions, terms] = await Promise.all([
    selectPeople(app).where(and(eq(users.id, userId), eq(users.kind, 'person'))),
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
  if (!person) return undefined
  return {
    person: toPerson(app, person),
    waysIn: ways.rows.map(row => waySchema.parse(row)),
    sessions: sessionsSchema.parse(sessions.rows[0]),
    terms: terms.rows.map(row => termsSchema.parse(row)),
  }
}

/** The number of accounts of people. */
export const countPeople = async (app: App): Promise<number> =>
  // Accounts of another kind are few and indexed.
  (await countRows(app.db.client, 'users', [])) - (await countRows(app.db.client, `users where kind = 'dev'`, []))
