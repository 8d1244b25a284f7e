/** @jsxImportSource vue */
import { Chip, Empty, matches, Time } from './frame'
import type { Denial, RecordedRequest } from './recording'

const toneOf = (status: number | null) =>
  status === null ? 'muted' : status >= 500 ? 'bad' : status >= 400 ? 'warn' : 'good'
const ms = (value: number): string => {
  if (value >= 10_000) return `${(value / 1000).toFixed(1)} s`
  return value < 10 ? `${value.toFixed(1)} ms` : `${Math.round(value)} ms`
}

/** The most recent requests, each with its steps. */
export function requestsView(requests: readonly RecordedRequest[], search: string) {
  const matching = requests.filter(({ id, method, path, status, session }) =>
    matches(search, id, `${method} ${path}`, String(status ?? ''), session?.email),
  )
  if (matching.length === 0)
    return [
      <Empty
        text="No requests yet."
        hint="Open the application in another tab; a change of server code clears this list."
      />,
    ]
  return [
    <div class="list">
      {matching.map(request => (
        <Request request={request} />
      ))}
    </div>,
  ]
}

const Request = ({ request }: { request: RecordedRequest }) => (
  <details id={request.id}>
    <summary>
      <span class="secondary">
        <Time at={request.at} />
      </span>
      <span class="method mono">{request.method}</span>
      <span class="grow mono" title={request.path}>
        {request.path}
      </span>
      <span class="who">{request.session?.email ?? ''}</span>
      <span class={`status ${toneOf(request.status)}`}>{request.status ?? '…'}</span>
      <span class="ms">{request.took === null ? '' : ms(request.took)}</span>
    </summary>
    <div class="inside">
      <dl>
        <dt>Request</dt>
        <dd class="mono">{request.id}</dd>
        <dt>Person</dt>
        <dd>
          {request.session
            ? `${request.session.email}${request.session.orgName ? `, ${request.session.orgRole} in ${request.session.orgName}` : ''}`
            : 'signed out, or not checked'}
        </dd>
      </dl>
      <Trace request={request} />
    </div>
  </details>
)

const WIDTH = 1000

const Trace = ({ request: { steps, took } }: { request: RecordedRequest }) => {
  const end = Math.max(took ?? 0, steps.at(-1)?.at ?? 0, 0.1)
  return (
    <div class="walk">
      {steps.flatMap(({ name, fact, at }, index) => {
        const lasted = (steps[index + 1]?.at ?? end) - at
        return [
          <span class={name === 'refused' ? 'bad' : ''}>
            {name} {fact ? <span class="muted">{fact}</span> : null}
          </span>,
          <svg viewBox={`0 0 ${WIDTH} 8`} preserveAspectRatio="none" aria-hidden="true">
            <rect x={(at / end) * WIDTH} y="0" width={Math.max((lasted / end) * WIDTH, 4)} height="8" rx="2" />
          </svg>,
          <span class="ms">{ms(lasted)}</span>,
        ]
      })}
    </div>
  )
}

/** The reasons for refusals, latest first. */
export function denialsView(denials: readonly Denial[], search: string) {
  const matching = denials.filter(({ name, code, who, rule, fact, wayOut }) =>
    matches(search, name, code, who, rule, fact, wayOut),
  )
  if (matching.length === 0)
    return [
      <Empty
        text="Nothing was refused."
        hint="Each refusal of an action, a collection or an MCP call is explained here."
      />,
    ]
  return [
    <div class="list">
      {matching.map(denial => (
        <Denied denial={denial} />
      ))}
    </div>,
  ]
}

const Denied = ({ denial }: { denial: Denial }) => (
  <article class="card" id={`denial-${denial.requestId}-${denial.code}`}>
    <p class="title">
      <span class="warn">{denial.status}</span>
      <span class="mono">{denial.name}</span>
      <Chip text={denial.code} tone="warn" />
      <Chip text={denial.kind} />
      <span class="muted">{denial.who}</span>
      <Time at={denial.at} />
    </p>
    <dl>
      <dt>Rule</dt>
      <dd>
        <Sentence text={denial.rule ?? 'Being looked up…'} />
      </dd>
      <dt>What decided</dt>
      <dd>
        <Sentence text={denial.fact ?? ''} />
      </dd>
      <dt>How to fix it</dt>
      <dd class="out">
        <Sentence text={denial.wayOut ?? ''} />
      </dd>
      <dt>Request</dt>
      <dd class="mono muted">{denial.requestId}</dd>
    </dl>
  </article>
)

/** A sentence that shows the text between backticks as code. */
const Sentence = ({ text }: { text: string }) => (
  <span>{text.split(/`([^`]+)`/).map((part, index) => (index % 2 === 1 ? <code>{part}</code> : part))}</span>
)
