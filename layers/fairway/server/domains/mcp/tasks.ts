// Tool calls that become tasks, and the methods with which hosts follow them.
import type { CallToolResult, Server, ServerContext } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { type Action, checkAction } from '#fairway/server/domains/actions'
import { approverOf } from '#fairway/server/domains/agents'
import { findRun } from '#fairway/server/kernel/current-run'
import type { McpAccess } from '#fairway/server/domains/oauth-server'
import { AppError, toAppError } from '#fairway/server/kernel/http/app-error'
import { isTooDeep } from '#fairway/server/kernel/http/read-input'
import { cancelJob, countOpen, findJob, findJobNamed, queueJob } from '#fairway/server/kernel/jobs'
import { capabilitiesOf } from './host'
import { type McpCall, toRpcError } from './mcp-call'
import {
  followsTasks,
  hasExpired,
  MCP_TASKS,
  TASK_JOB,
  type TaskInput,
  taskInput,
  type TaskState,
  toTask,
} from './task-state'
import type { Tool } from './surface'

/**
 * Whether the call is answered with a task. The job that runs it finds the access by its grant, which a static token does not have.
 * A call that a person must approve is answered at once.
 */
export function mayBeTask(call: McpCall, context: ServerContext, { action }: Tool, input: unknown): boolean {
  const { app, access } = call
  if (!action.task || context.mcpReq.envelope === undefined || !followsTasks(capabilitiesOf(call, context)))
    return false
  const canRun = access.grantId !== null && findJob(app, TASK_JOB) !== undefined
  return canRun && approverOf(action, access) === null && !isTooDeep(input)
}

type CheckedCall = Parameters<typeof checkAction>[1] & { action: Action; input: unknown }

/** The most tasks of one grant that wait or run at a time. */
const MOST_AT_ONCE = 20

/** Checks the call, queues it, and returns its task. Throws the errors of `checkAction`, and `rate-limited`. */
export async function startTask(call: McpCall, checked: CheckedCall): Promise<CallToolResult> {
  const { app, access, requestId, clientAddress } = call
  const { session, grantId } = access
  const entry = findJob(app, TASK_JOB)
  if (!entry || grantId === null) throw new Error('this call cannot be a task')
  await checkAction(app, checked)
  const { userId, orgId, serviceAccount } = session
  const input: TaskInput = {
    tool: checked.name,
    arguments: taskInput.shape.arguments.parse(checked.input),
    grantId,
    userId,
    orgId,
    requestId,
    clientAddress,
    userAgent: findRun()?.userAgent,
  }
  if ((await countOpen(app, entry, input)) >= MOST_AT_ONCE)
    throw new AppError('rate-limited', {
      detail: `${MOST_AT_ONCE} tasks of this connection wait or run. Wait for one to end.`,
    })
  const id = await queueJob(app, app.db.orm, entry, input, { orgId, userId: serviceAccount?.id ?? userId })
  // It may have ended already. Only `tasks/get` returns outcomes.
  const { result: _result, error: _error, statusMessage: _message, ...task } = await findTask(call, id)
  // The protocol's library demands `content` of each result of this method.
  return { ...task, status: 'working', resultType: 'task', content: [] }
}

/** Returns a task of this grant. Throws -32602 for any other task, for one whose tool the token does not open, and for an old one. */
async function findTask({ app, access, surface, sdk }: McpCall, taskId: string): Promise<TaskState> {
  const job = await findJobNamed(app, TASK_JOB, taskId)
  const input = job && taskInput.parse(JSON.parse(job.input))
  const tool = surface.tools.get(input?.tool ?? '')
  const isOpen = input !== undefined && tool !== undefined && access.scopes.has(tool.scope) && isOf(input, access)
  if (job && isOpen && !hasExpired(job, app.now())) return toTask(taskId, job, app.now())
  throw new sdk.ProtocolError(sdk.ProtocolErrorCode.InvalidParams, 'There is no task with this ID.')
}

/** Whether the call was made with this access: the grant, its person and its organization. */
export const isOf = ({ grantId, userId, orgId }: TaskInput, access: McpAccess): boolean =>
  grantId === access.grantId && userId === access.session.userId && orgId === access.session.orgId

const paramsSchema = z.object({ taskId: z.string().max(100) })

/** Answers `tasks/get`, `tasks/update` and `tasks/cancel`. */
export function answerTasks(server: Server, call: McpCall): void {
  const answer = (method: string, work: (taskId: string) => Promise<object>) =>
    server.setRequestHandler(method, { params: z.looseObject({}) }, async (params, context) => {
      const taskId = readTaskId(call, context, params)
      return { ...(await work(taskId).catch(thrown => Promise.reject(toRpcError(call, toAppError(thrown), thrown)))) }
    })
  answer('tasks/get', async taskId => findTask(call, taskId))
  // A task never asks, so no answer is outstanding. The extension says to ignore others.
  answer('tasks/update', async taskId => {
    await findTask(call, taskId)
    return {}
  })
  answer('tasks/cancel', async taskId => {
    const { status } = await findTask(call, taskId)
    if (status === 'working') await cancelJob(call.app, taskId)
    return {}
  })
}

/** Throws -32601 for hosts of earlier revisions, -32021 for hosts that do not declare the extension, and -32602 without an ID. */
function readTaskId(call: McpCall, context: ServerContext, params: unknown): string {
  const { sdk } = call
  if (context.mcpReq.envelope === undefined)
    throw new sdk.ProtocolError(sdk.ProtocolErrorCode.MethodNotFound, 'Method not found')
  if (!followsTasks(capabilitiesOf(call, context)))
    throw new sdk.MissingRequiredClientCapabilityError({ requiredCapabilities: { extensions: { [MCP_TASKS]: {} } } })
  const { data } = paramsSchema.safeParse(params)
  if (!data) throw new sdk.ProtocolError(sdk.ProtocolErrorCode.InvalidParams, 'Invalid taskId: a text is required.')
  return data.taskId
}
