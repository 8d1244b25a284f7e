import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { id, timestamp } from '../../kernel/database/columns'

/** The directory of an organization: the one token by which it sends its people (SCIM 2.0). */
export const directories = sqliteTable(
  'fw_directories',
  {
    orgId: text('org_id').primaryKey(),
    tokenHash: text('token_hash').notNull(),
    /** The last four characters, so that people recognize it. */
    tokenEnd: text('token_end').notNull(),
    createdBy: text('created_by').notNull(),
    createdAt: timestamp('created_at').notNull(),
    /** The latest request, exact to a minute. */
    lastUsedAt: timestamp('last_used_at'),
  },
  table => [uniqueIndex('fw_directories_token').on(table.tokenHash)],
)

/** A person as a directory knows them. */
export const directoryPeople = sqliteTable(
  'fw_directory_people',
  {
    id: id(),
    orgId: text('org_id').notNull(),
    /** The account; null while an unconfirmed account has the address, which the directory does not touch. */
    userId: text('user_id'),
    userName: text('user_name').notNull(),
    /** Lower case, for the comparison. */
    userNameKey: text('user_name_key').notNull(),
    externalId: text('external_id'),
    /** The address of the account, lower case. */
    email: text('email').notNull(),
    active: integer('active', { mode: 'boolean' }).notNull(),
    /** JSON: the attributes as the directory sent them. */
    data: text('data').notNull(),
    createdAt: timestamp('created_at').notNull(),
    updatedAt: timestamp('updated_at').notNull(),
  },
  table => [
    uniqueIndex('fw_directory_people_name').on(table.orgId, table.userNameKey),
    index('fw_directory_people_created').on(table.orgId, table.createdAt, table.id),
    index('fw_directory_people_external')
      .on(table.orgId, table.externalId)
      .where(sql`external_id is not null`),
    index('fw_directory_people_user').on(table.userId),
  ],
)
