import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { PROVISIONED_ROLES } from '../../../shared/schemas/identity-connection'
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
    /** Whether the directory made the account. Then it may change the account's address. */
    madeAccount: integer('made_account', { mode: 'boolean' }).notNull().default(false),
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

/** A group as a directory knows it. */
export const directoryGroups = sqliteTable(
  'fw_directory_groups',
  {
    id: id(),
    orgId: text('org_id').notNull(),
    displayName: text('display_name').notNull(),
    /** Lower case, for the comparison. */
    displayNameKey: text('display_name_key').notNull(),
    externalId: text('external_id'),
    createdAt: timestamp('created_at').notNull(),
    updatedAt: timestamp('updated_at').notNull(),
  },
  table => [
    uniqueIndex('fw_directory_groups_name').on(table.orgId, table.displayNameKey),
    index('fw_directory_groups_created').on(table.orgId, table.createdAt, table.id),
    index('fw_directory_groups_external')
      .on(table.orgId, table.externalId)
      .where(sql`external_id is not null`),
  ],
)

/** A person of a directory in one of its groups. */
export const directoryGroupMembers = sqliteTable(
  'fw_directory_group_members',
  {
    orgId: text('org_id').notNull(),
    groupId: text('group_id').notNull(),
    personId: text('person_id').notNull(),
  },
  table => [
    primaryKey({ columns: [table.groupId, table.personId] }),
    index('fw_directory_group_members_person').on(table.personId, table.groupId),
    index('fw_directory_group_members_org').on(table.orgId),
  ],
)

/** The roles that a group gives to its people, and whether it is a team. */
export const directoryMapping = sqliteTable(
  'fw_directory_mapping',
  {
    orgId: text('org_id').notNull(),
    groupId: text('group_id').notNull(),
    /** The first group with a role in the application decides it. */
    position: integer('position').notNull(),
    orgRole: text('org_role', { enum: PROVISIONED_ROLES }),
    appId: text('app_id'),
    role: text('role'),
    /** Whether the group is a team. */
    isTeam: integer('is_team', { mode: 'boolean' }).notNull().default(false),
  },
  table => [primaryKey({ columns: [table.orgId, table.groupId] })],
)
