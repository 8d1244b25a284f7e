// Lets pages and webhooks follow the log. Pages receive rows in the order of their `rowid`, in which they become visible.
// Webhooks receive only chained rows: these never change, and their positions have no gaps. Everything before a delivered
// position is therefore complete, no matter which instance wrote or chained a row and when.
import { and, eq } from 'drizzle-orm'
import type { App } from '#fairway/server/kernel/app-context'
import type { SqlPart } from '#fairway/server/kernel/dependent-rows'
import type { EventTime } from '#fairway/server/kernel/security-events/list-security-events'
import type { Session } from '#fairway/shared/schemas/session'
import { auditLog } from '../tables'
import { EXPORTED_COLUMNS } from './audit-log'
import { keptParts } from './audit-changes'

/** One successful write in the log; `place` orders the rows of all instances. */
export interface AuditWrite {
  place: number
  id: string
  action: string
  /** Null for a visitor. */
  userId: string | null
  orgId: string | null
  subjectType: string | null
  subjectId: string | null
  /** 1 when the whole organization could read the written row at that time. */
  isOpen: 0 | 1
}

const COLUMNS = `rowid as place, id, action, user_id as userId, org_id as orgId, outcome, subject_type as subjectType,
  subject_id as subjectId, subject_title is not null as isOpen`

type FoundRow = AuditWrite & { outcome: string }

const isDone = ({ outcome }: FoundRow): boolean => outcome === 'ok'

const followersOf = (app: App) => app.memo('audit-followers', () => new Set<(id: string) => void>())

/** Calls `follower` with the id of each row as soon as this process has written it. Returns a function that stops it. */
export function followAudit(app: App, follower: (id: string) => void): () => void {
  const followers = followersOf(app)
  followers.add(follower)
  return () => void followers.delete(follower)
}

/** Notifies the followers of a row that this process has written. */
export function tellAuditFollowers(app: App, id: string): void {
  for (const follower of followersOf(app)) follower(id)
}

/** The newest row with any outcome; undefined for an empty log. */
export async function newestAuditRow(app: App): Promise<Pick<AuditWrite, 'place' | 'id'> | undefined> {
  const find = app.memo('newest-audit-row', () =>
    app.db.prepareRead<AuditWrite>('select rowid as place, id from audit_log order by rowid desc limit 1'),
  )
  return (await find([]))[0]
}

/**
 * Returns the writes after a row of any outcome, oldest first. Null when that row is no longer at its place because the database
 * was compacted or replaced, so its successors are unknown. `most` limits the rows that are read: `last` is the final one of
 * them, and when `isCut` is true there may be more.
 */
export async function listWritesAfter(app: App, after: Pick<AuditWrite, 'place' | 'id'> | undefined, most: number) {
  const find = app.memo('audit-rows-after', () =>
    app.db.prepareRead<FoundRow>(`select ${COLUMNS} from audit_log where rowid >= ? order by rowid limit ?`),
  )
  const newer = await find([after?.place ?? 0, most + 1])
  if (after && newer[0]?.id !== after.id) return null
  const rows = after ? newer.slice(1) : newer
  return { writes: rows.filter(isDone), last: rows.at(-1) ?? after, isCut: newer.length > most }
}

/** The point up to which a listener has received changes: a row, or this many milliseconds ago. */
export type HeardUntil = { id: string } | { agoInMs: number }

/** How far the clock of a writing instance may be behind. */
const CLOCKS_DIFFER_IN_MS = 2000

/**
 * Returns the writes since then in the person's active organization, or by the person. Null when the list cannot be complete: the
 * row is unknown, or there are more than `most`.
 */
export async function listMissedWrites(
  app: App,
  { userId, orgId }: Pick<Session, 'userId' | 'orgId'>,
  until: HeardUntil,
  most: number,
): Promise<AuditWrite[] | null> {
  const find = app.memo('missed-audit-rows', () =>
    app.db.prepareRead<FoundRow>(`select ${COLUMNS} from audit_log where org_id = ? and at >= ? and rowid > ?
      union select ${COLUMNS} from audit_log where user_id = ? and at >= ? and rowid > ? order by place limit ?`),
  )
  const from = await startOf(app, until)
  if (!from) return null
  const rows = await find([orgId, from.at, from.place, userId, from.at, from.place, most + 1])
  return rows.length > most ? null : rows.filter(isDone)
}

async function startOf(app: App, until: HeardUntil): Promise<{ at: number; place: number } | undefined> {
  if ('agoInMs' in until) return { at: app.now().getTime() - until.agoInMs - CLOCKS_DIFFER_IN_MS, place: 0 }
  const find = app.memo('audit-row-by-id', () =>
    app.db.prepareRead<{ at: number; place: number }>('select at, rowid as place from audit_log where id = ?'),
  )
  const [row] = await find([until.id])
  return row && { at: row.at - CLOCKS_DIFFER_IN_MS, place: row.place }
}

/**
 * Actions that every member may know of, because each member sees the members, their roles and teams, and the organization's name
 * on the team page.
 */
export const OF_EVERY_MEMBER: readonly string[] = [
  'create-organization',
  'update-organization',
  'join-organization',
  'accept-invitation',
  'leave-organization',
  'change-member-role',
  'transfer-ownership',
  'add-team',
  'rename-team',
  'set-team-members',
  'delete-team',
  'directory-team',
]

/** SQL that selects an organization's chained rows after a time, oldest first: `id`, `at`, and `type` as webhooks name it. */
export const auditEventsSince = (orgId: string, { at, id }: EventTime, most: number): SqlPart => ({
  sql: `select id, at, 'audit.' || action as type from audit_log
    where org_id = ? and (at, id) > (?, ?) and seq is not null order by at, id limit ?`,
  args: [orgId, at, id, most],
})

/** One row of an organization in the format of its export; undefined for a row of another organization. */
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
  const { input, changes } = keptParts(row.input)
  const entry: Record<string, unknown> = { ...row, at: row.at.toISOString(), input, changes }
  return Object.fromEntries([...EXPORTED_COLUMNS, 'changes'].map(column => [column, entry[column] ?? null]))
}
