import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Switches that whoever runs the installation turns while it runs; one that is not here is off. */
export const featureFlags = sqliteTable('feature_flags', {
  name: text('name').primaryKey(),
  /** 1 is on; anything else is off. */
  isOn: integer('is_on').notNull(),
  updatedAt: integer('updated_at', { mode: 'timestamp_ms' }).notNull(),
  updatedBy: text('updated_by').notNull(),
})

/** One row for each sign-in of a desktop application that is under way at this hub. */
export const desktopCeremonies = sqliteTable(
  'desktop_ceremonies',
  {
    id: text('id').primaryKey(),
    /** SHA-256 of the cookie of the browser partition in which it began. */
    bindingHash: text('binding_hash').notNull(),
    /** S256 challenge of the verifier that only the desktop application knows. */
    codeChallenge: text('code_challenge').notNull(),
    /** SHA-256 of the nonce of the completion page. */
    nonceHash: text('nonce_hash').notNull(),
    /** Who confirmed it, once somebody has. */
    userId: text('user_id'),
    createdAt: integer('created_at', { mode: 'timestamp_ms' }).notNull(),
    confirmedAt: integer('confirmed_at', { mode: 'timestamp_ms' }),
    exchangedAt: integer('exchanged_at', { mode: 'timestamp_ms' }),
    /** Exchanges that came from the right browser with a wrong verifier. */
    wrongVerifiers: integer('wrong_verifiers').notNull().default(0),
    expiresAt: integer('expires_at', { mode: 'timestamp_ms' }).notNull(),
  },
  table => [
    index('desktop_ceremonies_expires').on(table.expiresAt),
    index('desktop_ceremonies_binding').on(table.bindingHash),
    index('desktop_ceremonies_nonce').on(table.nonceHash),
  ],
)
