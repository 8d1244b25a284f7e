import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { sql } from 'drizzle-orm'
import { email, id, timestamp } from '../../kernel/database/columns'

const instant = (name: string) => integer(name, { mode: 'timestamp_ms' })

export const passkeys = sqliteTable(
  'passkeys',
  {
    id: text('id').primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    name: text('name').notNull(),
    /** The credential id that the authenticator chose, as base64url. */
    credentialId: text('credential_id').notNull(),
    /** The COSE public key as base64url; there is nothing secret in this table. */
    publicKey: text('public_key').notNull(),
    /** How often the authenticator says it was used; it never goes back. Zero for those that do not count. */
    counter: integer('counter').notNull(),
    /** How a browser reaches the authenticator, as a comma list. */
    transports: text('transports').notNull(),
    /** Whether the passkey is copied between devices, for example by a password manager. */
    backedUp: integer('backed_up', { mode: 'boolean' }).notNull(),
    createdAt: instant('created_at').notNull(),
    lastUsedAt: instant('last_used_at'),
  },
  table => [uniqueIndex('passkeys_credential').on(table.credentialId), index('passkeys_user').on(table.userId)],
)

/** Challenges that wait for their answer; each is deleted by the answer, so it works once. */
export const passkeyChallenges = sqliteTable(
  'passkey_challenges',
  {
    challengeHash: text('challenge_hash').primaryKey(),
    /** The hash of the cookie of the browser that asked. */
    browserHash: text('browser_hash').notNull(),
    /** Whose passkey is being added; null for a sign-in. */
    userId: text('user_id').references(() => users.id, { onDelete: 'cascade' }),
    expiresAt: instant('expires_at').notNull(),
  },
  table => [index('passkey_challenges_end').on(table.expiresAt)],
)

export const twoFactor = sqliteTable('two_factor', {
  userId: text('user_id')
    .primaryKey()
    .references(() => users.id, { onDelete: 'cascade' }),
  /** The secret shared with the authenticator app, sealed for this row. */
  secret: text('secret').notNull(),
  /** Null until a first code has proved that the app has the secret. */
  activeAt: instant('active_at'),
  /** The newest time step whose code was used; that code and older ones are refused. */
  lastStep: integer('last_step').notNull(),
  createdAt: instant('created_at').notNull(),
})

// Both go with the row above: switching two-factor sign-in off is one delete.
const owner = () =>
  text('user_id')
    .notNull()
    .references(() => twoFactor.userId, { onDelete: 'cascade' })

/** Unused backup codes; using one deletes it. */
export const twoFactorBackupCodes = sqliteTable(
  'two_factor_backup_codes',
  {
    userId: owner(),
    /** A keyed hash: the table alone opens nothing. */
    codeHash: text('code_hash').notNull(),
  },
  table => [primaryKey({ columns: [table.userId, table.codeHash] })],
)

/** Sign-ins that have the password right and wait for a code. */
export const twoFactorSignIns = sqliteTable(
  'two_factor_sign_ins',
  {
    /** The hash of the cookie of the browser that signs in. */
    tokenHash: text('token_hash').primaryKey(),
    userId: owner(),
    /** How the first factor was proved. */
    provider: text('provider').notNull(),
    provesAddress: integer('proves_address', { mode: 'boolean' }).notNull().default(false),
    /** The account's security version when the first factor was proved. */
    securityVersion: integer('security_version').notNull().default(0),
    attempts: integer('attempts').notNull(),
    expiresAt: instant('expires_at').notNull(),
  },
  table => [index('two_factor_sign_ins_end').on(table.expiresAt)],
)

export const users = sqliteTable(
  'users',
  {
    id: text('id').primaryKey(),
    name: text('name').notNull(),
    email: text('email').notNull(),
    emailVerified: integer('email_verified', { mode: 'boolean' }).notNull().default(false),
    image: text('image'),
    /** `dev` marks the one throwaway account of a development database. */
    kind: text('kind', { enum: ['person', 'dev'] })
      .notNull()
      .default('person'),
    /** Raised by all that ends sessions; a sign-in that began under an earlier one makes none. */
    securityVersion: integer('security_version').notNull().default(0),
    /** Since when the owner of the address may say whether the earlier ways in are theirs; null when there is nothing to say. */
    claimSince: instant('claim_since'),
    createdAt: instant('created_at').notNull(),
    updatedAt: instant('updated_at').notNull(),
  },
  table => [
    uniqueIndex('users_email').on(table.email),
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

/** Links that were mailed to an address; a browser that opens one proves the mailbox. Kept for a day after their end, so that a used one can say so. */
export const emailLinks = sqliteTable(
  'email_links',
  {
    id: id(),
    purpose: text('purpose', { enum: ['magic-link', 'verification', 'password-reset'] }).notNull(),
    email: email('email').notNull(),
    /** SHA-256 of the secret in the link. */
    tokenHash: text('token_hash').notNull(),
    /** SHA-256 of the secret in the cookie of the browser that asked and waits. */
    flowHash: text('flow_hash').notNull(),
    /** Sealed: where to go on, who asked from where, and what a sign-up wants to become. */
    payload: text('payload').notNull(),
    expiresAt: timestamp('expires_at').notNull(),
    usedAt: timestamp('used_at'),
    /** The person that the waiting browser may be signed in as, once. */
    approvedUserId: text('approved_user_id'),
    /** Ten minutes later the approval is over. */
    approvedAt: timestamp('approved_at'),
    /** The account's security version when it was approved. */
    approvedVersion: integer('approved_version'),
    createdAt: timestamp('created_at').notNull(),
  },
  table => [
    uniqueIndex('email_links_token').on(table.tokenHash),
    index('email_links_flow').on(table.flowHash),
    index('email_links_email').on(table.email, table.purpose, table.createdAt),
    index('email_links_expires').on(table.expiresAt),
  ],
)
