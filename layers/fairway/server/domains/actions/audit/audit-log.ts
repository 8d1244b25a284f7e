import { and, asc, count, desc, eq, gt, gte, lt, type SQL } from 'drizzle-orm'
import { z } from 'zod'
import { inPieces, exportRows, type ExportFormat } from '#fairway/server/kernel/export-rows'
import { requireOrg } from '#fairway/server/domains/organizations'
import type { App } from '#fairway/server/kernel/app-context'
import { AUDIT_CALLERS, AUDIT_OUTCOMES, type AuditPage } from '#fairway/shared/schemas/audit'
import type { Session } from '#fairway/shared/schemas/session'
import type { AuditRow } from './audit-chain'
import { auditLog } from '../tables'

const text = z.string().trim().max(200).optional()
const time = z.iso
  .datetime({ offset: true })
  .transform(value => new Date(value))
  .optional()

/** The filters of the audit log as query parameters; times are ISO 8601. */
export const auditFilterShape = {
  action: text,
  email: z.string().trim().toLowerCase().max(200).optional(),
  caller: z.enum(AUDIT_CALLERS).optional(),
  outcome: z.enum(AUDIT_OUTCOMES).optional(),
  from: time,
  until: time,
}
const filterSchema = z.object(auditFilterShape)
type AuditFilter = z.output<typeof filterSchema>

const whereOf = (orgId: string, { action, email, caller, outcome, from, until }: AuditFilter): SQL | undefined =>
  and(
    eq(auditLog.orgId, orgId),
    action ? eq(auditLog.action, action) : undefined,
    email ? eq(auditLog.userEmail, email) : undefined,
    caller ? eq(auditLog.caller, caller) : undefined,
    outcome ? eq(auditLog.outcome, outcome) : undefined,
    from ? gte(auditLog.at, from) : undefined,
    until ? lt(auditLog.at, until) : undefined,
  )

const toEntry = ({ at, chain: _chain, orgId: _orgId, fold: _fold, openUntil: _openUntil, ...row }: AuditRow) => ({
  ...row,
  at: at.toISOString(),
})

/** One page of what was done in the caller's organization, the latest first; throws `forbidden` for members. */
export async function listAuditLog(
  app: App,
  session: Session,
  { page, itemsPerPage, ...filter }: AuditFilter & { page: number; itemsPerPage: number },
): Promise<AuditPage> {
  const where = whereOf(requireOrg(session, 'read-audit-log').orgId, filter)
  const [rows, counted] = await Promise.all([
    app.db.orm
      .select()
      .from(auditLog)
      .where(where)
      .orderBy(desc(auditLog.at), desc(auditLog.id))
      .limit(itemsPerPage)
      .offset((page - 1) * itemsPerPage),
    app.db.orm.select({ n: count() }).from(auditLog).where(where),
  ])
  return { entries: rows.map(toEntry), totalItems: counted[0]?.n ?? 0 }
}

const COLUMNS = [
  'at',
  'action',
  'caller',
  'via',
  'userEmail',
  'outcome',
  'errorCode',
  'times',
  'input',
  'requestId',
  'seq',
  'hash',
  'id',
]

/** All of it that matches as a file, the oldest first; throws `forbidden` for members. */
export function exportAuditLog(app: App, session: Session, filter: AuditFilter, format: ExportFormat) {
  const where = whereOf(requireOrg(session, 'read-audit-log').orgId, filter)
  return exportRows(eachEntry(app, where), COLUMNS, format)
}

// Ids are in the order of time, so each piece begins behind the last id.
async function* eachEntry(app: App, where: SQL | undefined): AsyncGenerator<ReturnType<typeof toEntry>> {
  const read = (after: AuditRow | undefined, limit: number) =>
    app.db.orm
      .select()
      .from(auditLog)
      .where(and(where, gt(auditLog.id, after?.id ?? '')))
      .orderBy(asc(auditLog.id))
      .limit(limit)
  for await (const row of inPieces(read)) yield toEntry(row)
}
