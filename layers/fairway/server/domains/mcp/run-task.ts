// The job behind a task: it runs the tool for the grant that called it, with the rights that the grant has now.
import type { ActionHost } from '#fairway/server/domains/actions'
import { findGrantAccess, type McpAccess } from '#fairway/server/domains/oauth-server'
import { checkOrgOpens } from '#fairway/server/domains/organizations'
import type { App } from '#fairway/server/kernel/app-context'
import { requireRun, withRun } from '#fairway/server/kernel/current-run'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { definePlatformJob, type JobContext } from '#fairway/server/kernel/jobs'
import { requireScope } from './access'
import { checkCall, runOrHold, toErrorResult, toResult } from './call-tool'
import type { McpMessage } from './mcp-call'
import { loadSurface, type Tool, writeOf } from './surface'
import { isOf } from './tasks'
import { INTERNAL_ERROR, type TaskInput, taskInput, type TaskOutcome } from './task-state'

const MOST_OF_RESULT = 4 * 1024 * 1024

/** Runs the calls that hosts follow as tasks. */
export const runTaskJob = definePlatformJob({
  description: 'Runs a tool call that an MCP host follows as a task.',
  input: taskInput,
  // Longer than any action, whose own timeout is a result for the host.
  timeout: 11 * 60,
  concurrency: { most: 4, per: ({ grantId }) => grantId },
  waits: true,
  // A call may change something, so an interrupted one is never repeated.
  platform: { isOnce: true, mostOfResult: MOST_OF_RESULT },
  run: (input, context) => runTask(requireRun().app, input, context),
})

async function runTask(app: App, input: TaskInput, context: JobContext): Promise<TaskOutcome> {
  const surface = await loadSurface(app)
  const tool = surface.tools.get(input.tool)
  if (!tool) return { error: { code: INTERNAL_ERROR, message: 'There is no tool of this name any more.' } }
  const { grantId, requestId, clientAddress, userAgent } = input
  const access = await findAccess(app, tool, input)
  if (access instanceof AppError)
    return {
      error: { code: INTERNAL_ERROR, message: access.detail ?? 'The connection may not make this call any more.' },
    }
  const call = { app, surface, access, held: [], requestId, clientAddress, takesStream: false, subject: tool.name }
  const run = { app, session: access.session, clientAddress, userAgent, grantId }
  return withRun(run, () => outcomeOf(call, tool, input, context))
}

/** The access that the grant has now, or why it has none. */
async function findAccess(app: App, tool: Tool, input: TaskInput): Promise<McpAccess | AppError> {
  const { grantId, requestId } = input
  try {
    const access = await findGrantAccess(app, grantId)
    if (!access || !isOf(input, access)) return new AppError('unauthenticated', { detail: 'The connection has ended.' })
    checkOrgOpens(access.session)
    await requireScope(app, access, tool.scope, { write: writeOf(tool, input.arguments), requestId })
    return access
  } catch (thrown) {
    if (thrown instanceof AppError && thrown.status < 500) return thrown
    throw thrown
  }
}

/** The result of the call. Throws when the job was cancelled or interrupted, whatever the action made of it. */
async function outcomeOf(call: McpMessage, tool: Tool, input: TaskInput, context: JobContext): Promise<TaskOutcome> {
  const { signal } = context
  try {
    checkCall(call, tool, input.arguments)
    const result = toResult(tool, await runOrHold(call, tool, input.arguments, { host: hostOfTask(context), signal }))
    // The rest of the row needs little room.
    if (JSON.stringify(result).length < MOST_OF_RESULT - 100) return { result }
    return { error: { code: INTERNAL_ERROR, message: 'The call is done. Its result is too large for a task.' } }
  } catch (thrown) {
    signal.throwIfAborted()
    return { result: toErrorResult(call, tool, input.arguments, thrown) }
  }
}

/** The host of a task for authors: it gets progress, and cannot be asked. */
const hostOfTask = ({ progress }: JobContext): ActionHost => ({
  canAsk: false,
  answers: {},
  state: undefined,
  answer: (_name, form) => form.safeParse(undefined).data,
  progress: async (done, total) => progress(done, total),
  log: async () => {},
  ask() {
    throw new AppError('host-cannot-ask')
  },
})
