/** @jsxImportSource vue */
import { z } from 'zod'
import type { App } from '#fairway/server/kernel/app-context'
import { refuseClosed } from '#fairway/server/domains/organizations'
import { AppError, toAppError } from '#fairway/server/kernel/http/app-error'
import { cardPage, MarkPair, noteAnswer, oneClickScript } from '#fairway/server/kernel/server-page/note-page'
import { fill, fillCount, messagesOf, offered } from '#fairway/server/kernel/messages'
import type { ServerPage } from '#fairway/server/kernel/server-page/render-page'
import { errorCatalog } from '#fairway/shared/errors'
import type { Language } from '#fairway/shared/languages'
import type { Session } from '#fairway/shared/schemas/session'
import { signInPathFor } from '#fairway/shared/sign-in-path'
import type { Action } from '../action'
import {
  readAnswer,
  type ApprovalRow,
  approvalPath,
  findApproval,
  hasEnded,
  writeAnswer,
  keepAnswer,
  takeDecision,
} from './approvals'
import { findCalledPerson } from './authenticate-peer'
import { factsOf, questionOf, visible } from '../call-question'
import { runAction } from '../run-action'

/** One visit of the page that shows a question to a person. */
interface ApprovalVisit {
  id: string
  /** The language of its pages; English by default. */
  language?: Language
  session: Session | null
  actions: ReadonlyMap<string, Action>
}

const textsOf = (language: Language = offered.defaultLanguage) => messagesOf(language).approval

interface ApprovalPage {
  page: ServerPage
  status: number
}

/** The page of one question, or of its outcome. Without a session it links to the sign-in; for other people it is not found. */
export async function showApproval(app: App, visit: ApprovalVisit): Promise<ApprovalPage> {
  const { actions, language } = visit
  const question = await findQuestion(app, visit)
  if ('page' in question) return question
  const { row, session } = question
  if (row.status !== 'pending') return noteAnswer(app, 200, { ...outcomeOf(app, row, language), language })
  const action = actions.get(row.action)
  return { page: await approvalPage(app, { row, session, action, language }), status: 200 }
}

/** The question with the person's session, or the page that explains why it cannot be answered. */
async function findQuestion(
  app: App,
  { id, session, language }: ApprovalVisit,
): Promise<ApprovalPage | { row: ApprovalRow; session: Session }> {
  if (!session) return signInPage(app, id, language)
  const row = await findApproval(app, id, session.userId)
  if (!row) return nothingPage(app, id, session, language)
  await refuseClosed(app, session, [row.orgId ?? ''])
  const acting = hasEnded(app, row) ? null : await findCalledPerson(app, { userId: row.userId, orgId: row.orgId })
  return acting ? { row, session: acting } : endedPage(app, language)
}

/** The page for a question that already has an answer. */
function answeredPage(app: App, row: ApprovalRow, language?: Language): Promise<ApprovalPage> {
  const { answeredTitle: title, answeredLead: lead, look } = textsOf(language)
  const link = { href: approvalPath(row.id), text: look }
  return noteAnswer(app, 409, { title, lead, code: 'conflict', link, language })
}

function signInPage(app: App, id: string, language?: Language): Promise<ApprovalPage> {
  const { signInTitle: title, signInLead: lead, signIn: text } = textsOf(language)
  return noteAnswer(app, 401, { title, lead, link: { href: signInHref(id), text }, language })
}

function nothingPage(app: App, id: string, { email }: Session, language?: Language): Promise<ApprovalPage> {
  const { nothingTitle: title, nothingLead, otherAccount: text } = textsOf(language)
  const link = { href: signInHref(id, true), text }
  return noteAnswer(app, 404, { title, lead: fill(nothingLead, { email }), link, language })
}

function endedPage(app: App, language?: Language): Promise<ApprovalPage> {
  const { endedTitle: title, endedLead: lead } = textsOf(language)
  return noteAnswer(app, 410, { title, lead, language })
}

const signInHref = (id: string, again = false): string => signInPathFor({ returnPath: approvalPath(id), again })

function outcomeOf(app: App, row: ApprovalRow, language?: Language) {
  const texts = textsOf(language)
  const name = callerName(app, row.caller)
  if (row.status === 'declined') return { title: texts.declinedTitle, lead: fill(texts.declinedLead, { app: name }) }
  if (row.answer === null) {
    const link = { href: approvalPath(row.id), text: texts.lookAgain }
    return { title: texts.runningTitle, lead: texts.runningLead, link }
  }
  const answer = readAnswer(row.answer)
  if (!('error' in answer)) return { title: texts.doneTitle, lead: fill(texts.doneLead, { app: name }) }
  return { title: texts.failedTitle, lead: fill(texts.failedLead, { app: name }), ...failureOf(answer.error) }
}

const failureOf = ({ code, detail }: AppError) => ({
  alert: [errorCatalog[code].title, detail].filter(Boolean).join(' '),
  code,
})

interface DecidingVisit extends ApprovalVisit {
  form: Record<string, string>
  requestId: string
}

/**
 * Carries out a person's decision. An approved action runs once, even with concurrent requests, and its answer is stored. Returns
 * the address of the page with the outcome, or a page that explains why nothing was done.
 */
export async function decideApproval(app: App, visit: DecidingVisit): Promise<ApprovalPage | { location: string }> {
  const { form } = visit
  const question = await findQuestion(app, visit)
  if ('page' in question) return question
  if (form.decision !== 'approve' && form.decision !== 'decline') {
    throw new AppError('invalid-request', { detail: 'The decision is approve or decline.' })
  }
  const row = await takeDecision(app, question.row, form.decision === 'approve' ? 'approved' : 'declined')
  if (!row) return answeredPage(app, question.row, visit.language)
  const { caller, action, userId, orgId } = row
  app.log.info('approval decided', { decision: row.status, caller, action, userId, orgId, requestId: visit.requestId })
  if (row.status === 'approved') await keepAnswer(app, row.id, await run(app, visit, row, question.session))
  return { location: approvalPath(row.id) }
}

// The browser may disconnect: an approved action still runs to completion.
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

interface ApprovalPageState {
  row: ApprovalRow
  /** The session that the action would run with. */
  session: Session
  /** Undefined when the action no longer exists. */
  action: Action | undefined
  language: Language | undefined
}

/** The page for approving or declining an action of another application on the person's behalf; it works without JavaScript. */
async function approvalPage(
  app: App,
  { row, session, action, language = offered.defaultLanguage }: ApprovalPageState,
): Promise<ServerPage> {
  const caller = callerName(app, row.caller)
  const texts = textsOf(language)
  const input = inputOf(row)
  const asked = action && (await questionOf(app, { name: row.action, action, input, session }, language))
  const children = [
    <Facts asked={asked} input={input} session={session} language={language} />,
    <p class="banner">{texts.warning}</p>,
    <form method="post">
      <button name="decision" value="decline" class="quiet">
        {texts.decline}
      </button>
      <button name="decision" value="approve" class="quiet danger">
        {texts.approve}
      </button>
    </form>,
    <RawInput call={row} description={action?.description} language={language} />,
    <p class="foot">{texts.ending}</p>,
  ]
  return cardPage(app, {
    page: 'approval',
    title: asked?.question ?? fill(texts.title, { app: caller }),
    lead: fill(texts.lead, { app: caller, product: app.config.name }),
    mark: <MarkPair app={app} name={caller} />,
    children,
    script: oneClickScript,
    language,
  })
}

interface FactsProps {
  asked: Awaited<ReturnType<typeof questionOf>> | undefined
  input: Record<string, unknown>
  session: Session
  language: Language
}

function Facts({ asked, input, session, language }: FactsProps) {
  const texts = textsOf(language)
  return (
    <dl>
      {asked?.rows.map(row => (
        <>
          <dt>{factsOf(row, language) || texts.affects}</dt>
          <dd>
            <strong dir="auto">{row.title ?? texts.untitled}</strong>
          </dd>
        </>
      ))}
      {asked && asked.more > 0 ? <dd>{fillCount(texts.moreRows, { count: asked.more }, language)}</dd> : null}
      {asked?.saysMore === false ? null : <Values input={input} language={language} />}
      <dt>{texts.account}</dt>
      <dd>
        <strong>{session.email}</strong>
      </dd>
      {session.orgName === null ? null : (
        <>
          <dt>{texts.organization}</dt>
          <dd>
            <strong dir="auto">{session.orgName}</strong>
          </dd>
        </>
      )}
    </dl>
  )
}

interface RawInputProps {
  call: ApprovalRow
  description: string | undefined
  language: Language
}

/** The call as the other application sent it, folded. */
function RawInput({ call, description, language }: RawInputProps) {
  const lines = `${call.action} ${JSON.stringify(inputOf(call), null, 2)}`.split('\n')
  return (
    <details class="more">
      <summary>{textsOf(language).call}</summary>
      <p class="note">{description}</p>
      <pre dir="ltr">{lines.map(visible).join('\n').slice(0, MOST_OF_A_CALL)}</pre>
    </details>
  )
}

const inputOf = ({ input }: ApprovalRow) => z.record(z.string(), z.unknown()).parse(JSON.parse(input))

function Values({ input, language }: { input: Record<string, unknown>; language: Language }) {
  const texts = textsOf(language)
  const { values, left } = shownInput(input)
  return (
    <>
      <dt>{texts.values}</dt>
      {values.length === 0 ? <dd>{texts.noValues}</dd> : null}
      {values.map(({ name, text, left: characters }) => (
        <dd key={name}>
          {name}: <strong>{text}</strong>
          {characters > 0 ? ` ${fillCount(texts.more, { count: characters }, language)}` : null}
        </dd>
      ))}
      {left > 0 ? <dd>{fillCount(texts.moreValues, { count: left }, language)}</dd> : null}
    </>
  )
}

const MOST_CHARACTERS = 300
const MOST_VALUES = 20
const MOST_OF_A_CALL = 4000

/**
 * The values of a stored input for display: one line each, shortened, without invisible characters. Also returns how many values
 * were omitted and how many characters are not shown.
 */
function shownInput(input: Record<string, unknown>) {
  const entries = Object.entries(input)
  const values = entries.slice(0, MOST_VALUES).map(([name, value]) => {
    const text = visible(typeof value === 'string' ? value : JSON.stringify(value))
    return { name: visible(name).slice(0, 100), text: text.slice(0, MOST_CHARACTERS), left: leftOf(text) }
  })
  return { values, left: entries.length - values.length }
}

const leftOf = ({ length }: string): number => Math.max(0, length - MOST_CHARACTERS)

/** The name of the calling application for display: its host, with the name that the operator chose. */
function callerName({ config }: App, caller: string): string {
  if (!URL.canParse(caller)) return caller
  const { host } = new URL(caller)
  const [name] = [...config.identity.peers].find(([, origin]) => origin === caller) ?? []
  return name ? `${name} (${host})` : host
}
