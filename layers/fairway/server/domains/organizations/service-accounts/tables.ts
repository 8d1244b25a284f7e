import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { sql } from 'drizzle-orm'
import { timestamp } from '../../../kernel/database/columns'
import { SERVICE_ROLES } from '../../../../shared/schemas/service-account'

/** The programs of an organization. They act with a role of their own, for the member who is their owner of record. */
export const serviceAccounts = sqliteTable(
  'fw_service_accounts',
  {
    /** The client_id; never an address. */
    id: text('id').primaryKey(),
    orgId: text('org_id').notNull(),
    name: text('name').notNull(),
    role: text('role', { enum: SERVICE_ROLES }).notNull(),
    /** JSON: its role in each application, by the application's ID. */
    appRoles: text('app_roles').notNull(),
    /** Space-separated. */
    scopes: text('scopes').notNull(),
    readOnly: integer('read_only', { mode: 'boolean' }).notNull(),
    /** Whether it runs destructive tools without an approval. */
    destructive: integer('destructive', { mode: 'boolean' }).notNull(),
    /** JSON: the public keys that it signs token requests with, since when, and who set them; null without any. */
    jwks: text('jwks'),
    jwksAt: timestamp('jwks_at'),
    jwksBy: text('jwks_by'),
    /** The member who takes what a column of people needs. Its role is never above theirs. */
    ownerId: text('owner_id').notNull(),
    /** When it passed to them because the person before them left, until they are told; null otherwise. */
    inheritedAt: timestamp('inherited_at'),
    /** The address of who made it, for the audit log. */
    createdBy: text('created_by').notNull(),
    createdAt: timestamp('created_at').notNull(),
    lastUsedAt: timestamp('last_used_at'),
    /** The network that it was last used from. */
    usedFrom: text('used_from'),
    /** When it was deleted. The row stays, because the audit log names it. */
    deletedAt: timestamp('deleted_at'),
  },
  table => [
    index('fw_service_accounts_org').on(table.orgId, table.createdAt),
    index('fw_service_accounts_owner').on(table.ownerId, table.orgId),
    // For changes of an address, and for accounts that their owner claims.
    index('fw_service_accounts_maker').on(table.createdBy),
    index('fw_service_accounts_jwks')
      .on(table.jwksBy)
      .where(sql`jwks_by is not null`),
    index('fw_service_accounts_inherited')
      .on(table.inheritedAt)
      .where(sql`inherited_at is not null`),
  ],
)

/** The keys of service accounts; two live ones at most, so that they can be rotated. */
export const serviceAccountKeys = sqliteTable(
  'fw_service_account_keys',
  {
    id: text('id').primaryKey(),
    accountId: text('account_id').notNull(),
    /** SHA-256 of the key. */
    hash: text('hash').notNull(),
    /** Its last four characters, so that people recognize it. */
    end: text('end').notNull(),
    /** The ID of who made it. */
    createdBy: text('created_by').notNull(),
    createdAt: timestamp('created_at').notNull(),
    expiresAt: timestamp('expires_at').notNull(),
    lastUsedAt: timestamp('last_used_at'),
    /** When owners were told that it ends soon; null before that. */
    toldAt: timestamp('told_at'),
  },
  table => [
    uniqueIndex('fw_service_account_keys_hash').on(table.hash),
    index('fw_service_account_keys_account').on(table.accountId, table.createdAt),
    index('fw_service_account_keys_expires').on(table.expiresAt),
    index('fw_service_account_keys_maker').on(table.createdBy),
  ],
)
