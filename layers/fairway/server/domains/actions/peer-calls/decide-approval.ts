import type { App } from '#fairway/server/kernel/app-context'
import { AppError, toAppError } from '#fairway/server/kernel/http/app-error'
import type { Session } from '#fairway/shared/schemas/session'
import { runAction } from '../run-action'
import { writeAnswer } from './approval-answer'
import { type ApprovalRow, approvalPath, keepAnswer, takeDecision } from './approvals'
import { answeredPage, type ApprovalPage, type ApprovalVisit, findQuestion } from './show-approval'

interface DecidingVisit extends ApprovalVisit {
  form: Record<string, string>
  requestId: string
}

/**
 * Carries out what a person decided: an approved action runs once, by one of any number of requests at once, and its answer is
 * kept. Gives the address of the page that tells what came of it, or a page that says why nothing was done.
 */
export async function decideApproval(app: App, visit: DecidingVisit): Promise<ApprovalPage | { location: string }> {
  const { form } = visit
  const found = await findQuestion(app, visit)
  if ('page' in found) return found
  if (form.decision !== 'approve' && form.decision !== 'decline') {
    throw new AppError('invalid-request', { detail: 'The decision is approve or decline.' })
  }
  const row = await takeDecision(app, found.row, form.decision === 'approve' ? 'approved' : 'declined')
  if (!row) return answeredPage(app, found.row)
  const { caller, action, userId, orgId } = row
  app.log.info('approval decided', { decision: row.status, caller, action, userId, orgId, requestId: visit.requestId })
  if (row.status === 'approved') await keepAnswer(app, row.id, await run(app, visit, row, found.session))
  return { location: approvalPath(row.id) }
}

// The browser may go away: what was approved runs to its end.
async function run(
  app: App,
  { actions, requestId }: DecidingVisit,
  { action: name, caller: via, input }: ApprovalRow,
  session: Session,
): Promise<string> {
  try {
    const action = actions.get(name)
    if (!action?.http) throw new AppError('unknown-action')
    const call = { name, action, input: JSON.parse(input), session, caller: 'a2a' as const, via, requestId }
    return writeAnswer({ result: await runAction(app, call) })
  } catch (thrown) {
    const error = toAppError(thrown)
    if (error.status >= 500) app.log.error('an approved action failed', { action: name, requestId, error: error.cause })
    return writeAnswer({ error })
  }
}
