import { and, eq, gt, isNull, lte, or, sql } from 'drizzle-orm'
import { z } from 'zod'
import { recordAudit } from '#fairway/server/domains/actions'
import type { App } from '#fairway/server/kernel/app-context'
import { randomToken } from '#fairway/server/kernel/crypto/random'
import { type DependentRows, isExported, isoTime } from '#fairway/server/kernel/dependent-rows'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { type ErrorCode, errorCatalog } from '#fairway/shared/errors'
import { A2A_APPROVALS_PATH, APPROVALS_PATH } from '#fairway/shared/paths'
import type { Session } from '#fairway/shared/schemas/session'
import { limits } from '../../kernel/limits/limits'
import { rateLimit } from '../../kernel/limits/rate-limit'
import { approvals } from './tables'

const HOUR_IN_MS = 60 * 60 * 1000
export const LIFE_IN_MS = 24 * HOUR_IN_MS
/** No action may run this long, so an answer that is still missing never arrives. */
const LONGEST_RUN_IN_MS = 15 * 60 * 1000

export type ApprovalRow = typeof approvals.$inferSelect

/** Stores a question of an application for 24 hours. Throws `rate-limited` when one person gets too many questions. */
export async function askForApproval(
  app: App,
  session: Session,
  question: { caller: string; action: string; input: unknown },
  requestId: string,
): Promise<Approval> {
  const { userId, orgId } = session
  await rateLimit(app, limits.approvalsPerAccount, userId)
  const createdAt = app.now()
  const row = {
    id: randomToken(32),
    userId,
    orgId,
    ...question,
    input: JSON.stringify(question.input),
    approver: 'person' as const,
    status: 'pending' as const,
    createdAt,
    expiresAt: new Date(createdAt.getTime() + LIFE_IN_MS),
  }
  await app.db.orm.insert(approvals).values(row)
  await noteApproval(app, row, { done: 'request-approval', session, caller: 'a2a', via: row.caller, requestId })
  return toApproval(app, row)
}

type ApprovalStep = 'request-approval' | 'request-admin-approval' | 'approve-call' | 'deny-call'

interface Noted extends Pick<Parameters<typeof recordAudit>[1], 'caller' | 'via' | 'requestId' | 'session'> {
  done: ApprovalStep
  /** The name of the host or application, for the sentence. */
  app?: string
}

/** Records a question or a decision in the audit log of its organization. Open pages hear of it. */
export const noteApproval = (
  app: App,
  { action, caller, orgId }: Pick<ApprovalRow, 'action' | 'caller' | 'orgId'>,
  { done, app: name = caller, ...by }: Noted,
): Promise<void> =>
  recordAudit(app, { ...by, action: done, orgId, input: { tool: action, app: name }, keeps: ['tool', 'app'] })

/**
 * The answer to the application that asked: the page for the person, and when the question expires (ISO 8601 UTC). Applications
 * accept no other address than this one.
 */
export const toApproval = (app: App, { id, expiresAt }: Pick<ApprovalRow, 'id' | 'expiresAt'>) => ({
  id,
  url: `${app.config.baseUrl}${A2A_APPROVALS_PATH}/${encodeURIComponent(id)}`,
  expiresAt: expiresAt.toISOString(),
})

export type Approval = ReturnType<typeof toApproval>

/** The path of the page for a question. */
export const approvalPath = (id: string): string => `${APPROVALS_PATH}/${encodeURIComponent(id)}`

/** A question, including an expired one. */
export async function findApproval(app: App, id: string): Promise<ApprovalRow | undefined> {
  const [row] = await app.db.orm.select().from(approvals).where(eq(approvals.id, id))
  return row
}

/** Whether a question can no longer have an outcome: it expired, or the approved action never finished. */
export function hasEnded(app: App, { expiresAt, status, answer, grantId, decidedAt, ranAt }: ApprovalRow): boolean {
  const now = app.now().getTime()
  const began = ranAt ?? (grantId === null ? decidedAt : null)
  const isLost = status === 'approved' && answer === null && began !== null && now - began.getTime() > LONGEST_RUN_IN_MS
  return expiresAt.getTime() <= now || isLost
}

/**
 * Stores a decision. Of several concurrent requests only one succeeds; the others get undefined. An application can collect the
 * outcome for at least an hour, and a host can use an approval for exactly one. With `runsNow` the approved call counts as begun.
 */
export async function takeDecision(
  app: App,
  { id, grantId }: Pick<ApprovalRow, 'id' | 'grantId'>,
  { status, runsNow }: { status: 'approved' | 'declined'; runsNow: boolean },
): Promise<ApprovalRow | undefined> {
  const now = app.now()
  const isOpen = and(eq(approvals.id, id), eq(approvals.status, 'pending'), gt(approvals.expiresAt, now))
  const hour = now.getTime() + HOUR_IN_MS
  const expiresAt =
    status === 'approved' && grantId !== null ? new Date(hour) : sql`max(${approvals.expiresAt}, ${hour})`
  const [row] = await app.db.orm
    .update(approvals)
    .set({ status, decidedAt: now, expiresAt, ranAt: runsNow ? now : null })
    .where(isOpen)
    .returning()
  return row
}

/** Stores the answer of an approved action (`writeAnswer`). */
export async function keepAnswer(app: App, id: string, answer: string): Promise<void> {
  await app.db.orm.update(approvals).set({ answer }).where(eq(approvals.id, id))
}

/** The call that a row is about, as its hash; `grantId` is null for applications. */
export type CallHash = string

/** The row that answers a call of a host now, if there is one. */
export async function findByCall(app: App, callHash: CallHash): Promise<ApprovalRow | undefined> {
  const [row] = await app.db.orm.select().from(approvals).where(eq(approvals.callHash, callHash))
  return row && !hasEnded(app, row) ? row : undefined
}

/** The most questions of one grant that wait at a time. */
const MOST_WAITING = 20

/**
 * Stores the question of a host, and returns whether this call did: an identical one that arrives at the same time finds the row.
 * Throws `too-many-approvals` and `rate-limited`.
 */
export async function insertQuestion(app: App, row: typeof approvals.$inferInsert & { callHash: CallHash }) {
  await rateLimit(app, limits.approvalsPerAccount, row.userId)
  const now = app.now().getTime()
  const { orm } = app.db
  const [, inserted] = await app.db.client.batch(
    [
      {
        sql: `update a2a_approvals set call_hash = null where call_hash = ? and (expires_at <= ? or (answer is null and ran_at <= ?))`,
        args: [row.callHash, now, now - LONGEST_RUN_IN_MS],
      },
      {
        sql: `insert into a2a_approvals (id, user_id, org_id, caller, grant_id, call_hash, action, input, approver, status, created_at, expires_at)
          select ?, ?, ?, ?, ?, ?, ?, ?, ?, 'pending', ?, ?
          where (select count(*) from a2a_approvals where grant_id = ? and status = 'pending' and expires_at > ?) < ${MOST_WAITING}
          on conflict (call_hash) do nothing`,
        args: [
          row.id,
          row.userId,
          row.orgId ?? null,
          row.caller,
          row.grantId ?? null,
          row.callHash,
          row.action,
          row.input,
          row.approver ?? 'person',
          now,
          now + LIFE_IN_MS,
          row.grantId ?? null,
          now,
        ],
      },
    ],
    'write',
  )
  if (inserted?.rowsAffected === 1) return true
  const isThere = await orm.$count(approvals, eq(approvals.callHash, row.callHash))
  if (isThere === 0) throw new AppError('too-many-approvals')
  return false
}

/** Begins the one run of an approved call: of several callers one gets true. */
export async function beginRun(app: App, id: string): Promise<boolean> {
  const now = app.now()
  const isOpen = and(
    eq(approvals.id, id),
    eq(approvals.status, 'approved'),
    isNull(approvals.ranAt),
    gt(approvals.expiresAt, now),
  )
  const { rowsAffected } = await app.db.orm.update(approvals).set({ ranAt: now }).where(isOpen)
  return rowsAffected === 1
}

/** Gives the run back, because the action asked its host something first. */
export async function returnRun(app: App, id: string): Promise<void> {
  await app.db.orm.update(approvals).set({ ranAt: null }).where(eq(approvals.id, id))
}

/** Ends the run of a host's call: the next identical call is a new question. */
export async function endRun(app: App, id: string, answer: string): Promise<void> {
  await app.db.orm.update(approvals).set({ answer, callHash: null }).where(eq(approvals.id, id))
}

/** Takes the answer of a call that ran from the page, once. */
export async function takeAnswer(app: App, { id, callHash }: ApprovalRow): Promise<boolean> {
  const isThere = and(eq(approvals.id, id), eq(approvals.callHash, callHash ?? ''))
  const { rowsAffected } = await app.db.orm.update(approvals).set({ callHash: null }).where(isThere)
  return rowsAffected === 1
}

/** Lists what waits for a person, oldest first: their own questions, and those of an organization that they manage. */
export async function listWaiting(app: App, userId: string, managedOrgId: string | null): Promise<ApprovalRow[]> {
  const isTheirs = and(eq(approvals.userId, userId), eq(approvals.approver, 'person'))
  const isOthers = and(
    eq(approvals.orgId, managedOrgId ?? ''),
    eq(approvals.approver, 'admin'),
    sql`${approvals.userId} <> ${userId}`,
  )
  return app.db.orm
    .select()
    .from(approvals)
    .where(and(or(isTheirs, isOthers), eq(approvals.status, 'pending'), gt(approvals.expiresAt, app.now())))
    .orderBy(approvals.createdAt)
    .limit(100)
}

/** Deletes expired questions and their answers. */
export async function purgeApprovals(app: App): Promise<void> {
  await app.db.orm.delete(approvals).where(lte(approvals.expiresAt, app.now()))
}

/** The outcome of an approved action: its result or its error. */
export type ApprovalAnswer = { result: unknown } | { error: AppError }

const errorSchema = z.object({
  code: z.custom<ErrorCode>(value => typeof value === 'string' && Object.hasOwn(errorCatalog, value)),
  detail: z.string().optional(),
  errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  extra: z.record(z.string(), z.unknown()).optional(),
})

const storedSchema = z.union([z.strictObject({ error: errorSchema }), z.strictObject({ result: z.unknown() })])

/** Serializes an answer for storage. The details of an internal error remain in the log. */
export function writeAnswer(answer: ApprovalAnswer): string {
  if (!('error' in answer)) return JSON.stringify({ result: answer.result ?? null })
  const { code, status, detail, errors, extra } = answer.error
  return JSON.stringify({ error: status < 500 ? { code, detail, errors, extra } : { code } })
}

/** Parses a stored answer. */
export function readAnswer(text: string): ApprovalAnswer {
  const stored = storedSchema.parse(JSON.parse(text))
  if (!('error' in stored)) return stored
  const { code, ...options } = stored.error
  return { error: new AppError(code, options) }
}

/** Open questions of a stranger are declined. */
export const agentsRows: DependentRows = {
  leftByStranger: (app, { userId }) => [
    {
      sql: `update a2a_approvals set status = 'declined', decided_at = ? where status = 'pending' and user_id = ?`,
      args: [app.now().getTime(), userId],
    },
  ],
  forgetOrganization: ({ sql: condition, args }) => [{ sql: `delete from a2a_approvals where ${condition}`, args }],
  ofPerson(person) {
    const isIn = isExported('org_id', person)
    return {
      approvals: {
        sql: `select caller, action, input, approver, status, ${isoTime('created_at')} as createdAt, ${isoTime('decided_at')} as decidedAt
          from a2a_approvals where user_id = ? and ${isIn.sql} order by created_at`,
        args: [person.userId, ...isIn.args],
      },
    }
  },
  forgetPerson: ({ userId }) => [{ sql: 'delete from a2a_approvals where user_id = ?', args: [userId] }],
}
