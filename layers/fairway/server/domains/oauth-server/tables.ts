import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { email, id, timestamp } from '../../kernel/database/columns'

/** Switches that operators turn while the installation runs; one that is not here is off. */
export const featureFlags = sqliteTable('feature_flags', {
  name: text('name').primaryKey(),
  /** 1 is on; anything else is off. */
  isOn: integer('is_on').notNull(),
  updatedAt: integer('updated_at', { mode: 'timestamp_ms' }).notNull(),
  updatedBy: text('updated_by').notNull(),
})

/** MCP hosts that registered themselves (RFC 7591). Hosts with a metadata document have no row here. */
export const oauthClients = sqliteTable(
  'oauth_clients',
  {
    /** The client_id; never an address. */
    id: id(),
    name: text('name'),
    /** Addresses as JSON, byte for byte as they were registered. */
    redirectUris: text('redirect_uris').notNull(),
    clientUri: text('client_uri'),
    applicationType: text('application_type', { enum: ['web', 'native'] }).notNull(),
    /** The grant types it registered, as JSON; null in rows of before they were kept. */
    grantTypes: text('grant_types'),
    /** Equal for registrations that say the same from the same network. */
    fingerprint: text('fingerprint'),
    createdAt: timestamp('created_at').notNull(),
    lastUsedAt: timestamp('last_used_at'),
  },
  table => [
    index('oauth_clients_used').on(table.lastUsedAt, table.createdAt),
    index('oauth_clients_fingerprint').on(table.fingerprint, table.createdAt),
  ],
)

/** One row per consent. It is the family of everything issued from it: each use checks it in its own statement. */
export const oauthGrants = sqliteTable(
  'oauth_grants',
  {
    id: id(),
    /** A registered client's id, or the address of a metadata document. */
    clientId: text('client_id').notNull(),
    /** As it was shown on the consent page. */
    clientName: text('client_name').notNull(),
    userId: text('user_id').notNull(),
    email: email('email').notNull(),
    orgId: text('org_id').notNull(),
    /** The provider of the session that approved it, which the organization may ask for. */
    provider: text('provider').notNull().default(''),
    /** The domain or tenant that this provider vouched for, which the organization may ask for as well. */
    providerDomain: text('provider_domain'),
    /** Space-separated. */
    scope: text('scope').notNull(),
    /** Whether `mcp:write` covers tools that lose something for good. */
    mayDelete: integer('may_delete', { mode: 'boolean' }).notNull().default(true),
    /** The exact `/mcp` address. */
    resource: text('resource').notNull(),
    /** Where the code was sent, without a port that may differ each time; null in rows of before it was kept. */
    redirectUri: text('redirect_uri'),
    createdAt: timestamp('created_at').notNull(),
    lastUsedAt: timestamp('last_used_at'),
    /** When `/mcp` was first called with a token of it. */
    calledAt: timestamp('called_at'),
    /** After this nothing of it is renewed. */
    expiresAt: timestamp('expires_at').notNull(),
    revokedAt: timestamp('revoked_at'),
    revokedReason: text('revoked_reason'),
    /** SHA-256 of a personal token; null for what a host was granted. */
    tokenHash: text('token_hash'),
    /** The network a personal token was last used from. */
    usedFrom: text('used_from'),
  },
  table => [
    index('oauth_grants_user').on(table.userId, table.revokedAt),
    index('oauth_grants_org').on(table.orgId, table.revokedAt),
    // What members have connected, the one used last first.
    index('fw_oauth_grants_used')
      .on(table.orgId, table.lastUsedAt, table.id)
      .where(sql`revoked_at is null`),
    index('oauth_grants_client').on(table.clientId, table.createdAt),
    index('oauth_grants_expires').on(table.expiresAt),
    uniqueIndex('fw_oauth_grants_token').on(table.tokenHash),
  ],
)

/** Authorization codes; used once, within a minute. */
export const oauthCodes = sqliteTable(
  'oauth_codes',
  {
    /** SHA-256 of the code. */
    hash: text('hash').primaryKey(),
    grantId: text('grant_id').notNull(),
    clientId: text('client_id').notNull(),
    redirectUri: text('redirect_uri').notNull(),
    codeChallenge: text('code_challenge').notNull(),
    resource: text('resource').notNull(),
    expiresAt: timestamp('expires_at').notNull(),
    usedAt: timestamp('used_at'),
  },
  table => [index('oauth_codes_grant').on(table.grantId), index('oauth_codes_expires').on(table.expiresAt)],
)

/** Refresh tokens; each names its successor once it was used. */
export const oauthRefreshTokens = sqliteTable(
  'oauth_refresh_tokens',
  {
    /** SHA-256 of the token. */
    hash: text('hash').primaryKey(),
    grantId: text('grant_id').notNull(),
    clientId: text('client_id').notNull(),
    /** When its client was last given it. */
    issuedAt: timestamp('issued_at').notNull(),
    /** Thirty days after it was first given. */
    expiresAt: timestamp('expires_at').notNull(),
    replacedBy: text('replaced_by'),
    replacedAt: timestamp('replaced_at'),
  },
  table => [
    index('oauth_refresh_tokens_grant').on(table.grantId),
    index('oauth_refresh_tokens_expires').on(table.expiresAt),
    uniqueIndex('oauth_refresh_tokens_successor').on(table.replacedBy),
  ],
)

/** Signing keys of access tokens: published before they sign, and published after, as long as what they signed may live. */
export const oauthKeys = sqliteTable('oauth_keys', {
  /** The `kid`. */
  id: id(),
  /** The public half as a JWK. */
  publicJwk: text('public_jwk').notNull(),
  /** The private half as a JWK, sealed. */
  sealedPrivateJwk: text('sealed_private_jwk').notNull(),
  /** When it begins to sign. */
  signsFrom: timestamp('signs_from').notNull(),
  /** When it ends to sign. */
  signsUntil: timestamp('signs_until').notNull(),
  createdAt: timestamp('created_at').notNull(),
  /** One row per generation: two instances that rotate at once make one key. */
  generation: integer('generation').notNull().unique(),
})

/** Why metadata documents could not be fetched lately, for all instances; one row at most, and none while fetching works. */
export const oauthDocumentOutages = sqliteTable('oauth_document_outages', {
  id: id(),
  cause: text('cause').notNull(),
  /** When a fetch last failed for this cause. */
  failedAt: timestamp('failed_at').notNull(),
})
