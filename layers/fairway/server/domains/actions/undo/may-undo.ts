import { and, eq, inArray, isNull, or, type SQL } from 'drizzle-orm'
import type { App } from '#fairway/server/kernel/app-context'
import { mayInOrg } from '#fairway/shared/roles'
import type { AuditEntry } from '#fairway/shared/schemas/audit'
import type { Session } from '#fairway/shared/schemas/session'
import { undoCalls } from '../tables'

type Caller = Pick<Session, 'userId' | 'orgId' | 'orgRole'>

/** SQL: people undo what was done in their own name. Those who read the audit log undo also what others did to rows open to all. */
export function mayUndo({ userId, orgId, orgRole }: Caller): SQL | undefined {
  const isOpen = orgRole !== null && mayInOrg(orgRole, 'read-audit-log') ? eq(undoCalls.isOpen, true) : undefined
  return and(eq(undoCalls.orgId, orgId ?? ''), isNull(undoCalls.undoneAt), or(eq(undoCalls.userId, userId), isOpen))
}

/** Marks the entries whose calls the reader can undo. */
export async function withUndoable(app: App, reader: Session, entries: AuditEntry[]): Promise<AuditEntry[]> {
  const ids = [...new Set(entries.map(({ requestId }) => requestId))]
  if (ids.length === 0) return entries
  const { requestId, action } = undoCalls
  const rows = await app.db.orm
    .select({ requestId, action })
    .from(undoCalls)
    .where(and(inArray(requestId, ids), mayUndo(reader)))
  const undoable = new Set(rows.map(row => `${row.requestId} ${row.action}`))
  return entries.map(entry =>
    undoable.has(`${entry.requestId} ${entry.action}`) ? { ...entry, canUndo: true as const } : entry,
  )
}
