// What a call would change, as the person behind it may read it.
import { and } from 'drizzle-orm'
import { accessibleTo, asReadBy, columnsFor } from '#fairway/server/domains/organizations'
import type { App } from '#fairway/server/kernel/app-context'
import { cannotRehearse, rehearse, type RehearsedRow } from '#fairway/server/kernel/database/rehearsal'
import { queuedJobs } from '#fairway/server/kernel/jobs/list-jobs'
import { limits } from '#fairway/server/kernel/limits/limits'
import { rateLimit } from '#fairway/server/kernel/limits/rate-limit'
import { countQueuedMails } from '#fairway/server/kernel/mail/queue-mail'
import type { Rehearsal, RehearsedChange } from '#fairway/shared/schemas/rehearsal'
import type { Session } from '#fairway/shared/schemas/session'
import { AppError } from '#fairway/server/kernel/http/app-error'
import type { Action, AuditSubject } from './action'
import { hasOneOf, type Subjects } from './audit/audit-subject'
import { cut, textOf } from './audit/observe-changes'

interface RehearsedCall {
  action: Pick<Action, 'external'>
  /** The person who is told. */
  reader: Session | null
}

/**
 * Runs a call in a transaction that is rolled back, and returns its result with what it would have done. Throws `unauthenticated`,
 * `rate-limited`, `timed-out` after two seconds, `cannot-rehearse`, and what the call throws.
 */
export async function rehearseCall<T>(
  app: App,
  { action, reader: session }: RehearsedCall,
  subjects: Subjects,
  work: () => Promise<T>,
): Promise<{ result: T; rehearsal: Rehearsal }> {
  if (!session) throw new AppError('unauthenticated')
  if (action.external) throw cannotRehearse('It reaches other systems, which cannot take back what it does there.')
  await rateLimit(app, limits.rehearsalsPerAccount, session.userId)
  const { result, rows, seen } = await rehearse(app.db.client, work, async written => ({
    after: await readRows(app, session, subjects, written),
    jobs: await queuedJobs(app, written),
  }))
  const before = await readRows(app, session, subjects, rows)
  const changes = rows.flatMap(row => changeOf(row, before.get(keyOf(row)), seen.after.get(keyOf(row))))
  return { result, rehearsal: { changes, mails: countQueuedMails(rows), jobs: seen.jobs } }
}

/** A row as the person may read it: its fields, and its title. */
interface ReadRow {
  fields: Record<string, unknown>
  title: string | null
}

const keyOf = ({ table, id }: Pick<RehearsedRow, 'table' | 'id'>): string => `${table} ${id}`

async function readRows(
  app: App,
  session: Session,
  subjects: Subjects,
  rows: readonly RehearsedRow[],
): Promise<Map<string, ReadRow>> {
  const rowsByKey = new Map<string, ReadRow>()
  for (const [table, written] of Map.groupBy(rows, row => row.table)) {
    const subject = subjects.get(table)
    const ids = written.flatMap(({ id }) => id ?? [])
    if (!subject || ids.length === 0) continue
    for (const { $title, ...fields } of await readTable(app, session, subject, ids)) {
      const title = typeof $title === 'string' ? cut($title) : null
      rowsByKey.set(keyOf({ table, id: String(fields.id) }), { fields, title })
    }
  }
  return rowsByKey
}

const readTable = async (
  app: App,
  session: Session,
  { table, title }: AuditSubject,
  ids: string[],
): Promise<Record<string, unknown>[]> =>
  app.db.orm
    .select({ ...columnsFor(table, session), $title: asReadBy(title, session) })
    .from(table)
    .where(and(hasOneOf(table.id, ids), accessibleTo(table, session)))

/** These fields of a row as JSON has them, with long texts cut. */
const shown = (names: readonly string[], row?: ReadRow): Record<string, unknown> | null =>
  row ? Object.fromEntries(names.map(name => [name, toJson(row.fields[name])])) : null

const KEPT_BY_PLATFORM = new Set(['id', 'orgId', 'ownerEmail', 'createdBy', 'createdByName'])
const toJson = (value: unknown): unknown =>
  typeof value === 'string' ? cut(value) : JSON.parse(JSON.stringify(value ?? null))

/** The change of a row; none for a row that the person may read neither before nor after it. */
function changeOf({ table, id, kind }: RehearsedRow, was?: ReadRow, is?: ReadRow): RehearsedChange[] {
  const read = is ?? was
  if (!read || id === null) return []
  const fieldNames = Object.keys(read.fields).filter(name => !KEPT_BY_PLATFORM.has(name))
  const isSame = (name: string) => was && is && textOf(was.fields[name]) === textOf(is.fields[name])
  const names = fieldNames.filter(name => !isSame(name))
  if (names.length === 0) return []
  return [{ table, id, kind, title: read.title, before: shown(names, was), after: shown(names, is) }]
}
