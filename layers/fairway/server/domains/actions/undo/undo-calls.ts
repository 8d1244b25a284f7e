// Takes calls back by their opposites, each with the rights of the person who undoes them.
import { and, desc, eq, gte, isNull, type SQL } from 'drizzle-orm'
import { z } from 'zod'
import type { App } from '#fairway/server/kernel/app-context'
import { AppError, toAppError } from '#fairway/server/kernel/http/app-error'
import type { Session } from '#fairway/shared/schemas/session'
import type { UndoAnswer, UndoneCall } from '#fairway/shared/schemas/undo'
import { readTitles, rowKey, type Subjects } from '../audit/audit-subject'
import { type ActionCall, rehearseNamed, runNamed } from '../run-action'
import { undoCalls } from '../tables'
import { type LeftRow, stateOf } from './keep-undo'
import { mayUndo } from './may-undo'

const MOST_AT_ONCE = 100

/** How an opposite call is made. */
export type UndoingCall = Pick<ActionCall, 'requestId' | 'clientAddress' | 'hasRecentSignIn'> & {
  session: Session
}

/** Calls of the organization: those of one audit row, or those that one app made for a person since a time. */
export type UndoFilter = { requestId: string } | { userId: string; via: string; since: Date }

type Row = typeof undoCalls.$inferSelect

/** The kept calls, newest first. */
async function findCalls(app: App, session: Session, filter: UndoFilter): Promise<Row[]> {
  const matches: (SQL | undefined)[] =
    'requestId' in filter
      ? [eq(undoCalls.requestId, filter.requestId)]
      : [eq(undoCalls.userId, filter.userId), eq(undoCalls.via, filter.via), gte(undoCalls.at, filter.since)]
  return app.db.orm
    .select()
    .from(undoCalls)
    .where(and(mayUndo(session), ...matches))
    .orderBy(desc(undoCalls.id))
    .limit(MOST_AT_ONCE + 1)
}

/**
 * Undoes calls, newest first, and says of each what was in the way. With `isDryRun` it only says what would be. The opposite of a
 * single call is then rehearsed. Throws `not-found` for a request of which the person may undo nothing.
 */
export async function undoCallsOf(
  app: App,
  calling: UndoingCall,
  { subjects, filter, isDryRun }: { subjects: Subjects; filter: UndoFilter; isDryRun: boolean },
): Promise<UndoAnswer> {
  const latest = await findCalls(app, calling.session, filter)
  if (latest.length === 0 && 'requestId' in filter) throw new AppError('not-found')
  const rows = latest.slice(0, MOST_AT_ONCE)
  const calls: UndoneCall[] = []
  // In a dry run, the rows that a later call of the list would bring back are not as an earlier call left them.
  const broughtBack = new Set<string>()
  for (const row of rows) {
    const left = leftSchema.parse(JSON.parse(row.leftRows))
    const checked = left.filter(each => !broughtBack.has(rowKey(each)))
    const titles = await readTitles(app, calling.session, subjects, left)
    const obstacle =
      (await findObstacle(app, subjects, checked, titles)) ??
      (isDryRun ? await whyRefused(app, calling, row, rows.length) : await undoOne(app, calling, row))
    if (isDryRun && !obstacle) for (const each of left) broughtBack.add(rowKey(each))
    const { id, action, at } = row
    calls.push({
      id,
      action,
      at: at.toISOString(),
      titles: [...titles.values()].filter(title => title !== null),
      obstacle,
    })
  }
  const undone = calls.filter(({ obstacle }) => obstacle === null).length
  return { calls, undone, hasMore: latest.length > rows.length }
}

const leftSchema = z.array(z.object({ type: z.string(), id: z.string(), hash: z.string().nullable() }))
const callSchema = z.object({
  action: z.string(),
  input: z.record(z.string(), z.unknown()),
  ids: z.array(z.string()).optional(),
})

type Obstacle = UndoneCall['obstacle']

/** The first row that is no longer as the call left it. */
async function findObstacle(
  app: App,
  subjects: Subjects,
  left: LeftRow[],
  titles: ReadonlyMap<string, string | null>,
): Promise<Obstacle> {
  for (const [type, rows] of Map.groupBy(left, each => each.type)) {
    const subject = subjects.get(type)
    const ids = rows.map(({ id }) => id)
    const now = subject ? await stateOf(app, subject, ids) : []
    const changed = rows.find(({ hash }, at) => now[at]?.hash !== hash)
    if (!changed) continue
    const isThere = now.find(({ id }) => id === changed.id)?.hash !== null
    const code = changed.hash === null ? 'exists' : isThere && subject ? 'changed' : 'missing'
    return { code, title: titles.get(rowKey(changed)) ?? null }
  }
  return null
}

const toCall = (calling: UndoingCall, row: Row) => {
  const { action: name, input, ids } = callSchema.parse(JSON.parse(row.call))
  return { ...calling, name, input, ids, caller: 'http' as const, via: UNDO }
}

/** In audit rows: the call took another one back. */
const UNDO = 'undo'

/** Why the opposite would be refused. Several are not rehearsed, because each needs what the one before it brings back. */
async function whyRefused(app: App, calling: UndoingCall, row: Row, among: number): Promise<Obstacle> {
  if (among > 1) return null
  return rehearseNamed(app, toCall(calling, row)).then(() => null, toObstacle)
}

/** Runs the opposite, once. */
async function undoOne(app: App, calling: UndoingCall, row: Row): Promise<Obstacle> {
  const isFree = and(eq(undoCalls.id, row.id), isNull(undoCalls.undoneAt))
  const { rowsAffected } = await app.db.orm.update(undoCalls).set({ undoneAt: app.now() }).where(isFree)
  if (rowsAffected === 0) return { code: 'conflict', title: null }
  try {
    await runNamed(app, toCall(calling, row))
    return null
  } catch (error) {
    await app.db.orm.update(undoCalls).set({ undoneAt: null }).where(eq(undoCalls.id, row.id))
    return toObstacle(error)
  }
}

function toObstacle(thrown: unknown): Obstacle {
  return { code: toAppError(thrown).code, title: null }
}
