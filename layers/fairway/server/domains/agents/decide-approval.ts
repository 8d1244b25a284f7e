import { type Action, runAction, scopeOfAction } from '#fairway/server/domains/actions'
import { findGrantAccess, type McpAccess } from '#fairway/server/domains/oauth-server'
import { refuseClosed } from '#fairway/server/domains/organizations'
import { actAs, sessionOfActing } from '#fairway/server/domains/sessions'
import type { App } from '#fairway/server/kernel/app-context'
import { AppError, toAppError } from '#fairway/server/kernel/http/app-error'
import type { Language } from '#fairway/shared/languages'
import { mayInOrg } from '#fairway/shared/roles'
import type { Session } from '#fairway/shared/schemas/session'
import {
  type ApprovalPage,
  answeredPage,
  approvalPage,
  callerName,
  endedPage,
  inputOf,
  nothingPage,
  outcomePage,
  signInPage,
} from './approval-page'
import {
  type ApprovalRow,
  approvalPath,
  findApproval,
  hasEnded,
  keepAnswer,
  noteApproval,
  takeDecision,
  writeAnswer,
} from './approvals'
import { foresee } from './approval-rehearsal'
import { hostNameOf } from './held-calls'
import { findCalledPerson } from './peer-calls/authenticate-peer'

/** One visit of the page that shows a question to a person. */
interface ApprovalVisit {
  id: string
  /** The language of its pages; English by default. */
  language?: Language
  session: Session | null
  actions: ReadonlyMap<string, Action>
  requestId: string
}

/** A question that this person may see. */
interface Question {
  row: ApprovalRow
  /** The person for whom the call would run. */
  acting: Session
  /** The person who looks, in the organization of the question. */
  reader: Session
  /** The grant of the host; undefined for calls of applications. */
  access?: McpAccess
  /** The name of the host or application. */
  name: string
  mayApprove: boolean
}

/** The page of one question, or of its outcome. Without a session it links to the sign-in; for other people it is not found. */
export async function showApproval(app: App, visit: ApprovalVisit): Promise<ApprovalPage> {
  const { actions, language } = visit
  const question = await findQuestion(app, visit)
  if ('page' in question) return question
  const { row } = question
  if (row.status !== 'pending') return outcomePage(app, question, language)
  const action = actions.get(row.action)
  const call = { ...question, input: inputOf(row), requestId: visit.requestId }
  const foreseen = action && (await foresee(app, { ...call, action }))
  return { page: await approvalPage(app, { ...question, action, foreseen, language }), status: 200 }
}

/** The question, or the page that explains why it cannot be answered. */
async function findQuestion(app: App, { id, session, language }: ApprovalVisit): Promise<ApprovalPage | Question> {
  if (!session) return signInPage(app, id, language)
  const row = await findApproval(app, id)
  if (!row) return nothingPage(app, id, session, language)
  const isOwn = row.userId === session.userId
  const manager = isOwn ? null : await findManager(app, row, session)
  if (!isOwn && !manager) return nothingPage(app, id, session, language)
  await refuseClosed(app, session, [row.orgId ?? ''])
  const call = hasEnded(app, row) ? null : await findActing(app, row)
  if (!call) return endedPage(app, language)
  return { row, ...call, ...(manager ? { reader: manager, mayApprove: true } : ofOwn(row, call.acting)) }
}

const ofOwn = ({ approver }: ApprovalRow, reader: Session) => ({ reader, mayApprove: approver === 'person' })

/** The person as an owner or admin of the organization whose question they may answer; null for all others. */
async function findManager(app: App, { approver, orgId }: ApprovalRow, session: Session): Promise<Session | null> {
  if (approver !== 'admin' || orgId === null) return null
  const { userId, provider, providerDomain, provedSecondFactor } = session
  const proof = { provider, providerDomain, provedSecondFactor, orgId }
  const there = session.orgId === orgId ? session : sessionOfActing(await actAs(app, { userId }, proof))
  return there && mayInOrg(there.orgRole, 'revoke-grant') ? there : null
}

/** The person for whom the call would run, by rights that they have now; null when the grant has ended or they left. */
async function findActing(app: App, row: ApprovalRow): Promise<Pick<Question, 'acting' | 'access' | 'name'> | null> {
  if (row.grantId === null) {
    const acting = await findCalledPerson(app, { userId: row.userId, orgId: row.orgId })
    return acting && { acting, name: callerName(app, row.caller) }
  }
  const access = await findGrantAccess(app, row.grantId)
  return access && { acting: access.session, access, name: await hostNameOf(app, row) }
}

interface DecidingVisit extends ApprovalVisit {
  form: Record<string, string>
}

/**
 * Carries out a person's decision. An approved action of an application runs once, even with concurrent requests, and its answer is
 * stored. That of a host does so where the person ticks it, and otherwise with the host's next identical call. Returns the address of
 * the page with the outcome, or a page that explains why nothing was done. Throws `forbidden` where somebody else must approve.
 */
export async function decideApproval(app: App, visit: DecidingVisit): Promise<ApprovalPage | { location: string }> {
  const { form, session, requestId } = visit
  const question = await findQuestion(app, visit)
  if ('page' in question) return question
  if (form.decision !== 'approve' && form.decision !== 'decline') {
    throw new AppError('invalid-request', { detail: 'The decision is approve or decline.' })
  }
  const approves = form.decision === 'approve'
  if (approves && !question.mayApprove)
    throw new AppError('forbidden', { detail: 'Another owner or admin must approve this.' })
  const runsNow = approves && (question.access === undefined || form.now !== undefined)
  const status = approves ? 'approved' : 'declined'
  const row = await takeDecision(app, question.row, { status, runsNow })
  if (!row) return answeredPage(app, question.row, visit.language)
  const { caller, action, userId, orgId } = row
  app.log.info('approval decided', { decision: row.status, caller, action, userId, orgId, requestId })
  const done = approves ? 'approve-call' : 'deny-call'
  await noteApproval(app, row, { done, session, caller: 'http', requestId, app: question.name })
  if (runsNow) await keepAnswer(app, row.id, await run(app, visit, { ...question, row }))
  return { location: approvalPath(row.id) }
}

// The browser may disconnect: an approved action still runs to completion.
async function run(app: App, { actions, requestId }: DecidingVisit, question: Question): Promise<string> {
  const { action: name, caller: via, input } = question.row
  try {
    const action = actions.get(name)
    if (!action) throw new AppError('unknown-action')
    checkSurface(action, question.access)
    const caller = question.access ? ('mcp' as const) : ('a2a' as const)
    const call = { name, action, input: JSON.parse(input), session: question.acting, caller, via, requestId }
    return writeAnswer({ result: await runAction(app, call) })
  } catch (thrown) {
    const error = toAppError(thrown)
    if (error.status >= 500) app.log.error('an approved action failed', { action: name, requestId, error: error.cause })
    return writeAnswer({ error })
  }
}

/** Throws when the caller could not call the action itself now. */
function checkSurface(action: Action, access: McpAccess | undefined): void {
  if (!(access ? action.mcp : action.http)) throw new AppError('unknown-action')
  if (!access) return
  if (!access.scopes.has(scopeOfAction(action))) throw new AppError('insufficient-scope')
  if (action.destructive && !access.mayDelete) throw new AppError('deletion-not-allowed')
}
