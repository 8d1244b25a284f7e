// Hosts that the owners of an organization register. They are confidential: each request to the token endpoint has their secret.
import { z } from 'zod'
import { type Actor, OPEN_ORGANIZATIONS } from '#fairway/server/domains/organizations'
import type { App } from '#fairway/server/kernel/app-context'
import { sha256 } from '#fairway/server/kernel/crypto/hash'
import { newId, randomToken } from '#fairway/server/kernel/crypto/random'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { isoTimeOrNull } from '#fairway/server/kernel/iso-time'
import type { ManagedClient } from '#fairway/shared/schemas/managed-client'
import { nameSchema } from '#fairway/shared/schemas/name'
import { endGrantsStatement } from '../grants'
import type { OAuthClient } from './client-metadata'
import { applicationTypeOf, redirectUriFault } from './redirect-uri'

const PREFIX = 'fwm_'
const MOST_CLIENTS = 50

export const managedClientInput = z.object({
  name: nameSchema(80),
  /** Without one, the client gets access by assertions alone. */
  redirectUris: z.array(z.string().max(2048)).max(20).default([]),
})

/**
 * Registers a client and returns its secret, which is stored as a hash. Throws `invalid-input` for an address that codes cannot be
 * sent to, and `client-limit` beyond fifty clients.
 */
export async function addManagedClient(
  app: App,
  { orgId, userId }: Actor,
  { name, redirectUris }: z.output<typeof managedClientInput>,
): Promise<{ clientId: string; clientSecret: string }> {
  const message = redirectUris.map(redirectUriFault).find(fault => fault !== undefined)
  if (message) throw new AppError('invalid-input', { errors: [{ path: 'redirectUris', message }] })
  const clientId = newId()
  const clientSecret = PREFIX + randomToken(32)
  const uris = JSON.stringify(redirectUris)
  const { rowsAffected } = await app.db.client.execute({
    sql: `insert into fw_managed_clients (id, org_id, name, secret_hash, redirect_uris, created_at)
      select ?, ?, ?, ?, ?, ? where (select count(*) from fw_managed_clients where org_id = ?) < ?`,
    args: [clientId, orgId, name, sha256(clientSecret), uris, app.now().getTime(), orgId, MOST_CLIENTS],
  })
  if (rowsAffected === 0) throw new AppError('client-limit')
  app.log.info('a managed client was added', { client: clientId, orgId, by: userId })
  return { clientId, clientSecret }
}

interface ListedRow {
  id: string
  name: string
  redirectUris: string
  people: number
  createdAt: number
  lastUsedAt: number | null
}

/** The clients of an organization, oldest first, with the people whom they act for now. */
export async function listManagedClients(app: App, orgId: string): Promise<ManagedClient[]> {
  const rows = await app.db.prepareRead<ListedRow>(
    `select c.id, c.name, c.redirect_uris as redirectUris, c.created_at as createdAt,
      (select max(g.last_used_at) from oauth_grants g where g.client_id = c.id) as lastUsedAt,
      (select count(distinct g.user_id) from oauth_grants g
        where g.client_id = c.id and g.revoked_at is null and g.expires_at > ?) as people
     from fw_managed_clients c where c.org_id = ? order by c.created_at, c.id`,
  )([app.now().getTime(), orgId])
  return rows.map(row => ({
    ...row,
    redirectUris: urisOf(row),
    createdAt: isoTimeOrNull(row.createdAt) ?? '',
    lastUsedAt: isoTimeOrNull(row.lastUsedAt),
  }))
}

const urisOf = ({ redirectUris }: { redirectUris: string }): string[] =>
  z.array(z.string()).parse(JSON.parse(redirectUris))

/** Deletes a client and ends its grants in one transaction. Throws `not-found`. */
export async function endManagedClient(app: App, orgId: string, id: string): Promise<void> {
  const isTheirs = { sql: 'client_id = ? and org_id = ?', args: [id, orgId] }
  const [deleted] = await app.db.client.batch(
    [
      { sql: 'delete from fw_managed_clients where id = ? and org_id = ?', args: [id, orgId] },
      endGrantsStatement(isTheirs, 'client-deleted', app.now().getTime()),
    ],
    'write',
  )
  if (deleted?.rowsAffected !== 1) throw new AppError('not-found')
  app.log.info('a managed client was deleted', { client: id, orgId })
}

interface ClientRow {
  id: string
  orgId: string
  name: string
  redirectUris: string
  secretHash: string
}

const FIND = `select c.id, c.org_id as orgId, c.name, c.redirect_uris as redirectUris, c.secret_hash as secretHash
  from fw_managed_clients c join (${OPEN_ORGANIZATIONS}) o on o.id = c.org_id where c.id = ?`

/** The client with this ID while its organization is in use; null for every other ID. */
export async function findManagedClient(app: App, id: string): Promise<OAuthClient | null> {
  const row = await findRow(app, id)
  return row ? toClient(row) : null
}

/** The same when the secret is right. */
export async function authenticateManagedClient(app: App, id: string, secret: string): Promise<OAuthClient | null> {
  const row = await findRow(app, id)
  return row?.secretHash === sha256(secret) ? toClient(row) : null
}

async function findRow(app: App, id: string): Promise<ClientRow | undefined> {
  const find = app.memo('find-managed-client', () => app.db.prepareRead<ClientRow>(FIND))
  return (await find([id]))[0]
}

function toClient(row: ClientRow): OAuthClient {
  const { id, orgId, name } = row
  const redirectUris = urisOf(row)
  const applicationType = applicationTypeOf(redirectUris)
  return { id, name, source: 'managed', host: null, redirectUris, applicationType, renews: false, orgId }
}

/** SQL: whether a client is still a managed client of an organization (columns). */
export const isManagedIn = (clientId: string, orgId: string): string =>
  `exists (select 1 from fw_managed_clients k where k.id = ${clientId} and k.org_id = ${orgId})`

/** SQL: whether a client may act in an organization (columns). A managed client may in its own alone. */
export const servesOrg = (clientId: string, orgId: string): string =>
  `not exists (select 1 from fw_managed_clients k where k.id = ${clientId} and k.org_id <> ${orgId})`
