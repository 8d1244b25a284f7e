// Reads the values of declared fields before and after a call.
import { and, getTableColumns } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { App } from '#fairway/server/kernel/app-context'
import { accessibleTo, hasReadRule, isOpenRow } from '#fairway/server/domains/organizations'
import type { AuditChange } from '#fairway/shared/schemas/audit'
import type { Session } from '#fairway/shared/schemas/session'
import type { Action, AuditSubject } from '../action'
import { type FieldChanges, NO_ROW, type RowChanges } from './audit-changes'
import { hasOneOf, textsAt } from './audit-subject'

const MOST_CHARACTERS = 500

type Values = Record<string, unknown>
/** What is read before and after a call. */
export interface Observed {
  fields: readonly string[]
  read(): Promise<ReadonlyMap<string, Values>>
}

/** Does the work and passes on how it changed the fields. A failed reading is logged and never changes the outcome. */
export async function observeChanges<T>(
  app: App,
  observed: Observed | undefined,
  work: () => T | Promise<T>,
  keep: (changes: RowChanges) => void,
): Promise<T> {
  if (!observed) return work()
  const { fields } = observed
  const read = async () => {
    try {
      return await observed.read()
    } catch (error) {
      app.log.warn('the values of audited fields could not be read', { fields, error })
      return undefined
    }
  }
  const before = await read()
  const result = await work()
  const after = before && (await read())
  if (before && after) keep(changesBetween(fields, before, after))
  return result
}

function changesBetween(
  fields: readonly string[],
  before: ReadonlyMap<string, Values>,
  after: ReadonlyMap<string, Values>,
): RowChanges {
  const changes = new Map<string, FieldChanges>()
  for (const [id, was] of before) {
    const is = after.get(id)
    const differing = is ? fields.filter(name => textOf(was[name]) !== textOf(is[name])) : []
    if (is && differing.length > 0)
      changes.set(id, Object.fromEntries(differing.map(name => [name, [kept(was[name]), kept(is[name])]])))
  }
  return changes
}

/** The form in which two values are compared. */
export const textOf = (value: unknown): string => JSON.stringify(value ?? null)

/** A text as entries show it, cut to 500 characters. */
export const cut = (text: string): string =>
  text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text

function kept(value: unknown): AuditChange['before'] {
  if (value === null || value === undefined) return null
  if (typeof value === 'number' || typeof value === 'boolean') return value
  const text = typeof value === 'string' ? value : value instanceof Date ? value.toISOString() : textOf(value)
  return cut(text)
}

/** What to read of a call: the rows that its input names, or what `read` of its declaration returns. */
export function observedBy(
  app: App,
  { changes, subject }: Pick<Action, 'changes' | 'subject'>,
  session: Session | null,
  input: unknown,
  readValues: (() => unknown) | undefined,
): Observed | undefined {
  if (!changes || !session) return undefined
  if (readValues) return observedValues(changes.fields, readValues)
  if (!subject) return undefined
  const ids = textsAt(input, subject.id)
  return { fields: changes.fields, read: () => readRows(app, session, subject, { fields: changes.fields, ids }) }
}

/** What to read where a declaration has a function for it; without values, nothing is kept. */
export const observedValues = (fields: readonly string[], read: () => unknown): Observed => ({
  fields,
  read: async () => {
    const values = await read()
    return new Map(values ? [[NO_ROW, values as Values]] : [])
  },
})

/**
 * The columns of rows that the whole organization may read. The log is never deleted, so it must not keep values that only some
 * may see.
 */
async function readRows(
  app: App,
  session: Session,
  { table }: AuditSubject,
  { fields, ids }: { fields: readonly string[]; ids: string[] },
): Promise<ReadonlyMap<string, Values>> {
  if (ids.length === 0) return new Map()
  const columns: Partial<Record<string, SQLiteColumn>> = getTableColumns(table)
  const shown = fields.flatMap(name => {
    const column = columns[name]
    return column && !hasReadRule(column) ? [[name, column] as const] : []
  })
  const rows: Values[] = await app.db.orm
    .select({ ...Object.fromEntries(shown), $id: table.id, $isOpen: isOpenRow(table), $orgId: table.orgId })
    .from(table)
    .where(and(hasOneOf(table.id, ids), accessibleTo(table, session)))
  const open = rows.filter(row => row.$isOpen === 1 && row.$orgId === session.orgId)
  return new Map(open.map(row => [String(row.$id), row]))
}
