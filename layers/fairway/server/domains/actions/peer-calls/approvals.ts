import { keepNameStatement } from '../audit/audit-log'
import { type DependentRows, isExported, isoTime } from '#fairway/server/kernel/dependent-rows'
import { and, eq, gt, lte, sql } from 'drizzle-orm'
import { z } from 'zod'
import type { Session } from '#fairway/shared/schemas/session'
import type { App } from '#fairway/server/kernel/app-context'
import { randomToken } from '#fairway/server/kernel/crypto/random'
import { A2A_APPROVALS_PATH } from '#fairway/shared/paths'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { type ErrorCode, errorCatalog } from '#fairway/shared/errors'
import { rateLimit } from '../../../kernel/limits/rate-limit'
import { limits } from '../../../kernel/limits/limits'
import { a2aApprovals } from '../tables'

const HOUR_IN_MS = 60 * 60 * 1000
const LIFE_IN_MS = 24 * HOUR_IN_MS
/** No action may run this long, so an answer that is still missing never arrives. */
const LONGEST_RUN_IN_MS = 15 * 60 * 1000

export type ApprovalRow = typeof a2aApprovals.$inferSelect

/** Stores a question for a person for 24 hours. Throws `rate-limited` when one person gets too many questions. */
export async function askForApproval(
  app: App,
  { userId, orgId }: Session,
  question: { caller: string; action: string; input: unknown },
): Promise<Approval> {
  await rateLimit(app, limits.a2aApprovalsPerAccount, userId)
  const createdAt = app.now()
  const row = {
    id: randomToken(32),
    userId,
    orgId,
    ...question,
    input: JSON.stringify(question.input),
    status: 'pending' as const,
    createdAt,
    expiresAt: new Date(createdAt.getTime() + LIFE_IN_MS),
  }
  await app.db.orm.insert(a2aApprovals).values(row)
  return toApproval(app, row)
}

/** The answer to the application that asked: the page for the person, and when the question expires (ISO 8601 UTC). */
export const toApproval = (app: App, { id, expiresAt }: Pick<ApprovalRow, 'id' | 'expiresAt'>) => ({
  id,
  url: app.config.baseUrl + approvalPath(id),
  expiresAt: expiresAt.toISOString(),
})

export type Approval = ReturnType<typeof toApproval>

/** The path of the page for a question. */
export const approvalPath = (id: string): string => `${A2A_APPROVALS_PATH}/${encodeURIComponent(id)}`

/** A question to this person, including an expired one; undefined for questions to other people. */
export async function findApproval(app: App, id: string, userId: string): Promise<ApprovalRow | undefined> {
  const isTheirs = and(eq(a2aApprovals.id, id), eq(a2aApprovals.userId, userId))
  const [row] = await app.db.orm.select().from(a2aApprovals).where(isTheirs)
  return row
}

/** Whether a question can no longer have an outcome: it expired, or the approved action never finished. */
export function hasEnded(app: App, { expiresAt, status, answer, decidedAt }: ApprovalRow): boolean {
  const now = app.now().getTime()
  const isLost = status === 'approved' && answer === null && now - (decidedAt?.getTime() ?? 0) > LONGEST_RUN_IN_MS
  return expiresAt.getTime() <= now || isLost
}

/**
 * Stores the decision of a person. Of several concurrent requests only one succeeds; the others get undefined. The outcome is
 * kept for at least an hour.
 */
export async function takeDecision(
  app: App,
  { id, userId }: Pick<ApprovalRow, 'id' | 'userId'>,
  status: 'approved' | 'declined',
): Promise<ApprovalRow | undefined> {
  const now = app.now()
  const isOpen = and(
    eq(a2aApprovals.id, id),
    eq(a2aApprovals.userId, userId),
    eq(a2aApprovals.status, 'pending'),
    gt(a2aApprovals.expiresAt, now),
  )
  const expiresAt = sql`max(${a2aApprovals.expiresAt}, ${now.getTime() + HOUR_IN_MS})`
  const [row] = await app.db.orm
    .update(a2aApprovals)
    .set({ status, decidedAt: now, expiresAt })
    .where(isOpen)
    .returning()
  return row
}

/** Stores the answer of an approved action (`writeAnswer`) for the application that asked. */
export async function keepAnswer(app: App, id: string, answer: string): Promise<void> {
  await app.db.orm.update(a2aApprovals).set({ answer }).where(eq(a2aApprovals.id, id))
}

/** Deletes expired questions and their answers. */
export async function purgeApprovals(app: App): Promise<void> {
  await app.db.orm.delete(a2aApprovals).where(lte(a2aApprovals.expiresAt, app.now()))
}

/** The outcome of an approved action: its result or its error. */
type ApprovalAnswer = { result: unknown } | { error: AppError }

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
export const actionsRows: DependentRows = {
  leftByStranger: (app, { userId }) => [
    {
      sql: `update a2a_approvals set status = 'declined', decided_at = ? where status = 'pending' and user_id = ?`,
      args: [app.now().getTime(), userId],
    },
  ],
  ofPerson(person) {
    const isIn = isExported('org_id', person)
    return {
      approvals: {
        sql: `select caller, action, input, status, ${isoTime('created_at')} as createdAt, ${isoTime('decided_at')} as decidedAt
          from a2a_approvals where user_id = ? and ${isIn.sql} order by created_at`,
        args: [person.userId, ...isIn.args],
      },
    }
  },
  forgetPerson: ({ userId }) => [
    { sql: 'delete from a2a_approvals where user_id = ?', args: [userId] },
    { sql: 'delete from fw_undo_calls where user_id = ?', args: [userId] },
    keepNameStatement(userId),
  ],
}
