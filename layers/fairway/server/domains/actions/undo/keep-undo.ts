// Keeps the opposite of a call, while the rows that it changes are at hand.
import { and, getTableColumns, getTableName, lte, type SQL, sql } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import { accessibleTo, hasReadRule, isOpenRow } from '#fairway/server/domains/organizations'
import type { App } from '#fairway/server/kernel/app-context'
import { sha256 } from '#fairway/server/kernel/crypto/hash'
import { newId } from '#fairway/server/kernel/crypto/random'
import type { Session } from '#fairway/shared/schemas/session'
import type { Action, AuditSubject, UndoCall } from '../action'
import { hasOneOf, textsAt } from '../audit/audit-subject'
import { undoCalls } from '../tables'

const DAY_IN_MS = 24 * 60 * 60 * 1000
/** Undoing an older call would more likely harm than help. */
const KEPT_FOR_IN_MS = 30 * DAY_IN_MS

/** A row as a call left it. */
export interface LeftRow {
  type: string
  id: string
  /** The hash of its values; null where there is none. */
  hash: string | null
}

/** The opposite of a call, and the rows that must still be as the call left them. */
export interface KeptUndo {
  call: UndoCall
  left: LeftRow[]
  /** Whether the whole organization could read the rows; else only the caller may bring their values back. */
  isOpen: boolean
}

interface UndoableCall {
  action: Pick<Action, 'undo' | 'subject'>
  session: Session | null
  input: unknown
}

/**
 * Does the work of a call, and passes on its opposite if the action declares one. A failure to find it is logged and never changes
 * the outcome.
 */
export async function withUndo<T>(
  app: App,
  { action, session, input }: UndoableCall,
  work: () => Promise<T>,
  keep: (kept: KeptUndo) => void,
): Promise<T> {
  const { undo, subject } = action
  if (!undo || !session?.orgId) return work()
  const named = subject ? textsAt(input, subject.id) : []
  const before = subject ? await readRows(app, subject, named, accessibleTo(subject.table, session)) : []
  const result = await work()
  try {
    const call = undo({ input, before: before.map(({ $isOpen: _isOpen, ...row }) => row), result, session })
    if (!call) return result
    const ids = subject ? [...new Set([...textsAt(result, subject.id), ...named])] : []
    const isOpen = before.every(row => row.$isOpen === 1 && row.orgId === session.orgId)
    keep({ call, left: subject ? await stateOf(app, subject, ids) : [], isOpen })
  } catch (error) {
    app.log.warn('the opposite of a call could not be kept', { error })
  }
  return result
}

/** For `undo` of an update: the former values of the fields that its input names. */
export const formerValues = (input: object, row: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.keys(input).flatMap(name => (Object.hasOwn(row, name) ? [[name, row[name]]] : [])))

type Row = Record<string, unknown>

const readRows = async (app: App, { table }: AuditSubject, ids: string[], condition?: SQL): Promise<Row[]> =>
  ids.length === 0
    ? []
    : app.db.orm
        .select({ ...getTableColumns(table), $isOpen: hasHiddenColumns(table) ? sql`0` : isOpenRow(table) })
        .from(table)
        .where(and(hasOneOf(table.id, ids), condition))

const hasHiddenColumns = (table: SQLiteTable): boolean => Object.values(getTableColumns(table)).some(hasReadRule)

/** The state of these rows now. */
export async function stateOf(app: App, subject: AuditSubject, ids: string[]): Promise<LeftRow[]> {
  const rows = new Map((await readRows(app, subject, ids)).map(row => [String(row.id), row]))
  const type = getTableName(subject.table)
  return ids.map(id => ({ type, id, hash: hashOf(rows.get(id)) }))
}

// A call that is undone brings the values back, but neither the times nor the creator.
const hashOf = (row: Row | undefined): string | null =>
  row ? sha256(JSON.stringify(Object.entries(row).filter(([name]) => !/^(?:created|updated)|^\$/.test(name)))) : null

/** Stores the opposite of a call beside its audit row. */
export async function recordUndo(
  app: App,
  done: { name: string; session: Session; via?: string; requestId: string },
  { call, left, isOpen }: KeptUndo,
): Promise<void> {
  const { name: action, session, via, requestId } = done
  await app.db.orm.insert(undoCalls).values({
    id: newId(),
    at: app.now(),
    action,
    requestId,
    userId: session.userId,
    orgId: session.orgId ?? '',
    via: session.serviceAccount?.id ?? via ?? null,
    call: JSON.stringify(call),
    leftRows: JSON.stringify(left),
    isOpen,
  })
}

/** Deletes what is too old to be undone. */
export async function purgeUndo(app: App): Promise<void> {
  await app.db.orm.delete(undoCalls).where(lte(undoCalls.at, new Date(app.now().getTime() - KEPT_FOR_IN_MS)))
}
