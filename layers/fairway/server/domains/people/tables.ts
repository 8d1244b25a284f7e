import { blob, index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { sql } from 'drizzle-orm'
import { file } from '../../kernel/field-types'

const instant = (name: string) => integer(name, { mode: 'timestamp_ms' })

/** The upload of profile pictures; `change-picture` accepts them. */
export const PICTURE_UPLOAD = 'fw-picture'

export const users = sqliteTable(
  'users',
  {
    id: text('id').primaryKey(),
    name: text('name').notNull(),
    email: text('email').notNull(),
    emailVerified: integer('email_verified', { mode: 'boolean' }).notNull().default(false),
    image: text('image'),
    /** The file of the picture that the person chose; `image` is its address. */
    picture: file('picture', { upload: PICTURE_UPLOAD }),
    /** `dev` marks the one throwaway account of a development database. */
    kind: text('kind', { enum: ['person', 'dev'] })
      .notNull()
      .default('person'),
    /** Raised by all that ends sessions; a sign-in that began under an earlier one makes none. */
    securityVersion: integer('security_version').notNull().default(0),
    /** Since when the owner of the address may say whether the earlier ways in are theirs; null when there is nothing to say. */
    claimSince: instant('claim_since'),
    /** Since when two-factor authentication is on, and since when there is a passkey; triggers on those tables keep both. */
    secondFactorSince: instant('second_factor_since'),
    passkeySince: instant('passkey_since'),
    /** The version of the terms that the person accepted last; null before the first one. */
    termsVersion: text('terms_version'),
    /** When an operator suspended the account; null for an account that is not suspended. */
    suspendedAt: instant('suspended_at'),
    /** When the suspension ends without anyone doing anything; null for one without an end. */
    suspendedUntil: instant('suspended_until'),
    /** What the operator wrote; the person reads it. */
    suspendedReason: text('suspended_reason'),
    createdAt: instant('created_at').notNull(),
    updatedAt: instant('updated_at').notNull(),
  },
  table => [
    uniqueIndex('users_email').on(table.email),
    // The operators' list, newest first.
    index('fw_users_created').on(table.createdAt, table.id),
    index('fw_users_suspended')
      .on(table.createdAt, table.id)
      .where(sql`suspended_at is not null`),
    // At most one development account, however many first requests race.
    uniqueIndex('users_one_dev')
      .on(table.kind)
      .where(sql`kind = 'dev'`),
  ],
)

export const sessions = sqliteTable(
  'sessions',
  {
    id: text('id').primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    token: text('token').notNull(),
    expiresAt: instant('expires_at').notNull(),
    ipAddress: text('ip_address'),
    userAgent: text('user_agent'),
    /** How the person proved who they are: `password`, `dev`, `hub`, or the id of a provider. */
    provider: text('provider').notNull().default('password'),
    /** Whether the sign-in itself proved that the address is the person's: by a mailed link, a provider or the hub. */
    provesAddress: integer('proves_address', { mode: 'boolean' }).notNull().default(false),
    /** The domain or tenant that the provider vouched for in this sign-in, which an organization's sign-in rule may ask for. */
    providerDomain: text('provider_domain'),
    createdAt: instant('created_at').notNull(),
    updatedAt: instant('updated_at').notNull(),
    /** When it was last used, from `ipAddress`; exact to five minutes, and null while it is younger than that. */
    lastUsedAt: instant('last_used_at'),
  },
  table => [uniqueIndex('sessions_token').on(table.token), index('sessions_user').on(table.userId, table.createdAt)],
)

export const accounts = sqliteTable(
  'accounts',
  {
    id: text('id').primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    accountId: text('account_id').notNull(),
    providerId: text('provider_id').notNull(),
    accessToken: text('access_token'),
    refreshToken: text('refresh_token'),
    idToken: text('id_token'),
    accessTokenExpiresAt: instant('access_token_expires_at'),
    refreshTokenExpiresAt: instant('refresh_token_expires_at'),
    scope: text('scope'),
    password: text('password'),
    /** The address that the provider named last; null in rows of before it was kept. */
    providerEmail: text('provider_email'),
    /** The domain or tenant that the provider named at the last sign-in. */
    providerDomain: text('provider_domain'),
    /** When it last signed in; null while it has not, or not since that is kept. */
    lastUsedAt: instant('last_used_at'),
    createdAt: instant('created_at').notNull(),
    updatedAt: instant('updated_at').notNull(),
  },
  table => [
    uniqueIndex('accounts_provider_account').on(table.providerId, table.accountId),
    index('accounts_user').on(table.userId),
  ],
)

export const verifications = sqliteTable(
  'verifications',
  {
    id: text('id').primaryKey(),
    identifier: text('identifier').notNull(),
    value: text('value').notNull(),
    expiresAt: instant('expires_at').notNull(),
    createdAt: instant('created_at').notNull(),
    updatedAt: instant('updated_at').notNull(),
  },
  table => [index('verifications_identifier').on(table.identifier)],
)

export const userSettings = sqliteTable(
  'user_settings',
  {
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    key: text('key').notNull(),
    value: text('value').notNull(),
  },
  table => [primaryKey({ columns: [table.userId, table.key] })],
)

/** What the application remembers for a person in one organization, or outside of any (an empty `orgId`); values are JSON. */
export const applicationState = sqliteTable(
  'application_state',
  {
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    orgId: text('org_id').notNull().default(''),
    key: text('key').notNull(),
    value: text('value').notNull(),
    updatedAt: instant('updated_at').notNull(),
  },
  table => [
    primaryKey({ columns: [table.userId, table.orgId, table.key] }),
    index('application_state_org').on(table.orgId),
  ],
)

/** What a person has signed in with before; the first device of an account is kept without a mail. */
export const knownDevices = sqliteTable(
  'known_devices',
  {
    userId: text('user_id').notNull(),
    /** In words, for example “Firefox on Windows”. */
    device: text('device').notNull(),
    firstSeenAt: integer('first_seen_at', { mode: 'timestamp_ms' }).notNull(),
    lastSeenAt: integer('last_seen_at', { mode: 'timestamp_ms' }).notNull(),
  },
  table => [primaryKey({ columns: [table.userId, table.device] })],
)

/** Pictures from before `users.picture`. They are served until the person replaces or removes them; no new ones are added. */
export const userPictures = sqliteTable('fw_user_pictures', {
  userId: text('user_id')
    .primaryKey()
    .references(() => users.id, { onDelete: 'cascade' }),
  /** Part of its address. */
  version: text('version').notNull(),
  /** What its first bytes say that it is. */
  type: text('type').notNull(),
  bytes: blob('bytes', { mode: 'buffer' }).notNull(),
  createdAt: instant('created_at').notNull(),
})

/** The change of address that a person has asked for: it is made once the owners of both addresses have confirmed it. */
export const addressChanges = sqliteTable('fw_address_changes', {
  userId: text('user_id')
    .primaryKey()
    .references(() => users.id, { onDelete: 'cascade' }),
  /** The new address. */
  email: text('email').notNull(),
  /** The session that asked, which goes on when the others end. */
  sessionId: text('session_id'),
  oldConfirmedAt: instant('old_confirmed_at'),
  newConfirmedAt: instant('new_confirmed_at'),
  createdAt: instant('created_at').notNull(),
  expiresAt: instant('expires_at').notNull(),
})

/** Which versions of the terms a person has accepted, and when. */
export const termsAcceptances = sqliteTable(
  'fw_terms_acceptances',
  {
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    version: text('version').notNull(),
    acceptedAt: instant('accepted_at').notNull(),
  },
  table => [primaryKey({ columns: [table.userId, table.version] })],
)
