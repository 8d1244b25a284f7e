import { eq } from 'drizzle-orm'
import type { App } from '#fairway/server/kernel/app-context'
import { type Config, DEV_EMAIL, LEGACY_LOCAL_EMAIL } from '#fairway/server/kernel/config/config'
import type { InStatement } from '#fairway/server/kernel/database/client'
import type { SearchedText } from '#fairway/server/kernel/folding/trigrams'
import { AppError } from '#fairway/server/kernel/http/app-error'
import type { Session } from '#fairway/shared/schemas/session'
import { users } from './tables'

/** An account, as used by sign-in. */
export interface Person {
  userId: string
  email: string
  name: string
  /** The security version required for a session of this person (`mintSession`). */
  securityVersion: number
}

/** The account with this address or id; undefined when there is none. The address must be in stored form: trimmed, lower case. */
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

/** Whether the user is an operator of this installation (`FW_OPERATORS`). Requires a confirmed address; a service account is none. */
export const isOperator = (
  app: App,
  session: Pick<Session, 'email' | 'emailVerified'> & Partial<Pick<Session, 'serviceAccount'>>,
): boolean =>
  session.emailVerified && !session.serviceAccount && app.config.operators.includes(session.email.trim().toLowerCase())

/** Throws `not-found` for users who are not operators, so that they do not learn that the route exists. */
export function requireOperator(app: App, session: Session): void {
  if (!isOperator(app, session)) throw new AppError('not-found')
}

/**
 * Whether the account is unclaimed (`isOpen`). Returns no row when the account or the current session no longer exists. The
 * session's id is a value twice.
 */
export const OPEN_CLAIM = `select claim_since is not null as isOpen from users
  where id = ? and email = ? and (? is null or exists (select 1 from sessions where id = ?))`

/** The statement that deletes an account after all dependent rows are deleted. */
export const deletePersonStatement = (userId: string): InStatement => ({
  sql: 'delete from users where id = ?',
  args: [userId],
})
/**
 * The ID of the person with an address, for a filter. Undefined without an address; an id without a row for an unknown address.
 */
export async function findPersonId(app: App, email: string | undefined): Promise<string | undefined> {
  if (email === undefined || email === '') return undefined
  return (await findPerson(app, { email }))?.userId ?? ''
}

/** The end of an unlimited suspension, in milliseconds. */
const NO_END = Number.MAX_SAFE_INTEGER

/** When the suspension of an account ends, in milliseconds; 0 for an active account. `table` has the columns of the account. */
export const suspendedUntilSql = (table: string): string =>
  `case when ${table}.suspended_at is null then 0 else coalesce(${table}.suspended_until, ${NO_END}) end`

/** The error for a suspended account. `until` is the end of the suspension in milliseconds. */
export function suspendedError(until: number, reason?: string): AppError {
  const end = until === NO_END ? null : new Date(until).toISOString()
  const detail = [reason && `Reason: ${reason}`, end && `The suspension ends at ${end}.`].filter(Boolean).join(' ')
  return new AppError('account-suspended', {
    ...(detail ? { detail } : {}),
    extra: { until: end, ...(reason === undefined ? {} : { reason }) },
  })
}

/** A person, as read by statements of other domains (`personColumns`). */
export interface PersonRow {
  userId: string
  email: string
  emailVerified: number
  name: string
  image: string | null
  kind: 'person' | 'dev'
  /** 1 while the owner of the address can still claim the account. */
  isClaimOpen: number
  /** The most recent version of the terms that the person accepted. */
  termsVersion: string | null
  /** When the suspension ends, in milliseconds: 0 for an active account, `NO_END` for an unlimited suspension. */
  suspendedUntil: number
}

/** The accounts as `u`, for statements that start with them. */
export const PEOPLE = 'users u'

/** The text of a person that searches compare: the name and the address. */
export const PERSON_TEXT: SearchedText = {
  name: 'fw_person_text',
  table: 'users',
  columns: ['name', 'email'],
  textOf: row => `(${row}.name || char(10) || ${row}.email)`,
}

/** Joins the account (`u`) whose id or address is in this column. Prefix it with `left ` to keep rows without one. */
export const personJoin = (column: string, by: 'id' | 'email' = 'id'): string => `join users u on u.${by} = ${column}`

/** The columns of a `PersonRow`, for statements that have the account as `u`. */
export const personColumns = `u.id as userId, u.email as email, u.email_verified as emailVerified, u.name as name, u.image as image,
    u.kind as kind, u.claim_since is not null as isClaimOpen, u.terms_version as termsVersion, ${suspendedUntilSql('u')} as suspendedUntil`

type OpenConfig = Pick<Config, 'environment' | 'authDisabled' | 'customSignIn' | 'signIn'>

/** The provider of the fixed identity of `AUTH_DISABLED`. */
export const AUTH_DISABLED_PROVIDER = 'auth-disabled'

/** Whether an account is not a person's own: the development account, or the shared identity of older applications. */
export const isLocalIdentity = ({ email, kind }: { email: string; kind: string }): boolean =>
  kind === 'dev' || email === DEV_EMAIL || email === LEGACY_LOCAL_EMAIL

/**
 * Whether an account can be used here with any credential. Refused are: the identity of older applications; in production, the
 * development account, except as the fixed identity of `AUTH_DISABLED`; and an unconfirmed account where confirmation is
 * required. `provider` is the sign-in method.
 */
export function mayOpen(
  { email, kind, emailVerified, provider }: { email: string; kind: string; emailVerified: boolean; provider: string },
  { environment, authDisabled, customSignIn, signIn }: OpenConfig,
): boolean {
  if (email === LEGACY_LOCAL_EMAIL) return false
  const isFixed = authDisabled !== undefined && provider === AUTH_DISABLED_PROVIDER
  if (isLocalIdentity({ email, kind }) && environment === 'production' && !isFixed) return false
  // The setting may have changed after the session, grant or token was created.
  const mustBeConfirmed = signIn.emailVerification === 'required' && !customSignIn && kind === 'person'
  return emailVerified || !mustBeConfirmed
}

/** `mayOpen` as a condition on the account (`u`). `provider` is the column of the sign-in method. */
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
