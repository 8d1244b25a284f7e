import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'

const instant = (name: string) => integer(name, { mode: 'timestamp_ms' })
const orgRole = (name: string) => text(name, { enum: ['owner', 'admin', 'member'] }).notNull()

export const organizations = sqliteTable(
  'organizations',
  {
    id: text('id').primaryKey(),
    name: text('name').notNull(),
    /** Lower case, in its ASCII form: people with a verified address of exactly this domain may join. */
    allowedDomain: text('allowed_domain'),
    /** The one provider that members must sign in with. */
    requiredAuthProvider: text('required_auth_provider'),
    createdBy: text('created_by').notNull(),
    createdAt: instant('created_at').notNull(),
  },
  table => [
    uniqueIndex('organizations_domain')
      .on(table.allowedDomain)
      .where(sql`allowed_domain is not null`),
  ],
)

export const orgMembers = sqliteTable(
  'org_members',
  {
    orgId: text('org_id').notNull(),
    userId: text('user_id').notNull(),
    role: orgRole('role'),
    joinedAt: instant('joined_at').notNull(),
  },
  table => [
    primaryKey({ columns: [table.orgId, table.userId] }),
    index('org_members_user').on(table.userId, table.joinedAt, table.orgId, table.role),
    index('org_members_joined').on(table.orgId, table.joinedAt, table.userId, table.role),
  ],
)

export const orgInvitations = sqliteTable(
  'org_invitations',
  {
    id: text('id').primaryKey(),
    orgId: text('org_id').notNull(),
    email: text('email').notNull(),
    role: orgRole('role'),
    invitedBy: text('invited_by').notNull(),
    status: text('status', { enum: ['pending', 'accepted', 'declined', 'revoked', 'expired'] }).notNull(),
    /** SHA-256 of the secret in the mailed link. */
    tokenHash: text('token_hash').notNull(),
    expiresAt: instant('expires_at').notNull(),
    createdAt: instant('created_at').notNull(),
  },
  table => [
    uniqueIndex('org_invitations_pending')
      .on(table.orgId, table.email)
      .where(sql`status = 'pending'`),
    index('org_invitations_email').on(table.email, table.status, table.expiresAt),
  ],
)
