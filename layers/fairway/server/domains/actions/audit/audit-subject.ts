import { and, eq, getTableName, inArray, isNotNull, isNull, ne, or, sql, type SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { App } from '#fairway/server/kernel/app-context'
import { accessibleTo, asReadBy, hasReadRule, isOpenRow, orgExists } from '#fairway/server/domains/organizations'
import type { AuditEntry } from '#fairway/shared/schemas/audit'
import type { Session } from '#fairway/shared/schemas/session'
import type { Action, AuditSubject } from '../action'
import type { AuditRow } from './audit-chain'
import { type FieldChanges, keptParts } from './audit-changes'

/** The written row as an audit row records it. */
export interface WrittenSubject {
  type: string
  id: string
  /**
   * Only set when the whole organization could read the row: the log is never deleted, so it must not keep a title that only one
   * person may see. Of one row after a call it is an expression, so that the statement of the audit row looks it up.
   */
  title: string | null | SQL<string | null>
  /** The organization of the row, when the caller of a public action does not work in it: there they are a visitor. */
  visitedOrgId?: string
  changes?: FieldChanges
}

interface Call {
  action: Pick<Action, 'subject' | 'public' | 'visited'>
  session: Session | null
  input: unknown
}

const MOST_OF_AN_ID = 200
const MOST_OF_A_TITLE = 200

/**
 * The rows that a call is about to write, or has written when there is a result. Empty when the action names none; rows that the
 * caller may not read are omitted before the call. Never throws: a failed lookup is logged and returns no rows.
 */
export async function findSubjects(
  app: App,
  { action: { subject, public: isPublic }, session, input }: Call,
  done?: { result: unknown },
): Promise<WrittenSubject[]> {
  if (!subject || (!session && !isPublic)) return []
  const ids = namedIds(subject.id, input, done)
  const type = getTableName(subject.table)
  try {
    const [only, ...others] = ids
    if (done && session && !isPublic && only !== undefined && others.length === 0)
      return [{ type, id: only, title: titleNow(app, session, subject, only) }]
    const written = await readSubjects(app, { session, isPublic }, subject, ids)
    // For a deleted row, or one that its writer may not read, the log records the write without a title.
    const unknown = (id: string) => (done && session ? { type, id, title: null } : [])
    return ids.flatMap(id => written.get(id) ?? unknown(id))
  } catch (error) {
    app.log.warn('what an action writes could not be looked up', { type, error })
    return []
  }
}

const namedIds = (path: string, input: unknown, done?: { result: unknown }): string[] => {
  const named = textsAt(done?.result, path)
  return (named.length > 0 ? named : textsAt(input, path)).filter(id => id.length <= MOST_OF_AN_ID)
}

/**
 * The organization in which the caller of a public action is a visitor, from the path that the action declares: of its result,
 * else of its input. Undefined when it names none, or the caller's own.
 */
export async function findVisitedOrg(
  app: App,
  { action: { visited }, session, input }: Call,
  done: { result: unknown },
): Promise<string | undefined> {
  if (visited === undefined) return undefined
  const [orgId] = namedIds(visited, input, done)
  return orgId !== undefined && orgId !== session?.orgId && (await orgExists(app.db.orm, orgId)) ? orgId : undefined
}

/** The condition for the rows with these ids. */
export const hasOneOf = (id: SQLiteColumn, ids: readonly string[]): SQL =>
  ids.length === 1 ? eq(id, ids[0]) : sql`${id} in (select value from json_each(${JSON.stringify(ids)}))`

interface Caller {
  session: Session | null
  /** Whether the action is public: rows of organizations in which the caller does not work count too. */
  isPublic: boolean
}

/** The rows that the caller may read, and those of a public action where they are a visitor. */
async function readSubjects(app: App, caller: Caller, subject: AuditSubject, ids: string[]) {
  const { table, title } = subject
  if (ids.length === 0) return new Map<string, WrittenSubject>()
  const rows = await app.db.orm
    .select({ id: table.id, title, isOpen: isOpenRow(table), orgId: table.orgId })
    .from(table)
    .where(and(hasOneOf(table.id, ids), isOfCaller(caller, subject)))
  return new Map(rows.map(row => [String(row.id), toWritten(row, caller, subject)]))
}

function isOfCaller({ session, isPublic }: Caller, { table }: AuditSubject): SQL | undefined {
  const isElsewhere = session?.orgId ? ne(table.orgId, session.orgId) : isNotNull(table.orgId)
  return or(session ? accessibleTo(table, session) : undefined, isPublic ? isElsewhere : undefined)
}

/** SQL: the title of a row that its writer and their whole organization may read. */
function titleNow(app: App, session: Session, { table, title }: AuditSubject, id: string): SQL<string | null> | null {
  if (hasReadRule(title)) return null
  const isOfOrg = session.orgId === null ? isNull(table.orgId) : eq(table.orgId, session.orgId)
  const readable = app.db.orm
    .select({ title: sql<string>`substr(cast(${title} as text), 1, ${MOST_OF_A_TITLE})` })
    .from(table)
    .where(and(eq(table.id, id), isOfOrg, isOpenRow(table), accessibleTo(table, session)))
  return sql<string | null>`(${readable})`
}

type SubjectRow = Record<'id' | 'title' | 'isOpen' | 'orgId', unknown>

function toWritten(row: SubjectRow, { session, isPublic }: Caller, { table, title }: AuditSubject): WrittenSubject {
  const isOwn = row.orgId === (session?.orgId ?? null)
  const isVisitor = isPublic && !isOwn && row.orgId !== null
  const isOpen = row.isOpen === 1 && (isOwn || isVisitor) && !hasReadRule(title)
  return {
    type: getTableName(table),
    id: String(row.id),
    title: isOpen ? String(row.title).slice(0, MOST_OF_A_TITLE) : null,
    ...(isVisitor && { visitedOrgId: String(row.orgId) }),
  }
}

/** The tables whose policies hide the title from some who may read the row. */
export const typesWithHiddenTitle = (subjects: Subjects): string[] =>
  [...subjects].flatMap(([type, { title }]) => (hasReadRule(title) ? [type] : []))

/** The texts at this path: one, or those of a list. */
export const textsAt = (value: unknown, path: string): string[] =>
  [valueAt(value, path)].flat().filter(text => typeof text === 'string' && text !== '') as string[]

/** The text at this path of an input or a result; undefined for anything else. */
export const textAt = (value: unknown, path: string): string | undefined => {
  const id = valueAt(value, path)
  return typeof id === 'string' && id !== '' ? id : undefined
}

function valueAt(value: unknown, path: string): unknown {
  let at = value
  for (const name of path.split('.')) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return undefined
    at = Reflect.get(at, name)
  }
  return at
}

/** The subjects of an application's actions, by table name. */
export type Subjects = ReadonlyMap<string, AuditSubject>

/** The tables that the actions of a catalog name. Of several subjects for one table, one with a page wins. */
export function subjectsOf(catalog: readonly { action: Action }[]): Subjects {
  const named = catalog.flatMap(({ action: { subject } }) => subject ?? [])
  const byPage = named.toSorted((a, b) => Number(b.path !== undefined) - Number(a.path !== undefined))
  return new Map(byPage.toReversed().map(subject => [getTableName(subject.table), subject]))
}

/** Whether this person may read the written row now. False for a deleted row and for a table that no action names. */
export async function maySeeSubject(
  app: App,
  session: Session,
  subjects: Subjects,
  { type, id }: { type: string; id: string },
): Promise<boolean> {
  const table = subjects.get(type)?.table
  if (!table) return false
  const rows = await app.db.orm
    .select({ id: table.id })
    .from(table)
    .where(and(eq(table.id, id), accessibleTo(table, session)))
  return rows.length > 0
}

/**
 * The titles of the rows that the reader may read now, by `rowKey`; null for a title that a policy hides from them. Rows of a table
 * that no action names are left out.
 */
export async function readTitles(
  app: App,
  session: Session,
  subjects: Subjects,
  rows: readonly RowName[],
): Promise<Map<string, string | null>> {
  const titles = new Map<string, string | null>()
  for (const [type, named] of Map.groupBy(rows, row => row.type)) {
    const subject = subjects.get(type)
    if (!subject) continue
    const ids = [...new Set(named.map(({ id }) => id))]
    const seen = await app.db.orm
      .select({ id: subject.table.id, title: sql<unknown>`${asReadBy(subject.title, session)}` })
      .from(subject.table)
      .where(and(inArray(subject.table.id, ids), accessibleTo(subject.table, session)))
    for (const { id, title } of seen)
      titles.set(rowKey({ type, id: String(id) }), title === null ? null : String(title))
  }
  return titles
}

/** A row of an application's table. */
interface RowName {
  type: string
  id: string
}

/** A row as the key of a map. */
export const rowKey = ({ type, id }: RowName): string => `${type}/${id}`

/** Audit rows as a reader sees them: with titles and pages of the rows that the reader may read now. */
export async function toEntries(app: App, session: Session, subjects: Subjects, rows: AuditRow[]) {
  const written = rows.flatMap(({ subjectType: type, subjectId: id }) => (id === null ? [] : { type: type ?? '', id }))
  const titles = await readTitles(app, session, subjects, written)
  const hidden = new Set(typesWithHiddenTitle(subjects))
  // Rows from before the rule have the title.
  const shown = (row: AuditRow) => (hidden.has(row.subjectType ?? '') ? { ...row, subjectTitle: null } : row)
  return rows.map(row => toEntry(shown(row), subjects, titles))
}

function toEntry(row: AuditRow, subjects: Subjects, titles: ReadonlyMap<string, string | null>): AuditEntry {
  const { at, chain: _chain, orgId: _orgId, fold: _fold, openUntil: _open, ...rest } = row
  const { subjectType: type, subjectId: id, subjectTitle, ...kept } = rest
  const entry = { ...kept, ...keptParts(kept.input) }
  if (type === null || id === null) return { ...entry, at: at.toISOString(), subject: null }
  const now = titles.get(rowKey({ type, id }))
  const path = now === undefined ? undefined : subjects.get(type)?.path?.replace('{id}', encodeURIComponent(id))
  const subject = { type, id, title: subjectTitle ?? now ?? null, path: path ?? null }
  return { ...entry, at: at.toISOString(), subject }
}
