import { requireOrg } from '#fairway/server/domains/organizations'
import type { App } from '#fairway/server/kernel/app-context'
import { AppError } from '#fairway/server/kernel/http/app-error'
import type { ConnectedApp, OrganizationGrant } from '#fairway/shared/schemas/grant'
import type { Session } from '#fairway/shared/schemas/session'
import { SCOPE_WORDS, SUPPORTED_SCOPES } from '#fairway/shared/scopes'
import { endGrant } from './end-grant'
import { grantJoins, isUnended } from './live-grant-sql'

interface AppRow {
  id: string
  clientId: string
  clientName: string
  clientUri: string | null
  orgId: string
  orgName: string
  userId: string
  email: string
  name: string
  scope: string
  createdAt: number
  lastUsedAt: number
  expiresAt: number
}

const MOST_ROWS = 1000

// A grant whose code was never exchanged connects nothing.
const listSql = (app: App, condition: string): string => `
  select g.id as id, g.client_id as clientId, g.client_name as clientName, c.client_uri as clientUri, o.id as orgId, o.name as orgName,
    u.id as userId, u.email as email, u.name as name, g.scope as scope, g.created_at as createdAt, g.last_used_at as lastUsedAt,
    g.expires_at as expiresAt
  from oauth_grants g ${grantJoins} left join oauth_clients c on c.id = g.client_id
  where ${condition} and ${isUnended(app.config)} and g.last_used_at is not null
  order by g.last_used_at desc, g.id desc limit ${MOST_ROWS}`

/** What is connected to the account of a person, in all their organizations, the one used last first. */
export async function listGrants(app: App, { userId }: Session): Promise<ConnectedApp[]> {
  const rows = await app.db.prepareRead<AppRow>(listSql(app, 'g.user_id = ?'))([userId, app.now().getTime()])
  return rows.map(toConnectedApp)
}

/** What members have connected to the organization that a person works in; throws `no-organization`, and `forbidden` unless they are an owner or admin. */
export async function listOrgGrants(app: App, session: Session): Promise<OrganizationGrant[]> {
  const { orgId } = requireOrg(session, 'list-grants')
  const rows = await app.db.prepareRead<AppRow>(listSql(app, 'g.org_id = ?'))([orgId, app.now().getTime()])
  return rows.map(row => ({ ...toConnectedApp(row), userId: row.userId, email: row.email, name: row.name }))
}

/** Disconnects an app of one's own; it is over on its next call. Throws `not-found` for one that is not theirs, or has ended. */
export async function disconnectApp(app: App, { userId }: Session, grantId: string): Promise<void> {
  await requireGrant(app, grantId, 'user_id', userId)
  if (await endGrant(app, grantId, 'person')) app.log.info('app disconnected', { userId, grantId })
}

/** Disconnects an app of a member from the organization a person works in; throws `no-organization`, `forbidden` and `not-found`. */
export async function disconnectOrgApp(app: App, session: Session, grantId: string): Promise<void> {
  const { orgId, userId } = requireOrg(session, 'revoke-grant')
  await requireGrant(app, grantId, 'org_id', orgId)
  if (await endGrant(app, grantId, 'admin'))
    app.log.info('app of a member disconnected', { orgId, by: userId, grantId })
}

async function requireGrant(app: App, grantId: string, column: 'user_id' | 'org_id', value: string): Promise<void> {
  const [row] = await app.db.prepareRead(
    `select 1 as found from oauth_grants where id = ? and ${column} = ? and revoked_at is null`,
  )([grantId, value])
  if (!row) throw new AppError('not-found')
}

function toConnectedApp(row: AppRow): ConnectedApp {
  const granted = row.scope.split(' ')
  return {
    id: row.id,
    clientId: row.clientId,
    clientName: row.clientName,
    clientHost: hostOf(row.clientId) ?? hostOf(row.clientUri),
    orgId: row.orgId,
    orgName: row.orgName,
    scopes: SUPPORTED_SCOPES.filter(scope => granted.includes(scope)).map(scope => ({
      scope,
      description: SCOPE_WORDS[scope],
    })),
    createdAt: new Date(row.createdAt).toISOString(),
    lastUsedAt: new Date(row.lastUsedAt).toISOString(),
    expiresAt: new Date(row.expiresAt).toISOString(),
  }
}

/** The host of a web address; null for everything else, a registered client's id for example. */
const hostOf = (address: string | null): string | null =>
  address !== null && /^https?:/i.test(address) && URL.canParse(address) ? new URL(address).host : null
