import { eq } from 'drizzle-orm'
import { z } from 'zod'
import type { App } from '#fairway/server/kernel/app-context'
import { hmac } from '#fairway/server/kernel/crypto/hash'
import { newId } from '#fairway/server/kernel/crypto/random'
import { addressKey } from '#fairway/server/kernel/http/client-address'
import { limits } from '#fairway/server/kernel/limits/limits'
import { rateLimit, refundRateLimit } from '#fairway/server/kernel/limits/rate-limit'
import { oauthClients } from '../tables'
import { type ClientMetadata, parseClientMetadata, type OAuthClient, renewsBy, usesDevicesBy } from './client-metadata'
import { clientSigningSchema, signingMetadata } from './client-signing'
import { clientIdUrlFault, isUrlLike } from './document-clients'
import { findManagedClient } from './managed-clients'
import { withoutFreePort } from './redirect-uri'

const DAY_IN_MS = 24 * 60 * 60 * 1000
/** How long a client without a live grant is kept, from its last consent page or, if it had none, from its registration. */
const IDLE_LIFE_IN_MS = 90 * DAY_IN_MS
/**
 * Beyond this, the longest unused clients are deleted. A new client is never refused, and no flood of registrations locks others
 * out.
 */
const MOST_CLIENTS = 10_000

const FINGERPRINT_PURPOSE = 'oauth-registrations'

const textsSchema = z.array(z.string())
/** The time is in milliseconds. */
const registeredSchema = z.object({ id: z.string(), createdAt: z.number() })
const HAS_LIVE_GRANT =
  'exists (select 1 from oauth_grants g where g.client_id = oauth_clients.id and g.revoked_at is null and g.expires_at > ?)'

/**
 * Registers a client. Some hosts register at every attempt to connect: the same registration from the same network within
 * a day returns the same client. No client gets a secret (RFC 7591 §3.2.1). Throws `invalid_client_metadata` or
 * `invalid_redirect_uri` with the change to make, and `rate-limited` for too many new clients.
 */
export async function registerClient(app: App, input: unknown, clientAddress: string) {
  const metadata = parseClientMetadata(input)
  const network = addressKey(clientAddress)
  const fingerprint = fingerprintOf(app, metadata, network)
  const { id, createdAt } =
    (await findSameClient(app, fingerprint)) ?? (await addClient(app, metadata, { fingerprint, network }))
  const { name, clientUri, scope, authMethod = 'none', signing } = metadata
  return {
    client_id: id,
    /** Seconds since 1970. */
    client_id_issued_at: Math.floor(createdAt / 1000),
    ...(name ? { client_name: name } : {}),
    ...(clientUri ? { client_uri: clientUri } : {}),
    redirect_uris: metadata.redirectUris,
    application_type: metadata.applicationType,
    token_endpoint_auth_method: authMethod,
    ...(signing ? signingMetadata(signing) : {}),
    grant_types: metadata.grantTypes,
    response_types: ['code'],
    ...(scope ? { scope } : {}),
  }
}

async function addClient(
  app: App,
  metadata: ClientMetadata,
  { fingerprint, network }: { fingerprint: string; network: string },
) {
  await rateLimit(app, limits.oauthRegistrationsPerAddress, network)
  const client = await insertClient(app, metadata, fingerprint)
  if (client.isNew) {
    const { name, redirectUris } = metadata
    app.log.info('client registered', { client: client.id, name, redirects: redirectUris.length })
  } else await refundRateLimit(app, limits.oauthRegistrationsPerAddress, network)
  return client
}

/** Equal for equal registrations from the same network. It reveals nothing without the key. */
function fingerprintOf(app: App, metadata: ClientMetadata, network: string): string {
  const { name, redirectUris, clientUri, applicationType, grantTypes, scope = null, signing } = metadata
  // Some programs listen on a different port each time, so loopback ports of native apps are left out.
  const redirects = applicationType === 'native' ? redirectUris.map(withoutFreePort) : redirectUris
  const said = [network, name, redirects, clientUri, applicationType, grantTypes, scope, ...(signing ? [signing] : [])]
  return hmac(app.config.keys.current(FINGERPRINT_PURPOSE).secret, JSON.stringify(said))
}

type Registered = z.output<typeof registeredSchema>

const FIND_SAME = `select id, created_at as createdAt from oauth_clients where fingerprint = ? and created_at > ?
  order by created_at desc limit 1`
const sameArgs = (app: App, fingerprint: string) => [fingerprint, app.now().getTime() - DAY_IN_MS]

/** Returns the client of the same registration within a day; undefined when there is none. */
async function findSameClient(app: App, fingerprint: string): Promise<Registered | undefined> {
  const find = app.memo('find-same-client', () => app.db.prepareRead<Registered>(FIND_SAME))
  const [row] = await find(sameArgs(app, fingerprint))
  return row
}

/**
 * Stores a client, unless a faster request stored the same registration within a day. Beyond ten thousand rows, the longest
 * unused clients without a grant are deleted.
 */
async function insertClient(
  app: App,
  metadata: ClientMetadata,
  fingerprint: string,
): Promise<Registered & { isNew: boolean }> {
  const now = app.now().getTime()
  const { name, redirectUris, clientUri, applicationType, grantTypes, signing } = metadata
  const columns = [newId(), name, JSON.stringify(redirectUris), clientUri, applicationType, JSON.stringify(grantTypes)]
  const values = [...columns, signing ? JSON.stringify(signing) : null]
  const [inserted, , existing] = await app.db.client.batch(
    [
      {
        sql: `insert into oauth_clients (id, name, redirect_uris, client_uri, application_type, grant_types, signing, fingerprint,
          created_at) select ?, ?, ?, ?, ?, ?, ?, ?, ? where not exists (${FIND_SAME})`,
        args: [...values, fingerprint, now, ...sameArgs(app, fingerprint)],
      },
      {
        sql: `delete from oauth_clients where id in (
          select id from oauth_clients where fingerprint is not ? and not ${HAS_LIVE_GRANT}
          order by last_used_at is not null, coalesce(last_used_at, created_at)
          limit max(0, (select count(*) from oauth_clients) - ${MOST_CLIENTS}))`,
        args: [fingerprint, now],
      },
      { sql: FIND_SAME, args: sameArgs(app, fingerprint) },
    ],
    'write',
  )
  return { ...registeredSchema.parse(existing?.rows[0]), isNew: inserted?.rowsAffected === 1 }
}

/** Returns the client that registered itself with this id, or null. */
async function findRegisteredClient(app: App, id: string): Promise<OAuthClient | null> {
  const [row] = await app.db.orm.select().from(oauthClients).where(eq(oauthClients.id, id))
  if (!row) return null
  const { name, applicationType } = row
  const redirectUris = textsSchema.parse(JSON.parse(row.redirectUris))
  const grantTypes = textsSchema.parse(JSON.parse(row.grantTypes ?? '[]'))
  const signing = row.signing === null ? undefined : clientSigningSchema.parse(JSON.parse(row.signing))
  const [renews, usesDevices] = [renewsBy(grantTypes), usesDevicesBy(grantTypes)]
  return { id, name, source: 'registered', host: null, redirectUris, applicationType, renews, usesDevices, signing }
}

/** Returns the client with this ID of ours: one that registered itself, or a managed one. Null for every other ID. */
export const findOwnClient = async (app: App, id: string): Promise<OAuthClient | null> =>
  (await findRegisteredClient(app, id)) ?? findManagedClient(app, id)

/**
 * Whether the authorization endpoint accepts this id: the address of a document, which is not fetched here, or the id of a
 * registration. A client that is not known must register again.
 */
export async function isKnownClient(app: App, id: string): Promise<boolean> {
  if (isUrlLike(id)) return app.config.oauth.clientDocuments !== 'off' && clientIdUrlFault(id) === undefined
  return (await findOwnClient(app, id)) !== null
}

/** Notes that a person saw the consent page of this client, at most once a day. */
export async function noteClientUse(app: App, id: string): Promise<void> {
  const now = app.now().getTime()
  await app.db.client.execute({
    sql: 'update oauth_clients set last_used_at = ? where id = ? and coalesce(last_used_at, 0) < ?',
    args: [now, id, now - DAY_IN_MS],
  })
}

/** Deletes clients without a live grant after 90 days, whether or not a person ever saw their consent page. */
export async function purgeOAuthClients(app: App): Promise<void> {
  const now = app.now().getTime()
  const before = now - IDLE_LIFE_IN_MS
  await app.db.client.execute({
    sql: `delete from oauth_clients where not ${HAS_LIVE_GRANT}
      and (last_used_at < ? or (last_used_at is null and created_at < ?))`,
    args: [now, before, before],
  })
}
