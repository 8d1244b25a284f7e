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
    /** The file of the chosen picture; `image` is its address. */
    picture: file('picture', { upload: PICTURE_UPLOAD }),
    /** `dev` marks the one development account of a database. */
    kind: text('kind', { enum: ['person', 'dev'] })
      .notNull()
      .default('person'),
    /** Raised whenever sessions end. A sign-in that began under an earlier version creates no session. */
    securityVersion: integer('security_version').notNull().default(0),
    /** Since when the owner of the address can review earlier sign-in methods; null when there is nothing to review. */
    claimSince: instant('claim_since'),
    /** Since when two-factor authentication is on and since when there is a passkey. Triggers on those tables maintain both. */
    secondFactorSince: instant('second_factor_since'),
    passkeySince: instant('passkey_since'),
    /** The most recent version of the terms that the person accepted; null before the first one. */
    termsVersion: text('terms_version'),
    /** When an operator suspended the account; null for an account that is not suspended. */
    suspendedAt: instant('suspended_at'),
    /** When the suspension ends automatically; null for an unlimited one. */
    suspendedUntil: instant('suspended_until'),
    /** The operator's reason; the person can read it. */
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
    // At most one development account, even with concurrent first requests.
    uniqueIndex('users_one_dev')
      .on(table.kind)
      .where(sql`kind = 'dev'`),
  ],
)

/** The parts of people's names and addresses, for searches. Triggers write them. */
export const personTextRows = sqliteTable('fw_person_text_rows', {
  n: integer('n').primaryKey(),
  id: text('id').notNull().unique(),
})
export const personTextTrigrams = sqliteTable(
  'fw_person_text_trigrams',
  {
    trigram: text('trigram').notNull(),
    n: integer('n').notNull(),
  },
  table => [primaryKey({ columns: [table.trigram, table.n] })],
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
    /** The sign-in method: `password`, `dev`, `hub`, or the id of a provider. */
    provider: text('provider').notNull().default('password'),
    /** Whether the sign-in proved that the address belongs to the person: by a mailed link, a provider or the hub. */
    provesAddress: integer('proves_address', { mode: 'boolean' }).notNull().default(false),
    /** The domain or tenant that the provider vouched for in this sign-in. An organization's sign-in rule may require one. */
    providerDomain: text('provider_domain'),
    /** Whether this session proved a second factor: at the sign-in or later. */
    provedSecondFactor: integer('proved_second_factor', { mode: 'boolean' }).notNull().default(false),
    createdAt: instant('created_at').notNull(),
    updatedAt: instant('updated_at').notNull(),
    /** The longest time between two uses, in milliseconds. */
    longestPause: integer('longest_pause').notNull().default(0),
    /** The latest use, from `ipAddress`, exact to five minutes. Null during the session's first five minutes. */
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
    /** The latest address from the provider; null in rows older than this column. */
    providerEmail: text('provider_email'),
    /** The domain or tenant from the provider at the latest sign-in. */
    providerDomain: text('provider_domain'),
    /** The latest sign-in with this account; null before the first one and in rows older than this column. */
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

/** The application's values for a person in one organization, or outside any (an empty `orgId`). Values are JSON. */
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

/** The devices that a person has signed in with. The first device of an account is stored without an email. */
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
  /** Part of the picture's address. */
  version: text('version').notNull(),
  /** The media type, detected from the first bytes. */
  type: text('type').notNull(),
  bytes: blob('bytes', { mode: 'buffer' }).notNull(),
  createdAt: instant('created_at').notNull(),
})

/** A requested change of address. It is applied once the owners of both addresses have confirmed it. */
export const addressChanges = sqliteTable('fw_address_changes', {
  userId: text('user_id')
    .primaryKey()
    .references(() => users.id, { onDelete: 'cascade' }),
  /** The new address. */
  email: text('email').notNull(),
  /** The session that requested the change; it stays when the others end. */
  sessionId: text('session_id'),
  oldConfirmedAt: instant('old_confirmed_at'),
  newConfirmedAt: instant('new_confirmed_at'),
  createdAt: instant('created_at').notNull(),
  expiresAt: instant('expires_at').notNull(),
})

/** The versions of the terms that a person has accepted, with times. */
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

/** What a person was told in the inbox, in their language at that time. */
export const notifications = sqliteTable(
  'fw_notifications',
  {
    id: text('id').primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** The organization whose members may see it; null for none. */
    orgId: text('org_id'),
    /** The name of the mail that it was made from. */
    name: text('name').notNull(),
    title: text('title').notNull(),
    text: text('text').notNull(),
    /** A path of this application, or a full address; null for none. */
    href: text('href'),
    createdAt: instant('created_at').notNull(),
    readAt: instant('read_at'),
  },
  table => [
    index('fw_notifications_user').on(table.userId, table.id),
    index('fw_notifications_unread')
      .on(table.userId, table.orgId)
      .where(sql`read_at is null`),
    index('fw_notifications_org').on(table.orgId),
    index('fw_notifications_created').on(table.createdAt),
  ],
)

/** Says that a person's inbox has changed. Open pages follow the rows by `place`, in the order in which they become visible. */
export const inboxSignals = sqliteTable(
  'fw_inbox_signals',
  {
    place: integer('place').primaryKey(),
    userId: text('user_id').notNull(),
    at: instant('at').notNull(),
  },
  table => [index('fw_inbox_signals_user').on(table.userId)],
)
