import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { users } from '../people/tables'

const instant = (name: string) => integer(name, { mode: 'timestamp_ms' })

export const passkeys = sqliteTable(
  'passkeys',
  {
    id: text('id').primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    name: text('name').notNull(),
    /** The credential id chosen by the authenticator, as base64url. */
    credentialId: text('credential_id').notNull(),
    /** The COSE public key as base64url. This table contains no secrets. */
    publicKey: text('public_key').notNull(),
    /** The use counter of the authenticator, which never decreases. Zero for authenticators without one. */
    counter: integer('counter').notNull(),
    /** The transports of the authenticator, separated by commas. */
    transports: text('transports').notNull(),
    /** Whether the passkey is synced between devices, for example by a password manager. */
    backedUp: integer('backed_up', { mode: 'boolean' }).notNull(),
    createdAt: instant('created_at').notNull(),
    lastUsedAt: instant('last_used_at'),
  },
  table => [uniqueIndex('passkeys_credential').on(table.credentialId), index('passkeys_user').on(table.userId)],
)

export const twoFactor = sqliteTable('two_factor', {
  userId: text('user_id')
    .primaryKey()
    .references(() => users.id, { onDelete: 'cascade' }),
  /** The secret shared with the authenticator app, sealed for this row. */
  secret: text('secret').notNull(),
  /** Null until the first code proves that the app has the secret. */
  activeAt: instant('active_at'),
  /** The newest used time step. Codes of this step and older ones are refused. */
  lastStep: integer('last_step').notNull(),
  createdAt: instant('created_at').notNull(),
})

// Deleted with the row above: switching two-factor authentication off is one delete.
const owner = () =>
  text('user_id')
    .notNull()
    .references(() => twoFactor.userId, { onDelete: 'cascade' })

/** Unused backup codes; using one deletes it. */
export const twoFactorBackupCodes = sqliteTable(
  'two_factor_backup_codes',
  {
    userId: owner(),
    /** A keyed hash: the table alone is not enough to use a code. */
    codeHash: text('code_hash').notNull(),
  },
  table => [primaryKey({ columns: [table.userId, table.codeHash] })],
)
