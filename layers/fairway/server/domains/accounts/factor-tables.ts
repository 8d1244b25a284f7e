import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { users } from './tables'

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
    /** Whose passkey is being added; null when somebody signs in. */
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
