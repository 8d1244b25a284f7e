import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { email, id, timestamp } from '../../kernel/database/columns'

/** Switches that operators change while the installation runs. A missing one is off. */
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
    /** The registered grant types, as JSON; null in rows from before this column. */
    grantTypes: text('grant_types'),
    /** How it signs its token requests, with its public keys or their address, as JSON; null for a public client. */
    signing: text('signing'),
    /** Equal for equal registrations from the same network. */
    fingerprint: text('fingerprint'),
    createdAt: timestamp('created_at').notNull(),
    lastUsedAt: timestamp('last_used_at'),
  },
  table => [
    index('oauth_clients_used').on(table.lastUsedAt, table.createdAt),
    index('oauth_clients_fingerprint').on(table.fingerprint, table.createdAt),
  ],
)

/** Hosts that the owners of an organization registered, with a secret. They are good for that organization alone. */
export const managedClients = sqliteTable(
  'fw_managed_clients',
  {
    /** The client_id; never an address. */
    id: id(),
    orgId: text('org_id').notNull(),
    name: text('name').notNull(),
    /** SHA-256 of the secret. */
    secretHash: text('secret_hash').notNull(),
    /** Addresses as JSON; without one, it gets access by assertions alone. */
    redirectUris: text('redirect_uris').notNull(),
    createdAt: timestamp('created_at').notNull(),
  },
  table => [index('fw_managed_clients_org').on(table.orgId, table.createdAt)],
)

/** One row per consent. It is the family of everything issued from it; each use checks it in its own statement. */
export const oauthGrants = sqliteTable(
  'oauth_grants',
  {
    id: id(),
    /** A registered client's id, or the address of a metadata document. */
    clientId: text('client_id').notNull(),
    /** As shown on the consent page. */
    clientName: text('client_name').notNull(),
    userId: text('user_id').notNull(),
    email: email('email').notNull(),
    orgId: text('org_id').notNull(),
    /** The provider of the session that approved it. The organization can require one. */
    provider: text('provider').notNull().default(''),
    /** The domain or tenant that this provider vouched for. The organization can require one too. */
    providerDomain: text('provider_domain'),
    /** Whether that session had proved a second factor. */
    provedSecondFactor: integer('proved_second_factor', { mode: 'boolean' }).notNull().default(false),
    /** Space-separated. */
    scope: text('scope').notNull(),
    /** The scopes of the consent, when unused ones were removed since; a client may go on asking for them. */
    consentedScope: text('consented_scope'),
    /** Whether `mcp:write` includes destructive tools. */
    mayDelete: integer('may_delete', { mode: 'boolean' }).notNull().default(true),
    /** Whether the person is asked before destructive tools run. Without effect on personal tokens. */
    asksFirst: integer('asks_first', { mode: 'boolean' }).notNull().default(true),
    /** The exact `/mcp` address. */
    resource: text('resource').notNull(),
    /** Whether its client must sign token requests, as its document or registration said at the consent. */
    mustSign: integer('must_sign', { mode: 'boolean' }).notNull().default(false),
    /** The address that the code was sent to, without a port chosen at runtime; null for devices and in rows from before this column. */
    redirectUri: text('redirect_uri'),
    createdAt: timestamp('created_at').notNull(),
    lastUsedAt: timestamp('last_used_at'),
    /** When it last read, changed, deleted and operated, exact to an hour (`grant-use.ts`). */
    readAt: timestamp('read_at'),
    writtenAt: timestamp('written_at'),
    deletedAt: timestamp('deleted_at'),
    operatedAt: timestamp('operated_at'),
    /** The longest time between two uses, in milliseconds. */
    longestPause: integer('longest_pause').notNull().default(0),
    /** When `/mcp` was first called with one of its tokens. */
    calledAt: timestamp('called_at'),
    /** After this, it cannot be renewed. */
    expiresAt: timestamp('expires_at').notNull(),
    revokedAt: timestamp('revoked_at'),
    revokedReason: text('revoked_reason'),
    /** SHA-256 of a personal token; null for grants of hosts. */
    tokenHash: text('token_hash'),
    /** The last four characters of a personal token, so that people recognize it; null for others and before this column. */
    tokenEnd: text('token_end'),
    /** The network that a personal token was last used from. */
    usedFrom: text('used_from'),
    /** An empty text, sealed with the root secret: the grant ends with that secret. Null in rows from before this column. */
    rootMark: text('root_mark'),
    /** The issuer of the customer whose assertion took the place of a consent; null for all other grants. */
    assertionIssuer: text('assertion_issuer'),
    /** When the person last signed in, as an assertion said; null where it is the time of the consent. */
    signedInAt: timestamp('signed_in_at'),
  },
  table => [
    index('oauth_grants_user').on(table.userId, table.revokedAt),
    index('oauth_grants_org').on(table.orgId, table.revokedAt),
    // For the list of apps that members have connected, most recently used first.
    index('fw_oauth_grants_used')
      .on(table.orgId, sql`case when last_used_at is null then 0 else last_used_at end`, table.id)
      .where(sql`revoked_at is null`),
    index('oauth_grants_client').on(table.clientId, table.createdAt),
    index('oauth_grants_expires').on(table.expiresAt),
    uniqueIndex('fw_oauth_grants_token').on(table.tokenHash),
    // The next assertion for the same client and person continues their grant.
    uniqueIndex('fw_oauth_grants_asserted')
      .on(table.clientId, table.userId, table.orgId)
      .where(sql`assertion_issuer is not null and revoked_at is null`),
  ],
)

/** The month (`2026-11`) in which the owners of an organization were last mailed about access that nobody uses. */
export const accessReviews = sqliteTable('fw_access_reviews', {
  orgId: text('org_id').primaryKey(),
  month: text('month').notNull(),
})

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

/** Connections that devices without a browser asked for (RFC 8628). Each waits ten minutes for a person. */
export const deviceCodes = sqliteTable(
  'fw_device_codes',
  {
    /** SHA-256 of the device code. */
    hash: text('hash').primaryKey(),
    /** A keyed hash of the code that a person types: it is too short for a plain one. */
    userCodeHash: text('user_code_hash').notNull(),
    clientId: text('client_id').notNull(),
    /** Space-separated, as asked for. */
    scope: text('scope').notNull(),
    /** The address that asked, as people are shown it. */
    askedFrom: text('asked_from').notNull(),
    createdAt: timestamp('created_at').notNull(),
    expiresAt: timestamp('expires_at').notNull(),
    /** How many seconds the device waits between two polls. A poll that comes too early adds five. */
    pollInterval: integer('poll_interval').notNull(),
    polledAt: timestamp('polled_at'),
    decidedAt: timestamp('decided_at'),
    /** The approved grant; null while it waits, and after a refusal. */
    grantId: text('grant_id'),
    usedAt: timestamp('used_at'),
  },
  table => [
    uniqueIndex('fw_device_codes_user_code').on(table.userCodeHash),
    index('fw_device_codes_expires').on(table.expiresAt),
  ],
)

/** Refresh tokens; each names its successor once it is used. */
export const oauthRefreshTokens = sqliteTable(
  'oauth_refresh_tokens',
  {
    /** SHA-256 of the token. */
    hash: text('hash').primaryKey(),
    grantId: text('grant_id').notNull(),
    clientId: text('client_id').notNull(),
    /** When it was last sent to its client. */
    issuedAt: timestamp('issued_at').notNull(),
    /** Thirty days after it was first sent, or the end of the grant if that is sooner. */
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

/** Signing keys of access tokens. They are published before they sign, and afterwards as long as their tokens may live. */
export const oauthKeys = sqliteTable('oauth_keys', {
  /** The `kid`. */
  id: id(),
  /** The public half as a JWK. */
  publicJwk: text('public_jwk').notNull(),
  /** The private half as a JWK, sealed. */
  sealedPrivateJwk: text('sealed_private_jwk').notNull(),
  /** When it starts to sign. */
  signsFrom: timestamp('signs_from').notNull(),
  /** When it stops signing. */
  signsUntil: timestamp('signs_until').notNull(),
  createdAt: timestamp('created_at').notNull(),
  /** One row per generation, so that two instances that rotate concurrently create one key. */
  generation: integer('generation').notNull().unique(),
})

/** Why metadata documents could not be fetched lately, for all instances. At most one row, and none while fetching works. */
export const oauthDocumentOutages = sqliteTable('oauth_document_outages', {
  id: id(),
  cause: text('cause').notNull(),
  /** When a fetch last failed for this cause. */
  failedAt: timestamp('failed_at').notNull(),
})
