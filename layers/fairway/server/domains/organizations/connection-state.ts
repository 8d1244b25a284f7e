// Whether people sign in by a connection: what it needs before, and what keeps it.
import { personJoin } from '#fairway/server/domains/people'
import type { App } from '#fairway/server/kernel/app-context'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { connectionProvider } from '#fairway/shared/connection-provider'
import type { UsedBy } from '#fairway/shared/schemas/domain'
import type { ConnectionRow } from './connections'
import { endUnvouchedStatements } from './managed-agents'

/** SQL: the members (`m`, `u`) whose addresses a connection serves: the domain `?2`, or without one all proved domains. */
const SERVED = `select count(*) as people from org_members m ${personJoin('m.user_id')}
  where m.org_id = ?1 and exists (select 1 from fw_org_domains d where d.org_id = m.org_id and d.status = 'proved'
    and d.domain = substr(u.email, instr(u.email, '@') + 1) and (?2 is null or d.domain = ?2))`

/** Counts the members whose addresses a connection serves. */
export async function countServed(app: App, { orgId, domain }: ConnectionRow): Promise<number> {
  const [row] = await app.db.prepareRead<{ people: number }>(SERVED)([orgId, domain])
  return row?.people ?? 0
}

/**
 * Checks that people may sign in by a connection from now on. Throws `connection-not-tested`, `domain-required`, and `in-use` when
 * another active connection serves the same domains.
 */
export async function checkActivation(app: App, { id, orgId, domain, test }: ConnectionRow): Promise<void> {
  if (test === null) throw new AppError('connection-not-tested')
  const [row] = await app.db.prepareRead<{ isProved: number; other: string | null }>(
    `select exists (select 1 from fw_org_domains where org_id = ?1 and status = 'proved' and (?2 is null or domain = ?2)) as isProved,
      (select name from fw_org_connections where org_id = ?1 and id <> ?3 and state = 'active' and domain is ?2) as other`,
  )([orgId, domain, id])
  if (row?.isProved !== 1) throw new AppError('domain-required')
  if (row.other !== null) {
    throw new AppError('in-use', {
      detail: `“${row.other}” serves the same domains. Deactivate it, or give each its domain.`,
    })
  }
}

/** Lets people sign in by a connection. Throws the errors of `checkActivation`. */
export async function activateConnection(app: App, row: ConnectionRow): Promise<void> {
  await checkActivation(app, row)
  const { rowsAffected } = await app.db.client.execute({
    sql: `update or ignore fw_org_connections set state = 'active' where id = ? and test is not null`,
    args: [row.id],
  })
  if (rowsAffected === 0) throw new AppError('conflict')
  app.log.info('a connection was activated', { orgId: row.orgId, connectionId: row.id })
}

/** SQL: whether the sign-in rule of an organization requires a connection (columns). */
export const isRequired = (orgId: string, id: string): string =>
  `exists (select 1 from organizations r where r.id = ${orgId} and r.required_auth_provider = '${connectionProvider('')}' || ${id})`

const RULED = isRequired('fw_org_connections.org_id', 'fw_org_connections.id')

/** The refusal of a change that these uses forbid; a page may offer to end them, in this order. */
export const inUse = (uses: readonly (UsedBy & { reason: string })[]): AppError =>
  new AppError('in-use', {
    detail: uses[0]?.reason,
    extra: { uses: uses.map(({ kind, id, name }): UsedBy => ({ kind, id, name })) },
  })

/**
 * Stops sign-ins by a connection, and ends what its agents got; sessions go on. Throws `in-use` while the sign-in rule requires it.
 */
export async function deactivateConnection(app: App, row: ConnectionRow): Promise<void> {
  const deactivate = {
    sql: `update fw_org_connections set state = 'off' where id = ? and state = 'active' and not ${RULED}`,
    args: [row.id],
  }
  const [stopped] = await app.db.client.batch([deactivate, ...endUnvouchedStatements(app, row.orgId)], 'write')
  if (stopped?.rowsAffected === 0) await refuseIfUsed(app, row)
}

/** Deletes a connection that is not active. Throws `in-use`. */
export async function deleteConnection(app: App, row: ConnectionRow): Promise<void> {
  const { rowsAffected } = await app.db.client.execute({
    sql: `delete from fw_org_connections where id = ? and state <> 'active' and not ${RULED}`,
    args: [row.id],
  })
  if (rowsAffected === 1) return
  await refuseIfUsed(app, row)
  throw new AppError('in-use', { detail: 'Deactivate the connection first.' })
}

async function refuseIfUsed(app: App, row: ConnectionRow): Promise<void> {
  const find = app.db.prepareRead(`select 1 from fw_org_connections where id = ? and ${RULED}`)
  const reason = 'The sign-in policy requires this connection. Change the policy first.'
  if ((await find([row.id])).length > 0) throw inUse([{ kind: 'rule', id: row.id, name: row.name, reason }])
}
