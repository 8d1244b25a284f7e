import { setImmediate } from 'node:timers/promises'
import { and, desc, eq, gt, inArray, isNotNull, isNull, notInArray, or, type SQL, sql } from 'drizzle-orm'
import { accessibleTo } from '#fairway/server/domains/organizations'
import type { App } from '#fairway/server/kernel/app-context'
import type { ActivityPage } from '#fairway/shared/schemas/audit'
import type { Session } from '#fairway/shared/schemas/session'
import type { Action } from '../action'
import { auditLog } from '../tables'
import type { AuditRow } from './audit-chain'
import { peopleIn } from './audit-log'
import { type Subjects, subjectsOf, toEntries } from './audit-subject'
import { OF_EVERY_MEMBER } from './follow-audit'

const DAY_IN_MS = 24 * 60 * 60 * 1000
/** The period that the feed covers; older entries are only in the audit log. */
const REACH_IN_MS = 90 * DAY_IN_MS

/**
 * Rows that one statement reads. Together with the number of statements per request it bounds the work, because rows that the
 * person may not see cost time too.
 */
const ROWS_OF_A_PIECE = 1000
const MOST_PIECES = 5

/** Navigation and reading are not news. */
const NO_NEWS = ['switch-organization', 'export-audit-log', 'export-collection', 'export-security-events']

interface CatalogEntry {
  name: string
  action: Action
}

interface ActivityQuery {
  /** The `next` of the previous page. */
  before?: string
  itemsPerPage: number
}

/**
 * Lists recent activity that a person may see, newest first: their own actions, actions that every member may know of, and
 * actions of others on rows. Such a row must be one that the person may read now, or that the whole organization could read at
 * that time. Actions of others that keep texts or name no row appear only in the audit log. Reads at most 5,000 rows of the log,
 * so a page may be short or empty and still have a `next`.
 */
export async function listActivity(
  app: App,
  session: Session,
  catalog: readonly CatalogEntry[],
  { before, itemsPerPage }: ActivityQuery,
): Promise<Omit<ActivityPage, 'hosts'>> {
  const subjects = subjectsOf(catalog)
  const news = and(
    isNull(auditLog.orgId).if(session.orgId === null),
    eq(auditLog.outcome, 'ok'),
    notInArray(auditLog.action, NO_NEWS),
    or(
      eq(auditLog.userId, session.userId),
      inArray(auditLog.action, OF_EVERY_MEMBER),
      and(inArray(auditLog.action, tellable(catalog)), mayRead(session, subjects)),
    ),
  )
  const rows: AuditRow[] = []
  let from = before
  for (let piece = 0; piece < MOST_PIECES && rows.length <= itemsPerPage; piece++) {
    if (piece > 0) await setImmediate()
    const statements = activityStatements(app, session, from)
    const [until] = await statements.end
    rows.push(...(await statements.rows(news, until?.id, itemsPerPage + 1 - rows.length)))
    from = until?.id
    if (!until) break
  }
  const shown = rows.slice(0, itemsPerPage)
  const next = (rows.length > itemsPerPage ? shown.at(-1)?.id : from) ?? null
  const told = await toEntries(app, session, subjects, shown)
  // Members see that others did something, not from where, and not the values that they changed.
  const entries = told.map(entry => ({ ...entry, clientAddress: null, device: null, changes: null }))
  return { entries, people: await peopleIn(app, session.orgId, entries), next }
}

/** The statements for one batch of the feed; a test checks that indexes serve them. */
export function activityStatements(app: App, session: Session, before: string | undefined) {
  const scope = and(
    session.orgId === null ? eq(auditLog.userId, session.userId) : eq(auditLog.orgId, session.orgId),
    before === undefined ? undefined : isBefore(before),
  )
  const isInReach = gt(auditLog.at, new Date(app.now().getTime() - REACH_IN_MS))
  const newestFirst = [desc(auditLog.at), desc(auditLog.id)] as const
  return {
    /** The end of the batch; no row when fewer rows remain. */
    end: app.db.orm
      .select({ id: auditLog.id })
      .from(auditLog)
      .where(and(scope, isInReach))
      .orderBy(...newestFirst)
      .limit(1)
      .offset(ROWS_OF_A_PIECE - 1),
    /** The matching rows of the batch. It has only one lower bound, because with two SQLite reads as far as the wider one. */
    rows: (which: SQL | undefined, end: string | undefined, most: number) =>
      app.db.orm
        .select()
        .from(auditLog)
        .where(and(scope, end === undefined ? isInReach : isNotBefore(end), which))
        .orderBy(...newestFirst)
        .limit(most),
  }
}

const placeOf = (id: string): SQL => sql`(select last.at, last.id from audit_log last where last.id = ${id})`
const isBefore = (id: string): SQL => sql`(${auditLog.at}, ${auditLog.id}) < ${placeOf(id)}`
const isNotBefore = (id: string): SQL => sql`(${auditLog.at}, ${auditLog.id}) >= ${placeOf(id)}`

/** Actions that others may see in the feed: they write a titled row, and keep no text except its id. */
const tellable = (catalog: readonly CatalogEntry[]): string[] =>
  catalog.flatMap(({ name, action: { subject, audit } }) =>
    subject && audit.every(field => field === subject.id) ? [name] : [],
  )

function mayRead(session: Session, subjects: Subjects): SQL | undefined {
  const readNow = [...subjects].map(([type, { table }]) =>
    and(
      eq(auditLog.subjectType, type),
      sql`exists (select 1 from ${table} where ${table.id} = ${auditLog.subjectId} and ${accessibleTo(table, session)})`,
    ),
  )
  return or(isNotNull(auditLog.subjectTitle), ...readNow)
}
