// Agents that a customer manages: whose assertions connect them, without a consent page (ID-JAG).
import type { App } from '#fairway/server/kernel/app-context'
import { connectionProvider } from '#fairway/shared/connection-provider'
import { assertionIssuersOf, type ConnectionRow, requireConnection } from './connections'

/** SQL: the issuers whose assertions a connection (`c`) accepts, as rows with a `value`. */
const ISSUERS = 'select value from json_each(coalesce(c.assertion_issuers, json_array(c.issuer)))'

/** SQL: whether a connection still vouches for a grant: `grant` has `org_id`, `provider` and `assertion_issuer`. */
export const vouchesFor = (grant: string): string =>
  `exists (select 1 from fw_org_connections c where c.id = substr(${grant}.provider, ${connectionProvider('').length + 1})
    and c.org_id = ${grant}.org_id and c.state = 'active' and c.managed_agents = 1 and ${grant}.assertion_issuer in (${ISSUERS}))`

/** An active connection that accepts the assertions of an issuer. */
export interface AgentConnection {
  id: string
  orgId: string
  /** The issuer that people sign in with. */
  issuer: string
}

/** The connections that accept the assertions of an issuer: of one organization, or of all without one. At most twenty. */
export async function findAgentConnections(
  app: App,
  issuer: string,
  orgId: string | undefined,
): Promise<AgentConnection[]> {
  const find = app.memo(`find-agent-connections:${orgId === undefined}`, () =>
    app.db.prepareRead<AgentConnection>(
      `select c.id, c.org_id as orgId, c.issuer from fw_org_connections c join organizations o on o.id = c.org_id
       where c.managed_agents = 1 and c.state = 'active' and ? in (${ISSUERS}) and o.deleted_at is null
         ${orgId === undefined ? '' : 'and c.org_id = ?'} order by c.created_at, c.id limit 20`,
    ),
  )
  return find(orgId === undefined ? [issuer] : [issuer, orgId])
}

/** What owners decide about agents; a missing part stays. The issuers are as they name themselves; null is the connection's own. */
export interface AgentSettings {
  managedAgents?: boolean
  assertionIssuers?: readonly string[] | null
}

/** Changes what a connection accepts from agents. Grants that it no longer vouches for end in the same transaction. */
export async function setManagedAgents(
  app: App,
  row: ConnectionRow,
  { managedAgents, assertionIssuers }: AgentSettings,
): Promise<ConnectionRow> {
  const { id, orgId, issuer } = row
  const isOn = managedAgents ?? row.managedAgents === 1
  const named = assertionIssuers === undefined ? assertionIssuersOf(row) : (assertionIssuers ?? [])
  const isOwn = named.length === 0 || (named.length === 1 && named[0] === issuer)
  await app.db.client.batch(
    [
      {
        sql: 'update fw_org_connections set managed_agents = ?, assertion_issuers = ? where id = ? and org_id = ?',
        args: [Number(isOn), isOwn ? null : JSON.stringify(named), id, orgId],
      },
      ...endUnvouchedStatements(app, orgId),
    ],
    'write',
  )
  app.log.warn('the managed agents of a connection have changed', { orgId, connectionId: id, isOn, issuers: named })
  return requireConnection(app, orgId, id)
}

/** The statements that end the grants of agents that no connection of the organization vouches for any more. */
export const endUnvouchedStatements = (app: App, orgId: string) =>
  app.dependents.flatMap(rows => rows.endUnvouched?.(orgId, app.now().getTime()) ?? [])
