// Calls of agents that wait until a person approves them on our page.
import { type Action, checkAction, HostQuestions } from '#fairway/server/domains/actions'
import { hostNames, type McpAccess } from '#fairway/server/domains/oauth-server'
import { listManagers } from '#fairway/server/domains/organizations'
import type { App } from '#fairway/server/kernel/app-context'
import { sha256 } from '#fairway/server/kernel/crypto/hash'
import { randomToken } from '#fairway/server/kernel/crypto/random'
import { AppError, toAppError } from '#fairway/server/kernel/http/app-error'
import { isRecord } from '#fairway/shared/record'
import {
  type ApprovalRow,
  approvalPath,
  beginRun,
  type CallHash,
  endRun,
  findByCall,
  insertQuestion,
  noteApproval,
  readAnswer,
  returnRun,
  takeAnswer,
  writeAnswer,
} from './approvals'
import { notifyApprovers } from './notify-approvers'

/** One call of an agent. */
export interface AgentCall {
  name: string
  action: Action
  input: unknown
  access: McpAccess
  /** The surface, as audit rows name it. */
  caller: 'mcp' | 'http'
  requestId: string
}

/**
 * Who must approve a call before it runs; null when it may run. Own tokens and programs of a person act at once. An action that
 * demands an admin does so whatever the person chose for the app.
 */
export function approverOf(
  action: Action,
  { asksFirst }: Pick<McpAccess, 'asksFirst'>,
): ApprovalRow['approver'] | null {
  if (asksFirst === 'in-host') return null
  if (action.approval) return action.approval.by
  return action.destructive && asksFirst === 'always' ? 'person' : null
}

/**
 * Runs a call once a person has approved it. Throws `approval-waiting` and `not-approved` with the question in `extra`,
 * `too-many-approvals`, `no-approver`, `rate-limited`, what `checkAction` throws, and what `run` throws.
 */
export async function runWhenApproved(
  app: App,
  call: AgentCall,
  approver: ApprovalRow['approver'],
  run: () => Promise<unknown>,
): Promise<unknown> {
  const callHash = hashOf(call)
  const row = await findByCall(app, callHash)
  if (!row) throw await askPerson(app, call, approver, callHash)
  if (row.status === 'pending') throw waiting(app, call, row)
  if (row.status === 'declined') throw denied(app, row)
  if (row.answer !== null) return answerOnce(app, call, approver, row)
  if (!(await beginRun(app, row.id))) throw waiting(app, call, row, 'It was approved and is running.')
  return runOnce(app, row, run)
}

async function runOnce(app: App, { id }: ApprovalRow, run: () => Promise<unknown>): Promise<unknown> {
  try {
    const result = await run()
    // The host gets the result itself, so only the outcome is kept, for the page.
    await endRun(app, id, writeAnswer({ result: null }))
    return result
  } catch (thrown) {
    // Nothing has happened yet: the call is repeated with the answers.
    if (thrown instanceof HostQuestions) await returnRun(app, id)
    else await endRun(app, id, writeAnswer({ error: toAppError(thrown) }))
    throw thrown
  }
}

/** The answer of a call that the person ran from the page. Its host gets it once; the next identical call is a new question. */
async function answerOnce(app: App, call: AgentCall, approver: ApprovalRow['approver'], row: ApprovalRow) {
  if (!(await takeAnswer(app, row))) throw await askPerson(app, call, approver, hashOf(call))
  const answer = readAnswer(row.answer ?? '')
  if ('error' in answer) throw answer.error
  return answer.result
}

/** The hash that binds an approval to this grant, organization, action and input. The order of members does not matter. */
const hashOf = ({ access, name, input }: AgentCall): CallHash =>
  sha256(JSON.stringify([access.grantId, access.session.orgId, name, canonical(input)]))

const canonical = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(canonical)
  if (!isRecord(value)) return value
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  // Pairs, because numeric names of an object always come first.
  return { members: members.map(([name, member]) => [name, canonical(member)]) }
}

/** Stores the question, tells the people who can answer it, and returns the error for the host. */
async function askPerson(
  app: App,
  call: AgentCall,
  approver: ApprovalRow['approver'],
  callHash: CallHash,
): Promise<AppError> {
  const { name, action, input, access, caller, requestId } = call
  const { session, clientId, grantId } = access
  const via = clientId ?? undefined
  await checkAction(app, { name, action, input, session, caller, via, requestId })
  const { userId, orgId, email } = session
  const others = approver === 'admin' && orgId !== null ? await listManagers(app, orgId) : []
  const approvers = approver === 'admin' ? others.filter(address => address !== email) : [email]
  if (approvers.length === 0) return new AppError('no-approver')
  const question = { id: randomToken(32), userId, orgId, caller: clientId ?? '', grantId, approver }
  const row = { ...question, action: name, input: JSON.stringify(input), callHash }
  const isNew = await insertQuestion(app, { ...row, status: 'pending', createdAt: app.now(), expiresAt: app.now() })
  const stored = await findByCall(app, callHash)
  if (!stored) throw new AppError('conflict')
  if (!isNew) return stored.status === 'declined' ? denied(app, stored) : waiting(app, call, stored)
  const host = await hostNameOf(app, stored)
  const done = approver === 'admin' ? 'request-admin-approval' : 'request-approval'
  await noteApproval(app, stored, { done, session, caller, via, requestId, app: host })
  await notifyApprovers(app, stored, { approvers, host, orgName: session.orgName })
  return waiting(app, call, stored)
}

/** The name of the host behind a row, as it called itself when the person connected it. */
export const hostNameOf = async (app: App, { caller }: Pick<ApprovalRow, 'caller'>): Promise<string> =>
  (await hostNames(app, [caller]))[caller] ?? caller

function waiting(app: App, { name, access }: AgentCall, row: ApprovalRow, state?: string): AppError {
  const { email, orgName } = access.session
  const approver = row.approver === 'admin' ? `another owner or admin of ${orgName} than ${email}` : email
  const detail =
    `${state ?? `It needs the approval of ${approver}.`} They can answer at ${urlOf(app, row)} until ` +
    `${row.expiresAt.toISOString()}. After that, call ${name} again with the same arguments.`
  return new AppError('approval-waiting', { detail, extra: { approval: toState(app, row, 'waiting') } })
}

const denied = (app: App, row: ApprovalRow): AppError =>
  new AppError('not-approved', {
    detail: 'The person denied this call. Do not repeat it.',
    extra: { approval: toState(app, row, 'denied') },
  })

const urlOf = (app: App, { id }: ApprovalRow): string => app.config.baseUrl + approvalPath(id)

/** What the host learns about the question. */
const toState = (app: App, row: ApprovalRow, state: 'waiting' | 'denied') => ({
  state,
  id: row.id,
  url: urlOf(app, row),
  expiresAt: row.expiresAt.toISOString(),
})
