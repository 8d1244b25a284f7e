// Rows of the log for those who are told of them. Only chained rows are told: they never change again, and their places have no gaps,
// so that what was told before a place is complete, whichever instance wrote or chained a row and when.
import { and, eq } from 'drizzle-orm'
import type { App } from '#fairway/server/kernel/app-context'
import type { SqlPart } from '#fairway/server/kernel/dependent-rows'
import type { EventTime } from '#fairway/server/kernel/security-events/list-security-events'
import { auditLog } from '../tables'
import { EXPORTED_COLUMNS } from './audit-log'

/** The last place of the chain of each of these organizations; 0 where nothing is chained yet. */
export async function auditHeadsOf(app: App, orgIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const find = app.memo('audit-heads-of', () =>
    app.db.prepareRead<{ chain: string; seq: number }>(
      'select chain, seq from audit_heads where chain in (select value from json_each(?))',
    ),
  )
  const rows = orgIds.length > 0 ? await find([JSON.stringify(orgIds)]) : []
  return new Map(rows.map(({ chain, seq }) => [chain, seq]))
}

/** What is known of a row before it is read: its place, and when who did what. */
export interface LoggedEvent {
  seq: number
  id: string
  action: string
  /** Milliseconds since 1970. */
  at: number
}

interface After {
  orgId: string
  seq: number
}

/** The chained rows of an organization after a place, in their order, `most` at most. */
export async function listAuditEvents(app: App, { orgId, seq }: After, most: number): Promise<LoggedEvent[]> {
  const find = app.memo('audit-events-after', () =>
    app.db.prepareRead<LoggedEvent>(
      'select seq, id, action, at from audit_log where chain = ? and seq > ? order by seq limit ?',
    ),
  )
  return find([orgId, seq, most])
}

/** The select of an organization's chained rows after a time, the oldest first: `id`, `at`, and `type` as webhooks name it. */
export const auditEventsSince = (orgId: string, { at, id }: EventTime, most: number): SqlPart => ({
  sql: `select id, at, 'audit.' || action as type from audit_log
    where org_id = ? and (at, id) > (?, ?) and seq is not null order by at, id limit ?`,
  args: [orgId, at, id, most],
})

/** One row of an organization as its export holds it; undefined for one of another organization. */
export async function findAuditEvent(
  app: App,
  orgId: string,
  id: string,
): Promise<Record<string, unknown> | undefined> {
  const [row] = await app.db.orm
    .select()
    .from(auditLog)
    .where(and(eq(auditLog.id, id), eq(auditLog.orgId, orgId)))
  if (!row) return undefined
  const entry: Record<string, unknown> = { ...row, at: row.at.toISOString() }
  return Object.fromEntries(EXPORTED_COLUMNS.map(column => [column, entry[column] ?? null]))
}
