import { eq } from 'drizzle-orm'
import { z } from 'zod'
import type { App } from '#server/foundation/app-context'
import { newId } from '#server/foundation/crypto/random'
import { oauthClients } from '../tables'
import type { OAuthClient } from './client'
import type { ClientMetadata } from './client-metadata'

const DAY_IN_MS = 24 * 60 * 60 * 1000
/** How long a client stays without a live grant: never seen at the consent page, and seen. */
const UNUSED_LIFE_IN_MS = 2 * DAY_IN_MS
const USED_LIFE_IN_MS = 90 * DAY_IN_MS
/** Beyond this the longest unused ones make room: a newcomer is never refused, and a stranger locks nobody out. */
const MOST_CLIENTS = 10_000

const redirectUrisSchema = z.array(z.string())
const HAS_LIVE_GRANT =
  'exists (select 1 from oauth_grants g where g.client_id = oauth_clients.id and g.revoked_at is null and g.expires_at > ?)'

/** Stores a client and gives its id and the time; past ten thousand rows, the longest unused ones without a grant go. */
export async function insertClient(app: App, metadata: ClientMetadata): Promise<{ id: string; createdAt: Date }> {
  const id = newId()
  const createdAt = app.now()
  const now = createdAt.getTime()
  const { name, redirectUris, clientUri, applicationType } = metadata
  await app.db.client.batch(
    [
      {
        sql: `insert into oauth_clients (id, name, redirect_uris, client_uri, application_type, created_at) values (?, ?, ?, ?, ?, ?)`,
        args: [id, name, JSON.stringify(redirectUris), clientUri, applicationType, now],
      },
      {
        sql: `delete from oauth_clients where id in (
          select id from oauth_clients where id <> ? and not ${HAS_LIVE_GRANT}
          order by last_used_at is not null, coalesce(last_used_at, created_at)
          limit max(0, (select count(*) from oauth_clients) - ${MOST_CLIENTS}))`,
        args: [id, now],
      },
    ],
    'write',
  )
  return { id, createdAt }
}

/** The client that registered itself under this id, or null. */
export async function findRegisteredClient(app: App, id: string): Promise<OAuthClient | null> {
  const [row] = await app.db.orm.select().from(oauthClients).where(eq(oauthClients.id, id))
  if (!row) return null
  const { name, applicationType } = row
  const redirectUris = redirectUrisSchema.parse(JSON.parse(row.redirectUris))
  return { id, name, source: 'registered', host: null, redirectUris, applicationType }
}

/** Notes that somebody was asked about this client, at most once a day. */
export async function noteClientUse(app: App, id: string): Promise<void> {
  const now = app.now().getTime()
  await app.db.client.execute({
    sql: 'update oauth_clients set last_used_at = ? where id = ? and coalesce(last_used_at, 0) < ?',
    args: [now, id, now - DAY_IN_MS],
  })
}

/** Deletes clients without a live grant: after 90 days, and after two when nobody was ever asked about them. */
export async function sweepOAuthClients(app: App): Promise<void> {
  const now = app.now().getTime()
  await app.db.client.execute({
    sql: `delete from oauth_clients where not ${HAS_LIVE_GRANT}
      and (last_used_at < ? or (last_used_at is null and created_at < ?))`,
    args: [now, now - USED_LIFE_IN_MS, now - UNUSED_LIFE_IN_MS],
  })
}
