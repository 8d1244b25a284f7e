import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { sql } from 'drizzle-orm'
import { DOMAIN_STATES } from '../../../shared/schemas/domain'
import { CONNECTION_AUTHS, CONNECTION_STATES, PROVISIONED_ROLES } from '../../../shared/schemas/identity-connection'

/** One explicit row per person and application; no row means no role. */
export const appMemberRoles = sqliteTable(
  'app_member_roles',
  {
    orgId: text('org_id').notNull(),
    appId: text('app_id').notNull(),
    userId: text('user_id').notNull(),
    role: text('role').notNull(),
    assignedBy: text('assigned_by').notNull(),
    assignedAt: integer('assigned_at', { mode: 'timestamp_ms' }).notNull(),
  },
  table => [
    primaryKey({ columns: [table.orgId, table.appId, table.userId] }),
    index('app_member_roles_user').on(table.userId),
  ],
)

const instant = (name: string) => integer(name, { mode: 'timestamp_ms' })
const orgRole = (name: string) => text(name, { enum: ['owner', 'admin', 'member'] }).notNull()

export const organizations = sqliteTable(
  'organizations',
  {
    id: text('id').primaryKey(),
    name: text('name').notNull(),
    /** Its address: `/o/<slug>/…`. Null for rows that no code of the platform has written. */
    slug: text('slug'),
    /** Lower case, in ASCII form. People with a verified address of exactly this domain may join. */
    allowedDomain: text('allowed_domain'),
    /** The one provider that members must sign in with. */
    requiredAuthProvider: text('required_auth_provider'),
    /** The domain or tenant that their account at that provider must belong to; null for any account there. */
    requiredAuthDomain: text('required_auth_domain'),
    /** Leaves members whose addresses are outside the organization's domains their other ways in. */
    requiredAuthGuests: integer('required_auth_guests', { mode: 'boolean' }).notNull().default(false),
    /** The session policy: idle minutes, hours since the sign-in, and networks as JSON; null for no limit. */
    sessionIdleMinutes: integer('session_idle_minutes'),
    sessionMaxHours: integer('session_max_hours'),
    sessionNetworks: text('session_networks'),
    /** Whether the session policy is asked of connected apps and API tokens too. */
    sessionPolicyApps: integer('session_policy_apps', { mode: 'boolean' }).notNull().default(false),
    /** The start of the second-factor policy, and the days of its grace period; null without a policy. */
    secondFactorSince: instant('second_factor_since'),
    secondFactorGraceDays: integer('second_factor_grace_days'),
    createdBy: text('created_by').notNull(),
    createdAt: instant('created_at').notNull(),
    /** Limits connected apps and personal tokens to reading here. */
    agentsReadOnly: integer('agents_read_only', { mode: 'boolean' }).notNull().default(false),
    /** When an owner deleted it; null while it is in use. A deleted one has no members; they wait in `fw_suspended_members`. */
    deletedAt: instant('deleted_at'),
    /** The time after which it cannot be restored, and its rows are removed except the audit log. */
    purgeAt: instant('purge_at'),
  },
  table => [
    uniqueIndex('organizations_domain')
      .on(table.allowedDomain)
      .where(sql`allowed_domain is not null`),
    uniqueIndex('fw_organizations_slug').on(table.slug),
    // For the operators' list, newest first.
    index('fw_organizations_created').on(table.createdAt, table.id),
    // For the organizations of an account that ends, or that its address's owner claims.
    index('fw_organizations_creator').on(table.createdBy),
    index('fw_organizations_purge')
      .on(table.purgeAt)
      .where(sql`purge_at is not null`),
  ],
)

/** Slugs that organizations had before. They lead to their organization for 90 days, and no other one can take them. */
export const formerSlugs = sqliteTable(
  'fw_former_slugs',
  {
    slug: text('slug').primaryKey(),
    orgId: text('org_id').notNull(),
    purgeAt: instant('purge_at').notNull(),
  },
  table => [index('fw_former_slugs_org').on(table.orgId), index('fw_former_slugs_purge').on(table.purgeAt)],
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
    // Finds the members with a role without scanning the others.
    index('fw_org_members_role').on(table.orgId, table.role, table.joinedAt, table.userId),
  ],
)

/** The members who return to a deleted organization when it is restored. Checks of memberships ignore this table. */
export const suspendedMembers = sqliteTable(
  'fw_suspended_members',
  {
    orgId: text('org_id').notNull(),
    userId: text('user_id').notNull(),
    role: orgRole('role'),
    joinedAt: instant('joined_at').notNull(),
  },
  table => [primaryKey({ columns: [table.orgId, table.userId] }), index('fw_suspended_members_user').on(table.userId)],
)

/** People whom the directory of an organization has removed. No domain, invitation or connection lets them in again. */
export const keptOutMembers = sqliteTable(
  'fw_kept_out_members',
  {
    orgId: text('org_id').notNull(),
    userId: text('user_id').notNull(),
    since: instant('since').notNull(),
  },
  table => [primaryKey({ columns: [table.orgId, table.userId] }), index('fw_kept_out_members_user').on(table.userId)],
)

/** Roles of members that the directory gave. A role that a person gives later removes the row. */
export const directoryRoles = sqliteTable(
  'fw_directory_roles',
  {
    orgId: text('org_id').notNull(),
    userId: text('user_id').notNull(),
    role: orgRole('role'),
  },
  table => [primaryKey({ columns: [table.orgId, table.userId] }), index('fw_directory_roles_user').on(table.userId)],
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
    /** The newest email in `mail_outbox`, as long as that has it; null when none was queued. */
    mailId: text('mail_id'),
  },
  table => [
    uniqueIndex('org_invitations_pending')
      .on(table.orgId, table.email)
      .where(sql`status = 'pending'`),
    index('org_invitations_email').on(table.email, table.status, table.expiresAt),
    index('fw_org_invitations_org').on(table.orgId, table.status),
    index('fw_org_invitations_inviter').on(table.invitedBy),
  ],
)

/** The access to one row of a person: of another person, of a service account, or of a team. */
export const shares = sqliteTable(
  'shares',
  {
    /** The table that holds the row, for example `notes`. */
    resource: text('resource').notNull(),
    resourceId: text('resource_id').notNull(),
    /** The ID of a person, of a service account, or of a team. */
    userId: text('user_id').notNull(),
    role: text('role', { enum: ['viewer', 'editor', 'admin'] }).notNull(),
    /** The organization of the row, so that its shares are deleted with it. */
    orgId: text('org_id'),
    sharedBy: text('shared_by').notNull(),
    sharedAt: integer('shared_at', { mode: 'timestamp_ms' }).notNull(),
  },
  table => [
    primaryKey({ columns: [table.resource, table.resourceId, table.userId] }),
    index('shares_user').on(table.userId, table.resource, table.resourceId, table.role),
    index('shares_org').on(table.orgId),
    index('fw_shares_sharer').on(table.sharedBy),
  ],
)

/** Sealed credentials, of one organization or of one person. A value is unsealed only in memory. */
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

/** A domain that an organization proves by a TXT record. It covers exactly itself, none of its subdomains. */
export const orgDomains = sqliteTable(
  'fw_org_domains',
  {
    orgId: text('org_id').notNull(),
    /** Lower case, in ASCII form. */
    domain: text('domain').notNull(),
    /** What the record must say; new for each claim, because others can read and repeat the one before. */
    token: text('token').notNull(),
    status: text('status', { enum: DOMAIN_STATES }).notNull(),
    provedAt: instant('proved_at'),
    checkedAt: instant('checked_at'),
    /** The definite answers without the record since `missedSince`, at most one a day. */
    misses: integer('misses').notNull().default(0),
    missedSince: instant('missed_since'),
    missedAt: instant('missed_at'),
    lapsedAt: instant('lapsed_at'),
    createdBy: text('created_by').notNull(),
    createdAt: instant('created_at').notNull(),
  },
  table => [
    primaryKey({ columns: [table.orgId, table.domain] }),
    // One organization at most holds a domain; a lapsed one still counts.
    uniqueIndex('fw_org_domains_held')
      .on(table.domain)
      .where(sql`status <> 'pending'`),
    index('fw_org_domains_checked').on(table.status, table.checkedAt),
    index('fw_org_domains_creator').on(table.createdBy),
  ],
)

/** The OpenID provider of a customer. The identity of a person there is the connection with the subject, never the address. */
export const orgConnections = sqliteTable(
  'fw_org_connections',
  {
    id: text('id').primaryKey(),
    orgId: text('org_id').notNull(),
    name: text('name').notNull(),
    issuer: text('issuer'),
    clientId: text('client_id'),
    clientAuth: text('client_auth', { enum: CONNECTION_AUTHS }).notNull(),
    /** The sealed secret of the client. */
    clientSecret: text('client_secret'),
    /** When the secret ends, and how many days before that owners were told; null for no end. */
    secretEndsAt: instant('secret_ends_at'),
    secretToldDays: integer('secret_told_days'),
    /** The one domain that it serves; null for every proved one that no other connection names. */
    domain: text('domain'),
    provision: integer('provision', { mode: 'boolean' }).notNull(),
    defaultRole: text('default_role', { enum: PROVISIONED_ROLES }).notNull(),
    state: text('state', { enum: CONNECTION_STATES }).notNull(),
    /** JSON: what the last test has seen. */
    test: text('test'),
    /** Whether agents that the customer manages get access by its assertions, without a consent page. */
    managedAgents: integer('managed_agents', { mode: 'boolean' }).notNull().default(false),
    /** JSON: the issuers of those assertions; null for the connection's own issuer. */
    assertionIssuers: text('assertion_issuers'),
    createdBy: text('created_by').notNull(),
    createdAt: instant('created_at').notNull(),
  },
  table => [
    index('fw_org_connections_org').on(table.orgId, table.createdAt),
    // Two active connections for the same domains would be ambiguous.
    uniqueIndex('fw_org_connections_active')
      .on(table.orgId, table.domain)
      .where(sql`state = 'active'`),
    uniqueIndex('fw_org_connections_active_for_all')
      .on(table.orgId)
      .where(sql`state = 'active' and domain is null`),
    index('fw_org_connections_creator').on(table.createdBy),
    index('fw_org_connections_agents')
      .on(table.orgId)
      .where(sql`managed_agents = 1`),
    index('fw_org_connections_secret_end')
      .on(table.secretEndsAt)
      .where(sql`secret_ends_at is not null`),
  ],
)

/** The start of a policy of the installation that a setting turns on. */
export const policies = sqliteTable('fw_policies', {
  name: text('name').primaryKey(),
  since: instant('since').notNull(),
})
