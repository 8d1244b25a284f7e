import { eq, inArray } from 'drizzle-orm'
import type { App } from '#fairway/server/kernel/app-context'
import { type Config, DEV_EMAIL, LEGACY_LOCAL_EMAIL } from '#fairway/server/kernel/config/config'
import type { InStatement } from '#fairway/server/kernel/database/client'
import { AppError } from '#fairway/server/kernel/http/app-error'
import type { Session } from '#fairway/shared/schemas/session'
import { users } from './tables'

/** An account as sign-in works with it. */
export interface Person {
  userId: string
  email: string
  name: string
  /** What a session for this person has to be made under (`mintSession`). */
  securityVersion: number
}

/** The account with this address or this id; undefined when there is none. An address is compared as accounts have it: trimmed, lower case. */
export async function findPerson(
  app: App,
  by: { email: string } | { userId: string },
): Promise<(Person & { emailVerified: boolean; claimSince: Date | null; kind: 'person' | 'dev' }) | undefined> {
  const { id: userId, email, name, securityVersion, emailVerified, claimSince, kind } = users
  const [row] = await app.db.orm
    .select({ userId, email, name, securityVersion, emailVerified, claimSince, kind })
    .from(users)
    .where('email' in by ? eq(email, by.email.trim().toLowerCase()) : eq(userId, by.userId))
  return row
}

/** Whether the user runs this installation (`FW_OPERATORS`); only a confirmed address says so. */
export const isOperator = (app: App, session: Pick<Session, 'email' | 'emailVerified'>): boolean =>
  session.emailVerified && app.config.operators.includes(session.email.trim().toLowerCase())

/** Throws `not-found` for users who are no operators: they need not know that there is something. */
export function requireOperator(app: App, session: Session): void {
  if (!isOperator(app, session)) throw new AppError('not-found')
}

/** Whether it is open whose an account is (`isOpen`); no row where the account, or the session (twice a value) that asks, is gone. */
export const OPEN_CLAIM = `select claim_since is not null as isOpen from users
  where id = ? and email = ? and (? is null or exists (select 1 from sessions where id = ?))`

/** The statement that deletes an account, when all that depends on it is gone. */
export const deletePersonStatement = (userId: string): InStatement => ({
  sql: 'delete from users where id = ?',
  args: [userId],
})
/** The id of the person of an address, for a filter: undefined without an address, and an id that no row has for an unknown one. */
export async function findPersonId(app: App, email: string | undefined): Promise<string | undefined> {
  if (email === undefined || email === '') return undefined
  return (await findPerson(app, { email }))?.userId ?? ''
}

/** Rows that name a person, each with their address and name; null for nobody and for those who are gone. */
export async function withPeople<T extends { userId: string | null }>(
  app: App,
  rows: readonly T[],
): Promise<(T & { email: string | null; name: string | null })[]> {
  const ids = [...new Set(rows.flatMap(({ userId }) => userId ?? []))]
  const found = ids.length === 0 ? [] : await app.db.orm.select().from(users).where(inArray(users.id, ids))
  const people = new Map(found.map(person => [person.id, person]))
  return rows.map(row => {
    const person = people.get(row.userId ?? '')
    return { ...row, email: person?.email ?? null, name: person?.name ?? null }
  })
}

/** The end of a suspension that has none, in milliseconds. */
const NO_END = Number.MAX_SAFE_INTEGER

/** Until when an account is suspended, in milliseconds; 0 for an active account. `table` has the columns of the account. */
export const suspendedUntilSql = (table: string): string =>
  `case when ${table}.suspended_at is null then 0 else coalesce(${table}.suspended_until, ${NO_END}) end`

/** The refusal of a suspended account. `until` is the end of the suspension in milliseconds. */
export function suspendedError(until: number, reason?: string): AppError {
  const end = until === NO_END ? null : new Date(until).toISOString()
  const detail = [reason && `Reason: ${reason}`, end && `The suspension ends at ${end}.`].filter(Boolean).join(' ')
  return new AppError('account-suspended', {
    ...(detail ? { detail } : {}),
    extra: { until: end, ...(reason === undefined ? {} : { reason }) },
  })
}

/** Who a person is, as statements of other domains read it (`personColumns`). */
export interface PersonRow {
  userId: string
  email: string
  emailVerified: number
  name: string
  image: string | null
  kind: 'person' | 'dev'
  /** 1 while the owner of the address may say whose the account is. */
  isClaimOpen: number
  /** The version of the terms that the person accepted last. */
  termsVersion: string | null
  /** Until when the account is suspended, in milliseconds: 0 for an active account, `NO_END` for a suspension without an end. */
  suspendedUntil: number
}

/** The accounts as `u`, for statements that begin with them. */
export const PEOPLE = 'users u'

/** Joins the account (`u`) whose id, or whose address, is in this column; `left ` before it keeps rows without one. */
export const personJoin = (column: string, by: 'id' | 'email' = 'id'): string => `join users u on u.${by} = ${column}`

/** The columns of a `PersonRow`, for statements that have the account as `u`. */
export const personColumns = `u.id as userId, u.email as email, u.email_verified as emailVerified, u.name as name, u.image as image,
    u.kind as kind, u.claim_since is not null as isClaimOpen, u.terms_version as termsVersion, ${suspendedUntilSql('u')} as suspendedUntil`

type OpenConfig = Pick<Config, 'environment' | 'authDisabled' | 'customSignIn' | 'signIn'>

/** The provider of the fixed identity of `AUTH_DISABLED`. */
export const AUTH_DISABLED_PROVIDER = 'auth-disabled'

/** Whether an account is no person's own: the development account, or the shared identity of older applications. */
export const isLocalIdentity = ({ email, kind }: { email: string; kind: string }): boolean =>
  kind === 'dev' || email === DEV_EMAIL || email === LEGACY_LOCAL_EMAIL

/**
 * Whether an account opens anything here, by whatever credential: the identity of older applications never, the development
 * account in production only as the fixed identity of `AUTH_DISABLED` (`provider` is how the person proved who they are), and an
 * account whose address must be confirmed and is not, nothing.
 */
export function mayOpen(
  { email, kind, emailVerified, provider }: { email: string; kind: string; emailVerified: boolean; provider: string },
  { environment, authDisabled, customSignIn, signIn }: OpenConfig,
): boolean {
  if (email === LEGACY_LOCAL_EMAIL) return false
  const isFixed = authDisabled !== undefined && provider === AUTH_DISABLED_PROVIDER
  if (isLocalIdentity({ email, kind }) && environment === 'production' && !isFixed) return false
  // The setting may have changed since the session, grant or token was made.
  const mustBeConfirmed = signIn.emailVerification === 'required' && !customSignIn && kind === 'person'
  return emailVerified || !mustBeConfirmed
}

/** `mayOpen` as a condition on the account (`u`); `provider` is the column that says how the person proved who they are. */
export function mayOpenSql({ environment, authDisabled, customSignIn, signIn }: OpenConfig, provider: string): string {
  const isOwn = `(u.kind <> 'dev' and u.email <> '${DEV_EMAIL}')`
  const mustBeConfirmed = signIn.emailVerification === 'required' && !customSignIn
  return [
    `u.email <> '${LEGACY_LOCAL_EMAIL}'`,
    ...(environment === 'production'
      ? [authDisabled ? `(${isOwn} or ${provider} = '${AUTH_DISABLED_PROVIDER}')` : isOwn]
      : []),
    ...(mustBeConfirmed ? [`(u.email_verified = 1 or u.kind <> 'person')`] : []),
  ].join(' and ')
}

/** Finds the local identities of a database: `id` and `email` of each. */
export const LOCAL_PEOPLE = `select id, email from users where kind = 'dev' or email in ('${DEV_EMAIL}', '${LEGACY_LOCAL_EMAIL}')`
