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

// They go with the row above: switching two-factor authentication off is one delete.
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
