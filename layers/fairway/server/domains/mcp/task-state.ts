// Tasks as the protocol describes them: the extension `io.modelcontextprotocol/tasks` (SEP-2663) of the revision 2026-07-28. The tasks of
// 2025-11-25 are different, and hosts of that revision never get one.
import type { CallToolResult } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { type NamedJob, PLATFORM_JOB } from '#fairway/server/kernel/jobs'

/** The extension for tasks. */
export const MCP_TASKS = 'io.modelcontextprotocol/tasks'

/** The job that runs the call behind a task. The ID of the job is the ID of the task. */
export const TASK_JOB = `${PLATFORM_JOB}run-task`

const HOUR_IN_MS = 60 * 60 * 1000
const POLL_EVERY_IN_MS = 2000
export const INTERNAL_ERROR = -32_603

const capabilitiesSchema = z.object({
  extensions: z.object({ [MCP_TASKS]: z.record(z.string(), z.unknown()) }),
})

/** Whether a host with these capabilities follows tasks. */
export const followsTasks = (capabilities: unknown): boolean => capabilitiesSchema.safeParse(capabilities).success

/** The call behind a task, and who made it. */
export const taskInput = z.object({
  tool: z.string(),
  arguments: z.record(z.string(), z.unknown()),
  grantId: z.string(),
  userId: z.string(),
  orgId: z.string().nullable(),
  requestId: z.string(),
  /** Where the call came from, for its audit row. */
  clientAddress: z.string().optional(),
  userAgent: z.string().optional(),
})
export type TaskInput = z.output<typeof taskInput>

/** What a call came to: the result of the tool, which may be an error for the model, or a JSON-RPC error. */
export type TaskOutcome = { result: CallToolResult } | { error: { code: number; message: string } }

/** The state of a task, with its outcome. */
export interface TaskState {
  taskId: string
  status: 'working' | 'completed' | 'failed' | 'cancelled'
  statusMessage?: string
  createdAt: string
  lastUpdatedAt: string
  ttlMs: number
  pollIntervalMs: number
  result?: object
  error?: object
}

/** Whether this is the answer to a call that became a task. */
export const isCreatedTask = (result: object): boolean => 'resultType' in result && result.resultType === 'task'

/** Whether the hour in which a host can collect the outcome has passed. */
export const hasExpired = ({ finishedAt }: NamedJob, now: Date): boolean =>
  finishedAt !== null && finishedAt + HOUR_IN_MS <= now.getTime()

/** A task as hosts see it. Its time to live grows while it runs, because the outcome is kept for an hour. */
export function toTask(taskId: string, job: NamedJob, now: Date): TaskState {
  const { createdAt, startedAt, finishedAt } = job
  return {
    taskId,
    createdAt: new Date(createdAt).toISOString(),
    lastUpdatedAt: new Date(finishedAt ?? startedAt ?? createdAt).toISOString(),
    ttlMs: (finishedAt ?? now.getTime()) - createdAt + HOUR_IN_MS,
    pollIntervalMs: POLL_EVERY_IN_MS,
    ...statusOf(job),
  }
}

const INTERRUPTED = 'The call was interrupted and is not repeated. Check what it has done before you call again.'

// The error of the job itself can contain internals, so hosts get a fixed sentence.
function statusOf({ state, result, error, done, total }: NamedJob) {
  if (state === 'cancelled' && error === null) return { status: 'cancelled' as const }
  if (state === 'failed' || state === 'cancelled') return failed({ code: INTERNAL_ERROR, message: INTERRUPTED })
  if (state !== 'done')
    return { status: 'working' as const, ...(done !== null && { statusMessage: progressOf(done, total) }) }
  const outcome: TaskOutcome = JSON.parse(result ?? 'null') ?? { error: { code: INTERNAL_ERROR, message: INTERRUPTED } }
  if ('error' in outcome) return failed(outcome.error)
  return { status: 'completed' as const, result: { ...outcome.result, resultType: 'complete' } }
}

const failed = (error: { code: number; message: string }) =>
  ({ status: 'failed', statusMessage: error.message, error }) as const

const progressOf = (done: number, total: number | null): string => (total === null ? `${done}` : `${done} of ${total}`)
