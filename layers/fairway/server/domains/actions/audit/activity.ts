import { and, desc, eq, gt, inArray, isNotNull, isNull, notInArray, or, type SQL, sql } from 'drizzle-orm'
import { accessibleTo } from '#fairway/server/domains/organizations'
import type { App } from '#fairway/server/kernel/app-context'
import type { ActivityPage } from '#fairway/shared/schemas/audit'
import type { Session } from '#fairway/shared/schemas/session'
import type { Action } from '../action'
import { auditLog } from '../tables'
import { peopleIn } from './audit-log'
import { type Subjects, subjectsOf, toEntries } from './audit-subject'
import { OF_EVERY_MEMBER } from './follow-audit'

const DAY_IN_MS = 24 * 60 * 60 * 1000
/** How far back the feed reaches; what is older is in the audit log. */
const REACH_IN_MS = 90 * DAY_IN_MS

/** What a person does to find their way and to read. */
const NO_NEWS = ['switch-organization', 'export-audit-log', 'export-security-events']

interface CatalogEntry {
  name: string
  action: Action
}

interface ActivityQuery {
  /** The id of the last entry of the page before. */
  before?: string
  itemsPerPage: number
}

/**
 * What has happened lately to what a person may see, the latest first: what they did themselves, what everyone in the organization
 * may know of it, and what others did to rows that the person may read now or that the whole organization could read then. Of
 * others no row is told whose action keeps texts, and none that names nothing: those are the audit log's.
 */
export async function listActivity(
  app: App,
  session: Session,
  catalog: readonly CatalogEntry[],
  { before, itemsPerPage }: ActivityQuery,
): Promise<Omit<ActivityPage, 'hosts'>> {
  const subjects = subjectsOf(catalog)
  const found = await app.db.orm
    .select()
    .from(auditLog)
    .where(
      and(
        session.orgId === null
          ? and(isNull(auditLog.orgId), eq(auditLog.userId, session.userId))
          : eq(auditLog.orgId, session.orgId),
        gt(auditLog.at, new Date(app.now().getTime() - REACH_IN_MS)),
        before === undefined ? undefined : isBefore(before),
        eq(auditLog.outcome, 'ok'),
        notInArray(auditLog.action, NO_NEWS),
        or(
          eq(auditLog.userId, session.userId),
          inArray(auditLog.action, OF_EVERY_MEMBER),
          and(inArray(auditLog.action, tellable(catalog)), mayRead(session, subjects)),
        ),
      ),
    )
    .orderBy(desc(auditLog.at), desc(auditLog.id))
    .limit(itemsPerPage + 1)
  const entries = await toEntries(app, session, subjects, found.slice(0, itemsPerPage))
  const next = found.length > itemsPerPage ? (entries.at(-1)?.id ?? null) : null
  return { entries, people: await peopleIn(app, session.orgId, entries), next }
}

const isBefore = (id: string): SQL =>
  sql`(${auditLog.at}, ${auditLog.id}) < (select last.at, last.id from audit_log last where last.id = ${id})`

/** The actions that others may be told of: they write a row that is known by its title, and keep no text but its id. */
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
