import type { App } from '#fairway/server/kernel/app-context'
import type { AppError } from '#fairway/server/kernel/http/app-error'
import { notePage } from '#fairway/server/kernel/server-page/note-page'
import type { ServerPage } from '#fairway/server/kernel/server-page/render-page'
import { errorCatalog } from '#fairway/shared/errors'
import type { Session } from '#fairway/shared/schemas/session'
import { signInPathFor } from '#fairway/shared/sign-in-path'
import type { Action } from '../action'
import { readAnswer } from './approval-answer'
import { approvalPage } from './approval-page'
import { type ApprovalRow, approvalPath, findApproval, hasEnded } from './approvals'
import { approvalTexts as texts } from './approval-texts'
import { callerName } from './caller-name'
import { findCalledPerson } from './peer-session'

/** One visit of the page on which a person answers a question. */
export interface ApprovalVisit {
  id: string
  session: Session | null
  actions: ReadonlyMap<string, Action>
}

export interface ApprovalPage {
  page: ServerPage
  status: number
}

/** The page of one question: what is asked, or what came of it. Without a session the way to sign in; for everybody else there is nothing here. */
export async function showApproval(app: App, visit: ApprovalVisit): Promise<ApprovalPage> {
  const found = await findQuestion(app, visit)
  if ('page' in found) return found
  const { row, session } = found
  if (row.status !== 'pending') return outcomePage(app, row)
  const action = visit.actions.get(row.action)
  return { page: await approvalPage(app, { row, session, description: action?.description }), status: 200 }
}

/** The question with the person as they would act, or the page that says why there is none. */
export async function findQuestion(
  app: App,
  { id, session }: ApprovalVisit,
): Promise<ApprovalPage | { row: ApprovalRow; session: Session }> {
  if (!session) return signInPage(app, id)
  const row = await findApproval(app, id, session.userId)
  if (!row) return nothingPage(app, id, session)
  const acting = hasEnded(app, row) ? null : await findCalledPerson(app, { userId: row.userId, orgId: row.orgId })
  return acting ? { row, session: acting } : endedPage(app)
}

/** The page for a second answer. */
export async function answeredPage(app: App, row: ApprovalRow): Promise<ApprovalPage> {
  const link = { href: approvalPath(row.id), text: texts.look }
  const note = { title: texts.answeredTitle, lead: texts.answeredLead, code: 'conflict', link }
  return { page: await notePage(app, note), status: 409 }
}

async function signInPage(app: App, id: string): Promise<ApprovalPage> {
  const link = { href: signInHref(id), text: texts.signIn }
  return { page: await notePage(app, { title: texts.signInTitle, lead: texts.signInLead, link }), status: 401 }
}

async function nothingPage(app: App, id: string, { email }: Session): Promise<ApprovalPage> {
  const link = { href: signInHref(id, true), text: texts.otherAccount }
  const note = { title: texts.nothingTitle, lead: texts.nothingLead(email), link }
  return { page: await notePage(app, note), status: 404 }
}

async function endedPage(app: App): Promise<ApprovalPage> {
  return { page: await notePage(app, { title: texts.endedTitle, lead: texts.endedLead }), status: 410 }
}

const signInHref = (id: string, again = false): string => signInPathFor({ returnPath: approvalPath(id), again })

async function outcomePage(app: App, row: ApprovalRow): Promise<ApprovalPage> {
  return { page: await notePage(app, outcomeOf(app, row)), status: 200 }
}

function outcomeOf(app: App, row: ApprovalRow) {
  const name = callerName(app, row.caller)
  if (row.status === 'declined') return { title: texts.declinedTitle, lead: texts.declinedLead(name) }
  if (row.answer === null) {
    const link = { href: approvalPath(row.id), text: texts.lookAgain }
    return { title: texts.runningTitle, lead: texts.runningLead, link }
  }
  const answer = readAnswer(row.answer)
  if (!('error' in answer)) return { title: texts.doneTitle, lead: texts.doneLead(name) }
  return { title: texts.failedTitle, lead: texts.failedLead(name), ...failureOf(answer.error) }
}

const failureOf = ({ code, detail }: AppError) => ({
  alert: [errorCatalog[code].title, detail].filter(Boolean).join(' '),
  code,
})
