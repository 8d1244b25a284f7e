// The connections of an organization to its own OpenID provider: what is stored, and what may happen to it.
import { z } from 'zod'
import type { App } from '#fairway/server/kernel/app-context'
import { newId } from '#fairway/server/kernel/crypto/random'
import type { SealedColumn } from '#fairway/server/kernel/crypto/reseal'
import { seal, unseal } from '#fairway/server/kernel/crypto/seal'
import { isoTimeOrNull } from '#fairway/server/kernel/iso-time'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { CLIENT_KEYS_PATH, connectionCallbackPath, connectionStartPath } from '#fairway/shared/paths'
import {
  type ConnectionTest,
  connectionTestSchema,
  type IdentityConnection,
} from '#fairway/shared/schemas/identity-connection'
import { joinStatements, logMoves, moveStatements } from './active-org'
import { checkNotKeptOut, isNotKeptOut } from './directory-membership'
import { hasProved } from './domain-names'
import type { Actor } from './org-context'
import { findMembership } from './switch-organization'
import type { orgConnections } from './tables'

type Stored = typeof orgConnections.$inferSelect

/** A connection as the domains that sign people in use it. */
export type ConnectionRow = Omit<
  Stored,
  'provision' | 'managedAgents' | 'createdAt' | 'secretEndsAt' | 'secretToldDays'
> & {
  provision: number
  managedAgents: number
  createdAt: number
  secretEndsAt: number | null
}

/** What its organization can set. */
export interface ConnectionSettings {
  name: string
  issuer: string | null
  clientId: string | null
  clientAuth: Stored['clientAuth']
  /** Undefined keeps the stored one. */
  clientSecret?: string | null
  domain: string | null
  provision: boolean
  defaultRole: Stored['defaultRole']
}

const SECRET_PURPOSE = 'org-connection-secret'
const MOST_CONNECTIONS = 20
const COLUMNS = `c.id, c.org_id as orgId, c.name, c.issuer, c.client_id as clientId, c.client_auth as clientAuth,
  c.client_secret as clientSecret, c.domain, c.provision, c.default_role as defaultRole, c.state, c.test,
  c.managed_agents as managedAgents, c.assertion_issuers as assertionIssuers, c.secret_ends_at as secretEndsAt,
  c.created_by as createdBy, c.created_at as createdAt`

const sealContext = (id: string): string => `org-connection/${id}`

/** The secret of the client, in plain text; undefined without one. Throws UnsealError. */
export const openClientSecret = (app: App, { id, clientSecret }: ConnectionRow): string | undefined =>
  clientSecret === null ? undefined : unseal(app.config.keys, SECRET_PURPOSE, clientSecret, sealContext(id))

/** The issuers whose assertions connect agents: those that an owner named, else the connection's own. */
export const assertionIssuersOf = ({ assertionIssuers, issuer }: ConnectionRow): string[] =>
  assertionIssuers === null ? [issuer ?? []].flat() : z.array(z.string()).parse(JSON.parse(assertionIssuers))

/** A connection as its organization sees it. */
export const toConnection = (app: App, row: ConnectionRow): IdentityConnection => {
  const { id, name, issuer, clientId, clientAuth, domain, defaultRole, state } = row
  const { baseUrl } = app.config
  return {
    id,
    name,
    issuer,
    clientId,
    clientAuth,
    domain,
    defaultRole,
    state,
    hasSecret: row.clientSecret !== null,
    secretEndsOn: isoTimeOrNull(row.secretEndsAt)?.slice(0, 10) ?? null,
    provision: row.provision === 1,
    managedAgents: row.managedAgents === 1,
    assertionIssuers: assertionIssuersOf(row),
    redirectUri: baseUrl + connectionCallbackPath(id),
    loginUri: baseUrl + connectionStartPath(id),
    jwksUri: baseUrl + CLIENT_KEYS_PATH,
    test: row.test === null ? null : z.parse(connectionTestSchema, JSON.parse(row.test)),
    createdAt: new Date(row.createdAt).toISOString(),
  }
}

/** The connections of an organization, oldest first. */
export async function listIdentityConnections(app: App, orgId: string): Promise<IdentityConnection[]> {
  const find = app.db.prepareRead<ConnectionRow>(
    `select ${COLUMNS} from fw_org_connections c where c.org_id = ? order by c.created_at, c.id`,
  )
  return (await find([orgId])).map(row => toConnection(app, row))
}

/** A connection of this organization; throws `not-found`. */
export async function requireConnection(app: App, orgId: string, id: string): Promise<ConnectionRow> {
  const row = await findConnection(app, id)
  if (row?.orgId !== orgId) throw new AppError('not-found')
  return row
}

/** A connection of an organization that is in use. */
export async function findConnection(app: App, id: string): Promise<ConnectionRow | undefined> {
  const find = app.db.prepareRead<ConnectionRow>(
    `select ${COLUMNS} from fw_org_connections c join organizations o on o.id = c.org_id
     where c.id = ? and o.deleted_at is null`,
  )
  return (await find([id]))[0]
}

/**
 * The active connection for the addresses of a domain. Only the domain decides, so the answer tells nothing about persons. A
 * lapsed domain still leads there, because people who are linked go on.
 */
export async function findConnectionFor(app: App, domain: string): Promise<ConnectionRow | undefined> {
  const find = app.db.prepareRead<ConnectionRow>(
    `select ${COLUMNS} from fw_org_domains d join organizations o on o.id = d.org_id and o.deleted_at is null
     join fw_org_connections c on c.org_id = d.org_id and c.state = 'active' and (c.domain is null or c.domain = d.domain)
     where d.domain = ? and d.status <> 'pending' order by c.domain is null limit 1`,
  )
  return (await find([domain]))[0]
}

/** Whether a connection vouches for the addresses of a domain: its organization has proved it, and no other one serves it. */
export async function servesDomain(
  app: App,
  { id, orgId, domain: only }: ConnectionRow,
  domain: string,
): Promise<boolean> {
  const [row] = await app.db.prepareRead<{ serves: number }>(
    `select ${hasProved('?1', '?2')} and (?3 is null or ?3 = ?2) and (?3 is not null or not exists (
      select 1 from fw_org_connections c where c.org_id = ?1 and c.domain = ?2 and c.state = 'active' and c.id <> ?4)) as serves`,
  )([orgId, domain, only, id])
  return row?.serves === 1
}

/** Adds a connection as a draft. Throws `connection-limit`. */
export async function addConnection(
  app: App,
  { orgId, userId }: Pick<Actor, 'orgId' | 'userId'>,
  settings: ConnectionSettings,
): Promise<ConnectionRow> {
  const id = newId()
  const { name, issuer, clientId, clientAuth, domain, provision, defaultRole } = settings
  const { rowsAffected } = await app.db.client.execute({
    sql: `insert into fw_org_connections (id, org_id, name, issuer, client_id, client_auth, client_secret, domain, provision,
        default_role, state, created_by, created_at)
      select ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'draft', ?, ? where (select count(*) from fw_org_connections where org_id = ?) < ?`,
    args: [
      id,
      orgId,
      name,
      issuer,
      clientId,
      clientAuth,
      sealSecret(app, id, settings) ?? null,
      domain,
      Number(provision),
      defaultRole,
      userId,
      app.now().getTime(),
      orgId,
      MOST_CONNECTIONS,
    ],
  })
  if (rowsAffected === 0) throw new AppError('connection-limit')
  return requireConnection(app, orgId, id)
}

const sealSecret = (app: App, id: string, { clientSecret }: ConnectionSettings): string | null | undefined =>
  clientSecret ? seal(app.config.keys, SECRET_PURPOSE, clientSecret, sealContext(id)) : clientSecret

/**
 * Changes a connection. Another issuer, client or way to authenticate makes it a draft again, so it is tested anew. Another issuer
 * does not get the stored secret, which was given for the former one. While it is active, its issuer and client stay: throws
 * `in-use`.
 */
export async function changeConnection(
  app: App,
  row: ConnectionRow,
  settings: ConnectionSettings,
): Promise<ConnectionRow> {
  const { id, orgId } = row
  const { name, issuer, clientId, clientAuth, domain, provision, defaultRole } = settings
  const isOther = issuer !== row.issuer || clientId !== row.clientId || clientAuth !== row.clientAuth
  const secretThatStays = row.issuer === null || issuer === row.issuer ? row.clientSecret : null
  const secret = sealSecret(app, id, settings)
  const { rowsAffected } = await app.db.client.execute({
    sql: `update or ignore fw_org_connections set name = ?, issuer = ?, client_id = ?, client_auth = ?, client_secret = ?, domain = ?,
        provision = ?, default_role = ?, state = case when ? then 'draft' else state end, test = case when ? then null else test end
      where id = ? and org_id = ? and (not ? or state <> 'active')`,
    args: [
      name,
      issuer,
      clientId,
      clientAuth,
      secret === undefined ? secretThatStays : secret,
      domain,
      Number(provision),
      defaultRole,
      Number(isOther),
      Number(isOther),
      id,
      orgId,
      Number(isOther),
    ],
  })
  if (rowsAffected === 0)
    throw new AppError('in-use', { detail: 'Deactivate the connection first, or serve another domain with it.' })
  return requireConnection(app, orgId, id)
}

/** Records what a test has seen. A draft is tested from then on. */
export async function noteTest(app: App, { id }: ConnectionRow, test: ConnectionTest): Promise<void> {
  await app.db.client.execute({
    sql: `update fw_org_connections set test = ?, state = case state when 'draft' then 'tested' else state end where id = ?`,
    args: [JSON.stringify(test), id],
  })
}

/** Whether a person may come in by a connection: a member, or anyone when it provisions. Null is a new person. */
export const admits = async (app: App, { orgId, provision }: ConnectionRow, userId: string | null): Promise<boolean> =>
  provision === 1 || (userId !== null && (await findMembership(app, userId, orgId)) !== null)

/**
 * Lets a person work in the organization of a connection after a sign-in by it. A new one becomes a member while it provisions.
 * Throws `not-a-member`, `directory-removed` and `plan-limit`.
 */
export async function enterByConnection(app: App, { id, orgId }: ConnectionRow, userId: string): Promise<void> {
  const isOpen = {
    sql: `exists (select 1 from fw_org_connections c where c.id = ? and c.state = 'active' and c.provision = 1
      and ${isNotKeptOut('c.org_id', '?')})`,
    args: [id, userId],
  }
  const results = await app.db.client.batch(
    [
      ...joinStatements(userId, orgId, isOpen),
      {
        sql: `insert into org_members (org_id, user_id, role, joined_at)
          select c.org_id, ?, c.default_role, ? from fw_org_connections c
          where c.id = ? and c.state = 'active' and c.provision = 1 and ${isNotKeptOut('c.org_id', '?')}
          on conflict do nothing`,
        args: [userId, app.now().getTime(), id, userId],
      },
      ...moveStatements(userId, orgId),
    ],
    'write',
  )
  if (!(await findMembership(app, userId, orgId))) {
    await checkNotKeptOut(app, { orgId, userId })
    throw new AppError('not-a-member')
  }
  await logMoves(app, results, 'signed in by a connection')
}

/** The columns of connections that are sealed with the application's secret. */
export const orgConnectionSealedColumns: SealedColumn[] = [
  {
    table: 'fw_org_connections',
    column: 'client_secret',
    purpose: SECRET_PURPOSE,
    context: ({ id }) => sealContext(String(id)),
  },
]
