import { z } from 'zod'
import type { App } from '#fairway/server/kernel/app-context'
import { newId } from '#fairway/server/kernel/crypto/random'
import type { InStatement } from '#fairway/server/kernel/database/client'
import {
  type DependentRows,
  endGrantsStatements,
  isExported,
  isoTime,
  type SqlPart,
} from '#fairway/server/kernel/dependent-rows'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { withdrawChangeStatements } from './address-change'
import type { Person } from './person'
import { PLATFORM_SETTINGS } from './person-values'

interface ProveAddressInput {
  email: string
  /** The account's security version when the link was used (`spendEmailLink`). */
  securityVersion: number
  /** The name for a new account. */
  name?: string
  /** The password confirmed by this proof. It replaces the password of an unconfirmed account. */
  passwordHash?: string
}

const versionSchema = z.object({ version: z.number() })
const personSchema = z.object({
  userId: z.string(),
  email: z.string(),
  name: z.string(),
  securityVersion: z.number(),
}) satisfies z.ZodType<Person>

/**
 * The account of an address whose mailbox was just proved, created if there is none, in one transaction. Throws
 * `credentials-changed` when the account's sign-ins were ended after the link was used.
 */
export async function verifyEmail(app: App, input: ProveAddressInput): Promise<Person> {
  const { email, name, passwordHash, securityVersion } = input
  const user = { sql: 'email = ?', args: [email] }
  // Must come first: `claimSince` must not be later than the creation of this password.
  const confirming = confirmingStatements(app, user, passwordHash)
  const now = app.now().getTime()
  const results = await app.db.client.batch(
    [
      { sql: 'select security_version as version from users where email = ?', args: [email] },
      newUserStatement(app, { email, name }),
      {
        sql: `insert into accounts (id, user_id, account_id, provider_id, password, created_at, updated_at)
          select ?, id, id, 'credential', ?, ?, ? from users where ? is not null and id in (${unconfirmed(user)})
          on conflict (provider_id, account_id) do update set password = excluded.password, updated_at = excluded.updated_at`,
        args: [newId(), passwordHash ?? null, now, now, passwordHash ?? null, email],
      },
      {
        sql: `update users set name = coalesce(?, name) where id in (${unconfirmed(user)})`,
        args: [name ?? null, email],
      },
      ...confirming,
      {
        sql: 'select id as userId, email, name, security_version as securityVersion from users where email = ?',
        args: [email],
      },
    ],
    'write',
  )
  const [before] = results[0]?.rows ?? []
  if (before && versionSchema.parse(before).version !== securityVersion) throw new AppError('credentials-changed')
  return personSchema.parse(results.at(-1)?.rows[0])
}

/** Records a sign-up with an unconfirmed address. An existing account stays unchanged. */
export async function noteUnprovedAccount(
  app: App,
  { email, name, passwordHash }: { email: string; name: string; passwordHash: string },
): Promise<void> {
  const now = app.now().getTime()
  await app.db.client.batch(
    [
      newUserStatement(app, { email, name }),
      {
        sql: `insert into accounts (id, user_id, account_id, provider_id, password, created_at, updated_at)
          select ?, u.id, u.id, 'credential', ?, ?, ? from users u where u.email = ? and u.email_verified = 0
          and not exists (select 1 from accounts a where a.user_id = u.id) on conflict do nothing`,
        args: [newId(), passwordHash, now, now, email],
      },
    ],
    'write',
  )
}

export interface VouchedPerson {
  /** Lower case. */
  email: string
  emailVerified: boolean
  /** Null keeps the current name. */
  name: string | null
  image: string | null
}

/**
 * Creates the account of this address if there is none, and updates its name, picture and confirmation. Concurrent calls create
 * one account. Returns whether this call has created it.
 */
export async function ensurePerson(app: App, { email, emailVerified, name, image }: VouchedPerson): Promise<boolean> {
  const now = app.now().getTime()
  const [created] = await app.db.client.batch(
    [
      newUserStatement(app, { email, name, emailVerified, image }),
      ...(emailVerified ? confirmingStatements(app, { sql: 'email = ?', args: [email] }) : []),
      {
        sql: 'update users set name = coalesce(?, name), image = coalesce(?, image), updated_at = ? where email = ?',
        args: [name, image, now, email],
      },
    ],
    'write',
  )
  return created?.rowsAffected === 1
}

interface NewUser {
  email: string
  /** Default: the local part of the address. */
  name?: string | null
  emailVerified?: boolean
  image?: string | null
}

/** The statement that creates the account of an address if there is none. Concurrent calls create one account. */
export function newUserStatement(app: App, { email, name, emailVerified = false, image = null }: NewUser): InStatement {
  const now = app.now().getTime()
  return {
    sql: `insert into users (id, name, email, email_verified, image, kind, created_at, updated_at)
      values (?, ?, ?, ?, ?, 'person', ?, ?) on conflict do nothing`,
    args: [newId(), name ?? localPartOf(email), email, Number(emailVerified), image, now, now],
  }
}

/** The part of an address before the @, as the name of a new account. */
export const localPartOf = (email: string): string => email.slice(0, email.indexOf('@')).slice(0, 100)

/** Selects the user that matches a condition on `users`, while the address is unconfirmed. */
const unconfirmed = (user: SqlPart): string =>
  `select id from users where email_verified = 0 and kind = 'person' and (${user.sql})`

/**
 * Finds earlier use of an account: a sign-in method other than the password `?`, a session, and the rows that other domains
 * declare (`uses`). A new sign-in method, or new data that an owner might trust, must add its table.
 */
const WAYS_IN = [
  'select 1 from accounts w where w.user_id = users.id and w.password is not ?',
  'select 1 from sessions w where w.user_id = users.id',
]

const usedAlready = ({ dependents }: App): string =>
  [...WAYS_IN, ...dependents.flatMap(rows => rows.uses?.('users.id') ?? [])]
    .map(select => `exists (${select})`)
    .join(' or ')

/**
 * The statements that confirm the address of an unconfirmed account; the update of the flag is the final one. They change
 * nothing for a confirmed account. Where addresses must be confirmed, earlier passwords, sessions and grants end; they had no
 * access yet. Other sign-in methods and data stay, and the owner reviews them (`claimSince`). `passwordHash` is the password
 * that is confirmed together with the address.
 */
export function confirmingStatements(app: App, user: SqlPart, passwordHash?: string): InStatement[] {
  const now = app.now().getTime()
  const mustBeConfirmed = app.config.signIn.emailVerification === 'required'
  const passwordEnds: InStatement = {
    sql: `delete from accounts where provider_id = 'credential' and password is not ? and user_id in (${unconfirmed(user)})`,
    args: [passwordHash ?? '', ...user.args],
  }
  const accessEnds: InStatement[] = [
    { sql: `delete from sessions where user_id in (${unconfirmed(user)})`, args: user.args },
    ...endGrantsStatements(app, { sql: `user_id in (${unconfirmed(user)})`, args: user.args }, 'unconfirmed'),
  ]
  return [
    ...(mustBeConfirmed ? [passwordEnds] : []),
    {
      sql: `update users set claim_since = ? where id in (${unconfirmed(user)}) and (${usedAlready(app)})`,
      args: [now, ...user.args, passwordHash ?? ''],
    },
    ...(mustBeConfirmed ? accessEnds : []),
    {
      sql: `update users set email_verified = 1, security_version = security_version + 1, updated_at = ? where id in (${unconfirmed(user)})`,
      args: [now, ...user.args],
    },
  ]
}

/**
 * Whether the person in this column has an account at a provider and, if given, of a domain or tenant. These are the
 * statement's next two values.
 */
export const usesProvider = (userId: string): string =>
  `exists (select 1 from accounts a where a.user_id = ${userId} and a.provider_id = ?
    and coalesce(?, a.provider_domain, '') = coalesce(a.provider_domain, ''))`

const platformSettings = [...PLATFORM_SETTINGS].map(key => `'${key}'`).join(', ')

/**
 * A person's account. Settings by the person and by applications move with local data. Everything is exported and deleted with
 * the person.
 */
export const peopleRows: DependentRows = {
  movesWithPerson: { application_state: '1', user_settings: `key not in (${platformSettings})` },
  leftByStranger: (_clock, { userId }) => [
    ...withdrawChangeStatements(userId),
    // A stranger cannot accept terms for the owner.
    { sql: 'delete from fw_terms_acceptances where user_id = ?', args: [userId] },
    { sql: 'update users set terms_version = null where id = ?', args: [userId] },
  ],
  forgetOrganization: ({ sql, args }) =>
    ['application_state', 'fw_notifications'].map(table => ({ sql: `delete from ${table} where ${sql}`, args })),
  ofPerson(person) {
    const { userId } = person
    const isIn = isExported('org_id', person)
    const of = (sql: string) => ({ sql, args: [userId] })
    return {
      profile:
        of(`select id, name, email, email_verified as emailVerified, image, ${isoTime('created_at')} as createdAt,
        ${isoTime('suspended_at')} as suspendedAt, ${isoTime('suspended_until')} as suspendedUntil, suspended_reason as suspendedReason
        from users where id = ?`),
      picture: of(`select type, bytes, ${isoTime('created_at')} as createdAt from fw_user_pictures where user_id = ?`),
      signIns:
        of(`select provider_id as provider, case provider_id when 'credential' then null else account_id end as account,
        ${isoTime('created_at')} as createdAt from accounts where user_id = ? order by created_at`),
      sessions:
        of(`select provider, ip_address as address, user_agent as userAgent, ${isoTime('created_at')} as createdAt,
        ${isoTime('last_used_at')} as lastUsedAt, ${isoTime('expires_at')} as expiresAt from sessions where user_id = ? order by created_at`),
      devices: of(`select device, ${isoTime('first_seen_at')} as firstSeenAt, ${isoTime('last_seen_at')} as lastSeenAt
        from known_devices where user_id = ? order by first_seen_at`),
      terms: of(`select version, ${isoTime('accepted_at')} as acceptedAt from fw_terms_acceptances
        where user_id = ? order by accepted_at`),
      notifications: {
        sql: `select org_id as organization, name, title, text, href, ${isoTime('created_at')} as createdAt, ${isoTime('read_at')} as readAt
          from fw_notifications where user_id = ? and ${isIn.sql} order by id`,
        args: [userId, ...isIn.args],
      },
      settings: of('select key, value from user_settings where user_id = ? order by key'),
      applicationState: {
        sql: `select org_id as organization, key, value, ${isoTime('updated_at')} as updatedAt
          from application_state where user_id = ? and ${isIn.sql} order by org_id, key`,
        args: [userId, ...isIn.args],
      },
    }
  },
  forgetPerson: ({ userId }) =>
    [
      'fw_user_pictures',
      'fw_address_changes',
      'fw_terms_acceptances',
      'fw_notifications',
      'fw_inbox_signals',
      'application_state',
      'user_settings',
      'known_devices',
      'accounts',
      'sessions',
    ].map(table => ({ sql: `delete from ${table} where user_id = ?`, args: [userId] })),
}
