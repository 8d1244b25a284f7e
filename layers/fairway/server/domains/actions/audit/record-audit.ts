import { and, desc, eq, isNull, sql } from 'drizzle-orm'
import { getRouterParams, type H3Event } from 'h3'
import { type App, getApp, getRequestId } from '#fairway/server/kernel/app-context'
import type { Orm } from '#fairway/server/kernel/database/client'
import { newId } from '#fairway/server/kernel/crypto/random'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { countMetric } from '#fairway/server/kernel/events/metrics'
import { errorCatalog } from '#fairway/shared/errors'
import type { AuditCaller, AuditOutcome } from '#fairway/shared/schemas/audit'
import { VISITOR } from '#fairway/shared/visitor'
import type { Session } from '#fairway/shared/schemas/session'
import { sha256 } from '#fairway/server/kernel/crypto/hash'
import { getSession } from '#fairway/server/domains/sessions'
import { workingIn } from '#fairway/shared/org-path'
import { recorded } from '../call-steps'
import type { WrittenSubject } from './audit-subject'
import { type FieldChanges, withChanges } from './audit-changes'
import { findPlace, withPlace } from './audit-place'
import { type AuditedInput, keptInput } from './kept-input'
import { sealSoon } from './audit-chain'
import { tellAuditFollowers } from './follow-audit'
import { auditLog } from '../tables'

interface AuditEntry extends AuditedInput {
  action: string
  /** The surface through which it was done. */
  caller: AuditCaller
  /** The host, the peer or the tool behind the surface. */
  via?: string
  session: Session | null
  /** The organization that the row belongs to, null for none. Defaults to the caller's active organization. */
  orgId?: string | null
  /** The organization in which the caller is a visitor. The row does not say who they are, except by `visitorEmail`. */
  visitedOrgId?: string
  /** The address to which a link was mailed that a visitor uses. */
  visitorEmail?: string
  requestId: string
  error?: unknown
  /** The written rows; each one gets an audit row. */
  subjects?: readonly WrittenSubject[]
  /** What changed, when it is no row of the application. */
  changes?: FieldChanges
}

/**
 * During an update, an older server that does not know subjects would chain the row without them. It leaves a row alone for this
 * long.
 */
const LEFT_ALONE_IN_MS = 60_000

/**
 * Writes one audit row. Calls without a session only increase a metric, unless they are a visitor's completed write in an
 * organization. Repeated denials of one person are counted in one row. A failure of the recorder is logged and never changes the
 * outcome of the action.
 */
export async function recordAudit(app: App, entry: AuditEntry): Promise<void> {
  const { action, caller, session, requestId, error, visitedOrgId } = entry
  const errorCode = error === undefined ? null : error instanceof AppError ? error.code : 'internal'
  const outcome = outcomeOf(errorCode)
  // Callers without a session could fill the table, and its rows are never deleted.
  if (!session && visitedOrgId === undefined)
    return countMetric(app, METRIC, 'Audited calls without a session.', { action, caller, outcome })
  try {
    const who = { caller, ...whoOf(entry) }
    const at = app.now()
    const place = await findPlace()
    const input = keptInput(entry)
    const inputWith = (changes?: FieldChanges) => withPlace(withChanges(input, changes), place)
    const row = {
      id: newId(),
      at,
      action,
      ...who,
      outcome,
      errorCode,
      requestId,
      input: inputWith(entry.changes),
    }
    await (outcome === 'denied' ? writeDenial(app, row) : writeRows(app, row, entry.subjects, inputWith))
    sealSoon(app)
    tellAuditFollowers(app, row.id)
  } catch (cause) {
    app.log.error('audit row could not be written', { action, requestId, error: cause })
  }
}

/** The caller of a row and its organization; a visitor has no name there. */
function whoOf(entry: AuditEntry) {
  const { session, visitedOrgId, visitorEmail } = entry
  // A service account is named on every surface, and in the jobs that it has queued.
  const via = session?.serviceAccount?.id ?? entry.via
  if (visitedOrgId !== undefined || !session)
    return { via: VISITOR, userId: null, userEmail: visitorEmail ?? null, orgId: visitedOrgId ?? null }
  const { userId, email: userEmail } = session.viewedBy ?? session
  return { via: via ?? null, userId, userEmail, orgId: orgOf(entry) }
}

const orgOf = ({ session, orgId = session ? workingIn(session) : null }: AuditEntry) => orgId

/**
 * Writes the row of a completed operation, one for each input, in the transaction when `db` is one. Also works without a session, for background work
 * of the platform and requests of other services.
 */
export async function recordWithin(app: App, db: Pick<Orm, 'insert'>, done: DoneWithin): Promise<void> {
  const { action, caller, session = null, orgId, input } = done
  const requestId = newId()
  const rows = [input].flat().map(each => ({
    id: newId(),
    at: app.now(),
    action,
    caller,
    userId: session?.userId ?? null,
    userEmail: session?.email ?? null,
    orgId,
    outcome: 'ok' as const,
    requestId,
    input: JSON.stringify(each),
  }))
  for (let from = 0; from < rows.length; from += ROWS_AT_ONCE)
    await db.insert(auditLog).values(rows.slice(from, from + ROWS_AT_ONCE))
  sealSoon(app)
}

/** The action of the row that `fw backup` writes. */
export const BACKUP_ACTION = 'write-backup'

/** When an action that belongs to no organization was most recently done; null when it never was. */
export async function lastDoneAt(app: App, action: string): Promise<Date | null> {
  const [row] = await app.db.orm
    .select({ at: auditLog.at })
    .from(auditLog)
    .where(and(isNull(auditLog.orgId), eq(auditLog.action, action)))
    .orderBy(desc(auditLog.at))
    .limit(1)
  return row?.at ?? null
}

interface DoneWithin {
  action: string
  caller: AuditCaller
  session?: Pick<Session, 'userId' | 'email'> | null
  orgId: string | null
  /** The data to keep; it must contain no secrets. */
  input: Record<string, unknown> | Record<string, unknown>[]
}

const ROWS_AT_ONCE = 500

/** Writes the row, once for each subject with its changes. */
async function writeRows(
  app: App,
  row: NewRow,
  subjects: readonly WrittenSubject[] = [],
  inputWith: (changes?: FieldChanges) => string,
) {
  const openUntil = new Date(row.at.getTime() + LEFT_ALONE_IN_MS)
  const about = subjects.map(({ type, id, title, changes }, index) => ({
    ...row,
    input: changes ? inputWith(changes) : row.input,
    id: index === 0 ? row.id : newId(),
    subjectType: type,
    subjectId: id,
    subjectTitle: title,
    openUntil,
  }))
  if (about.length <= 1) return void (await app.db.orm.insert(auditLog).values(about[0] ?? row))
  for (let from = 0; from < about.length; from += ROWS_AT_ONCE)
    await app.db.orm.insert(auditLog).values(about.slice(from, from + ROWS_AT_ONCE))
}

const METRIC = 'fairway_calls_without_session_total'

function outcomeOf(code: keyof typeof errorCatalog | null): AuditOutcome {
  if (code === null) return 'ok'
  if (isDenial(code)) return 'denied'
  return 'asks' in errorCatalog[code] ? 'asked' : 'failed'
}

const DENIALS = ['unauthenticated', 'forbidden', 'provider-required', 'agents-read-only']

/** Whether this error code means that the caller lacks permission. */
export const isDenial = (code: string): boolean => DENIALS.includes(code)

type NewRow = typeof auditLog.$inferInsert

const HOUR_IN_MS = 60 * 60 * 1000

/**
 * Writes a denial. The first of its kind in an hour gets a row. All further ones are counted in a second row, which is chained
 * when the hour is over. Denials are of one kind when they share the person, organization, surface, action and error code.
 */
async function writeDenial(app: App, row: NewRow): Promise<void> {
  const hour = Math.floor(row.at.getTime() / HOUR_IN_MS)
  const { userId, orgId, caller, via, action, errorCode } = row
  const fold = sha256(JSON.stringify([hour, userId, orgId, caller, via, action, errorCode]))
  const [first] = await app.db.orm
    .insert(auditLog)
    .values({ ...row, fold })
    .onConflictDoNothing({ target: auditLog.fold })
    .returning({ id: auditLog.id })
  if (first) return
  const openUntil = new Date((hour + 1) * HOUR_IN_MS)
  const [counted] = await app.db.orm
    .insert(auditLog)
    .values({ ...row, input: null, fold: `${fold}+`, openUntil })
    .onConflictDoUpdate({
      target: auditLog.fold,
      set: { times: sql`${auditLog.times} + 1` },
      setWhere: isNull(auditLog.seq),
    })
    .returning({ id: auditLog.id })
  // Another instance, whose clock is ahead, has already chained the counting row.
  if (!counted) await app.db.orm.insert(auditLog).values({ ...row, id: newId() })
}

declare module 'h3' {
  interface H3EventContext {
    /** The organization that the audit row of this request belongs to. */
    auditOrgId?: string | null
    /** What the operation of this request changed. */
    auditChanges?: FieldChanges
  }
}

/** Sets the organization that the audit row of this request belongs to; null for none. */
export function auditIn(event: H3Event, orgId: string | null): void {
  event.context.auditOrgId = orgId
}

/** What the audit row of a request keeps, and which organization it belongs to. */
interface RowOptions {
  /** The fields of path, query and body that the row keeps. */
  keeps: readonly string[]
  /**
   * The row belongs to another organization than the person's active one; `auditIn` names it. The row of a refused request
   * belongs to none.
   */
  isElsewhere?: boolean
  /** The session of the request's API token. */
  tokenSession?: Session
}

/** Wraps a handler so that it writes an audit row with this name, whether it succeeds or fails. */
export const leavingRow =
  <T>(
    action: string,
    { keeps, isElsewhere = false, tokenSession }: RowOptions,
    answer: (event: H3Event) => Promise<T>,
  ) =>
  async (event: H3Event): Promise<T> => {
    const session = tokenSession ?? (await getSession(event))
    const via = tokenSession && 'personal-token'
    return recorded(
      () => answer(event),
      ({ error }) => {
        const input = { ...getRouterParams(event, { decode: true }), ...event.context.input }
        const requestId = getRequestId(event)
        const about = isElsewhere ? { orgId: event.context.auditOrgId ?? null } : {}
        const changes = event.context.auditChanges
        const row = { action, caller: 'http', via, session, requestId, input, keeps, error, changes, ...about } as const
        return recordAudit(getApp(event), row)
      },
    )
  }
