/** @jsxImportSource vue */
import type { App } from '#fairway/server/kernel/app-context'
import { fill, messagesOf } from '#fairway/server/kernel/messages'
import { cardPage } from '#fairway/server/kernel/server-page/card-page'
import { oneClickScript } from '#fairway/server/kernel/server-page/one-click-script'
import type { ServerPage } from '#fairway/server/kernel/server-page/render-page'
import type { Session } from '#fairway/shared/schemas/session'
import type { ApprovalRow } from './approvals'
import { callerName } from './caller-name'
import { shownInput } from './shown-input'

const texts = messagesOf('en').approval

interface ApprovalPageState {
  row: ApprovalRow
  /** The person as they would act. */
  session: Session
  /** What the action says of itself; undefined when it is gone. */
  description: string | undefined
}

/** The page on which a person decides whether another application may do one thing in their name; it works without JavaScript. */
export function approvalPage(app: App, state: ApprovalPageState): Promise<ServerPage> {
  const caller = callerName(app, state.row.caller)
  const children = [
    <Facts state={state} caller={caller} />,
    <p class="banner">{texts.warning}</p>,
    <form method="post">
      <button name="decision" value="approve">
        {texts.approve}
      </button>
      <button name="decision" value="decline" class="quiet">
        {texts.decline}
      </button>
    </form>,
    <p class="foot">{texts.ending}</p>,
  ]
  const lead = fill(texts.lead, { app: caller, product: app.config.name })
  return cardPage(app, {
    page: 'approval',
    title: fill(texts.title, { app: caller }),
    lead,
    children,
    script: oneClickScript,
  })
}

function Facts({ state, caller }: { state: ApprovalPageState; caller: string }) {
  const { row, session, description } = state
  return (
    <dl>
      <dt>{texts.app}</dt>
      <dd>
        <strong>{caller}</strong>
      </dd>
      <dt>{texts.wants}</dt>
      <dd>
        <strong>{description ?? row.action}</strong>
        <br />
        {row.action}
      </dd>
      <Values input={row.input} />
      <dt>{texts.account}</dt>
      <dd>
        <strong>{session.email}</strong>
      </dd>
      {session.orgName === null ? null : (
        <>
          <dt>{texts.organization}</dt>
          <dd>
            <strong>{session.orgName}</strong>
          </dd>
        </>
      )}
    </dl>
  )
}

function Values({ input }: { input: string }) {
  const { values, left } = shownInput(input)
  return (
    <>
      <dt>{texts.values}</dt>
      {values.length === 0 ? <dd>{texts.noValues}</dd> : null}
      {values.map(({ name, text, left: characters }) => (
        <dd key={name}>
          {name}: <strong>{text}</strong>
          {characters > 0 ? ` ${fill(texts.more, { count: characters })}` : null}
        </dd>
      ))}
      {left > 0 ? <dd>{fill(texts.moreValues, { count: left })}</dd> : null}
    </>
  )
}
