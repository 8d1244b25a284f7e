/** @jsxImportSource vue */
import { z } from 'zod'
import { type Action, factsOf, questionOf, visible } from '#fairway/server/domains/actions'
import type { App } from '#fairway/server/kernel/app-context'
import type { AppError } from '#fairway/server/kernel/http/app-error'
import { cardPage, MarkPair, noteAnswer, oneClickScript } from '#fairway/server/kernel/server-page/note-page'
import { fill, fillCount, messagesOf, offered } from '#fairway/server/kernel/messages'
import type { ServerPage } from '#fairway/server/kernel/server-page/render-page'
import { errorCatalog } from '#fairway/shared/errors'
import { formatTime, type Language } from '#fairway/shared/languages'
import type { Session } from '#fairway/shared/schemas/session'
import { signInPathFor } from '#fairway/shared/sign-in-path'
import { type Foreseen, ForeseenFacts } from './approval-rehearsal'
import { type ApprovalRow, approvalPath, readAnswer } from './approvals'

const textsOf = (language: Language = offered.defaultLanguage) => messagesOf(language).approval

export interface ApprovalPage {
  page: ServerPage
  status: number
}

/** The page for a question that already has an answer. */
export function answeredPage(app: App, row: ApprovalRow, language?: Language): Promise<ApprovalPage> {
  const { answeredTitle: title, answeredLead: lead, look } = textsOf(language)
  const link = { href: approvalPath(row.id), text: look }
  return noteAnswer(app, 409, { title, lead, code: 'conflict', link, language })
}

/** The page for a visitor without a session. */
export function signInPage(app: App, id: string, language?: Language): Promise<ApprovalPage> {
  const { signInTitle: title, signInLead: lead, signIn: text } = textsOf(language)
  return noteAnswer(app, 401, { title, lead, link: { href: signInHref(id), text }, language })
}

/** The page for a person who has no question here. */
export function nothingPage(app: App, id: string, { email }: Session, language?: Language): Promise<ApprovalPage> {
  const { nothingTitle: title, nothingLead, otherAccount: text } = textsOf(language)
  const link = { href: signInHref(id, true), text }
  return noteAnswer(app, 404, { title, lead: fill(nothingLead, { email }), link, language })
}

/** The page for a question that can have no outcome any more. */
export function endedPage(app: App, language?: Language): Promise<ApprovalPage> {
  const { endedTitle: title, endedLead: lead } = textsOf(language)
  return noteAnswer(app, 410, { title, lead, language })
}

const signInHref = (id: string, again = false): string => signInPathFor({ returnPath: approvalPath(id), again })

/** The page of a question that has an answer. */
export const outcomePage = (app: App, { row, name }: Asked, language?: Language): Promise<ApprovalPage> =>
  noteAnswer(app, 200, { ...outcomeOf(row, name, language), language })

function outcomeOf(row: ApprovalRow, name: string, language?: Language) {
  const texts = textsOf(language)
  const said = (title: string, lead: string) => ({ title, lead: fill(lead, { app: name }) })
  if (row.status === 'declined') return said(texts.declinedTitle, texts.declinedLead)
  if (row.answer === null) {
    const link = { href: approvalPath(row.id), text: texts.lookAgain }
    if (row.grantId !== null && row.ranAt === null) {
      const lead = fill(texts.approvedLead, { app: name, time: timeOf(row.expiresAt, language) })
      return { title: texts.runningTitle, lead, link }
    }
    return { title: texts.runningTitle, lead: texts.runningLead, link }
  }
  const answer = readAnswer(row.answer)
  if ('error' in answer) return { ...said(texts.failedTitle, texts.failedLead), ...failureOf(answer.error) }
  // The host collects the result with its next identical call.
  return row.callHash === null
    ? said(texts.doneTitle, texts.doneLead)
    : { ...said(texts.ranTitle, texts.ranLead), besides: <Folded summary={texts.result} text={resultText(answer)} /> }
}

const resultText = ({ result }: { result: unknown }): string => JSON.stringify(result, null, 2)

const timeOf = (time: Date, language: Language = offered.defaultLanguage): string =>
  `${formatTime(time, language, 'short', 'UTC')} UTC`

const failureOf = ({ code, detail }: AppError) => ({
  alert: [errorCatalog[code].title, detail].filter(Boolean).join(' '),
  code,
})

/** A question and who asks it. */
interface Asked {
  row: ApprovalRow
  /** The name of the host or application. */
  name: string
}

interface ApprovalPageState extends Asked {
  /** The person for whom the action would run. */
  acting: Session
  /** The person who looks; they see the titles that they may read. */
  reader: Session
  mayApprove: boolean
  /** Undefined when the action no longer exists. */
  action: Action | undefined
  foreseen: Foreseen
  language: Language | undefined
}

/** The page for denying or approving a call on a person's behalf; it works without JavaScript. */
export async function approvalPage(app: App, state: ApprovalPageState): Promise<ServerPage> {
  const { row, name, acting, reader, action, language = offered.defaultLanguage } = state
  const texts = textsOf(language)
  const input = inputOf(row)
  const question = action && (await questionOf(app, { name: row.action, action, input, session: reader }, language))
  const isForOther = reader.userId !== acting.userId
  const lead = isForOther
    ? fill(texts.leadForOther, { app: name, product: app.config.name, person: acting.email })
    : fill(texts.lead, { app: name, product: app.config.name })
  const children = [
    <Facts question={question} input={input} state={state} language={language} />,
    <p class="note">{texts.information}</p>,
    <p class="banner">{action?.undo ? texts.warningUndo : texts.warning}</p>,
    <Decision state={state} language={language} />,
    <RawInput call={row} description={action?.description} language={language} />,
    <p class="foot">{row.grantId === null ? texts.ending : fill(texts.endingHost, { app: name })}</p>,
  ]
  return cardPage(app, {
    page: 'approval',
    title: question?.question ?? fill(texts.title, { app: name }),
    lead,
    mark: <MarkPair app={app} name={name} />,
    children,
    script: oneClickScript,
    language,
  })
}

/** The two answers, the safe one first. The person for whom the app asks can only deny what an admin must approve. */
function Decision({ state: { row, mayApprove, name }, language }: { state: ApprovalPageState; language: Language }) {
  const texts = textsOf(language)
  return (
    <form method="post">
      {mayApprove ? null : <p>{texts.byAdmin}</p>}
      {mayApprove && row.grantId !== null ? (
        <label class="check">
          <input type="checkbox" name="now" value="on" />
          <span>
            {texts.runNow}
            <small>{fill(texts.runNowHint, { app: name })}</small>
          </span>
        </label>
      ) : null}
      <button name="decision" value="decline" class="quiet">
        {texts.decline}
      </button>
      {mayApprove ? (
        <button name="decision" value="approve" class="quiet danger">
          {texts.approve}
        </button>
      ) : null}
    </form>
  )
}

interface FactsProps {
  question: Awaited<ReturnType<typeof questionOf>> | undefined
  input: Record<string, unknown>
  state: ApprovalPageState
  language: Language
}

function Facts({ question, input, state: { row, name, acting, foreseen }, language }: FactsProps) {
  const texts = textsOf(language)
  return (
    <dl>
      {question?.rows.map(thing => (
        <>
          <dt>{factsOf(thing, language) || texts.affects}</dt>
          <dd>
            <strong dir="auto">{thing.title ?? texts.untitled}</strong>
          </dd>
        </>
      ))}
      {question && question.more > 0 ? <dd>{fillCount(texts.moreRows, { count: question.more }, language)}</dd> : null}
      {question?.saysMore === false ? null : <Values input={input} language={language} />}
      <ForeseenFacts foreseen={foreseen} language={language} />
      {row.grantId === null ? null : <Fact name={texts.askedBy} text={name} />}
      <Fact name={texts.account} text={acting.email} />
      {acting.orgName === null ? null : <Fact name={texts.organization} text={acting.orgName} />}
      <Fact name={texts.deadline} text={timeOf(row.expiresAt, language)} />
    </dl>
  )
}

const Fact = ({ name, text }: { name: string; text: string }) => (
  <>
    <dt>{name}</dt>
    <dd>
      <strong dir="auto">{text}</strong>
    </dd>
  </>
)

interface RawInputProps {
  call: ApprovalRow
  description: string | undefined
  language: Language
}

/** The call as it was sent, folded. */
const RawInput = ({ call, description, language }: RawInputProps) => (
  <Folded
    summary={textsOf(language).call}
    note={description}
    text={`${call.action} ${JSON.stringify(inputOf(call), null, 2)}`}
  />
)

/** A text that the person opens, in the form of code. */
const Folded = ({ summary, note, text }: { summary: string; note?: string; text: string }) => (
  <details class="more">
    <summary>{summary}</summary>
    {note === undefined ? null : <p class="note">{note}</p>}
    <pre dir="ltr">{text.split('\n').map(visible).join('\n').slice(0, MOST_OF_A_CALL)}</pre>
  </details>
)

export const inputOf = ({ input }: ApprovalRow) => z.record(z.string(), z.unknown()).parse(JSON.parse(input))

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
export function callerName({ config }: App, caller: string): string {
  if (!URL.canParse(caller)) return caller
  const { host } = new URL(caller)
  const [name] = [...config.identity.peers].find(([, origin]) => origin === caller) ?? []
  return name ? `${name} (${host})` : host
}
