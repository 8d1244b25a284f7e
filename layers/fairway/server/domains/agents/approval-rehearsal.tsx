/** @jsxImportSource vue */
// What an approval page says that the call would change.
import { type Action, rehearseAction, visible } from '#fairway/server/domains/actions'
import type { App } from '#fairway/server/kernel/app-context'
import { toAppError } from '#fairway/server/kernel/http/app-error'
import { fill, fillCount, messagesOf } from '#fairway/server/kernel/messages'
import { errorCatalog } from '#fairway/shared/errors'
import type { Language } from '#fairway/shared/languages'
import type { Rehearsal, RehearsedChange } from '#fairway/shared/schemas/rehearsal'
import type { Session } from '#fairway/shared/schemas/session'
import type { ApprovalRow } from './approvals'

/** What a waiting call would do, or why it would fail; undefined where that is unknown. */
export type Foreseen = { rehearsal: Rehearsal } | { failure: string } | undefined

/** The codes that say nothing about the call itself. */
const UNKNOWN = new Set(['cannot-rehearse', 'timed-out', 'rate-limited', 'internal', 'unavailable'])

interface WaitingCall {
  row: ApprovalRow
  action: Action
  input: unknown
  /** The person for whom it would run, and the one who looks: they see only what they may read. */
  acting: Session
  reader: Session
  requestId: string
}

/** Rehearses a waiting call for the page that asks about it. Never throws. */
export async function foresee(
  app: App,
  { row, action, input, acting, reader, requestId }: WaitingCall,
): Promise<Foreseen> {
  const caller = row.grantId === null ? ('a2a' as const) : ('mcp' as const)
  const call = { name: row.action, action, input, session: acting, caller, via: row.caller, requestId }
  try {
    const { rehearsal } = await rehearseAction(app, call, reader)
    return { rehearsal }
  } catch (thrown) {
    const { code, detail } = toAppError(thrown)
    if (UNKNOWN.has(code)) return undefined
    return { failure: [errorCatalog[code].title, detail].filter(Boolean).join(' ') }
  }
}

const MOST_CHANGES = 20
const MOST_FIELDS = 8
const MOST_CHARACTERS = 200

/** The changes as terms and descriptions of a list. */
export function ForeseenFacts({ foreseen, language }: { foreseen: Foreseen; language: Language }) {
  const texts = messagesOf(language).approval
  if (!foreseen) return null
  if ('failure' in foreseen)
    return (
      <>
        <dt>{texts.foreseen}</dt>
        <dd>{fill(texts.wouldFail, { reason: foreseen.failure })}</dd>
      </>
    )
  const { changes, mails, jobs } = foreseen.rehearsal
  const left = changes.length - MOST_CHANGES
  return (
    <>
      <dt>{texts.foreseen}</dt>
      {changes.length + mails + jobs.length === 0 ? <dd>{texts.noChanges}</dd> : null}
      {changes.slice(0, MOST_CHANGES).map(change => (
        <Change change={change} language={language} />
      ))}
      {left > 0 ? <dd>{fillCount(texts.moreRows, { count: left }, language)}</dd> : null}
      {mails > 0 ? <dd>{fillCount(texts.mails, { count: mails }, language)}</dd> : null}
      {jobs.length > 0 ? <dd>{fill(texts.jobs, { names: jobs.join(', ') })}</dd> : null}
    </>
  )
}

function Change({ change, language }: { change: RehearsedChange; language: Language }) {
  const { table, kind, title, before, after } = change
  const texts = messagesOf(language).approval
  const names = Object.keys(after ?? before ?? {}).slice(0, MOST_FIELDS)
  const what = title === null ? table.replaceAll(/[_-]/g, ' ') : title
  return (
    <dd>
      {texts.kinds[kind]}: <strong dir="auto">{shown(what)}</strong>
      {kind === 'updated'
        ? names.map(name => (
            <>
              <br />
              {`${name}: `}
              <bdi>{shown(before?.[name])}</bdi>
              {' → '}
              <bdi>{shown(after?.[name])}</bdi>
            </>
          ))
        : null}
    </dd>
  )
}

function shown(value: unknown): string {
  if (value === null || value === undefined || value === '') return '—'
  const text = visible(typeof value === 'string' ? value : JSON.stringify(value))
  return text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text
}
