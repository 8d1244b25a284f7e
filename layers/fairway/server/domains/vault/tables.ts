import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'

/** Sealed credentials, of one organization or of one person; a value leaves this table only unsealed in memory. */
export const vaultCredentials = sqliteTable(
  'vault_credentials',
  {
    id: text('id').primaryKey(),
    orgId: text('org_id'),
    userId: text('user_id'),
    key: text('key').notNull(),
    ciphertext: text('ciphertext').notNull(),
    keyId: text('key_id').notNull(),
    lastFour: text('last_four').notNull(),
    createdAt: integer('created_at', { mode: 'timestamp_ms' }).notNull(),
    updatedAt: integer('updated_at', { mode: 'timestamp_ms' }).notNull(),
  },
  table => [
    uniqueIndex('vault_org_key')
      .on(table.orgId, table.key)
      .where(sql`org_id is not null`),
    uniqueIndex('vault_user_key')
      .on(table.userId, table.key)
      .where(sql`user_id is not null`),
    index('vault_org').on(table.orgId),
  ],
)
