/** @jsxImportSource vue */
import { connectDirectory } from '#fairway/server/domains/directory'
import { messagesOf } from '#fairway/server/kernel/messages'
import { formatTime } from '#fairway/shared/languages'
import { Copied, Refusal, WaitingNote } from '../parts'
import { openConfirmed, propose } from '../proposals'
import { type DecidingStep, type StepProps, waitingState } from '../step'
import { noteChange, type Setup } from '../visit'

const isConfirmed = ({ proposals: { directory } }: Setup): boolean =>
  directory !== undefined && directory.confirmedBy !== null && directory.openedAt === null

/** The contact asks for the directory; once an owner has confirmed it, they open its address and token, which are shown once. */
export const directoryStep: DecidingStep = {
  name: 'directory',
  state(setup) {
    const waiting = waitingState(setup, 'directory')
    if (waiting) return waiting
    if (isConfirmed(setup)) return 'confirmed'
    return setup.directory ? 'active' : 'none'
  },
  body: props => <Body {...props} />,
  intents: {
    async 'propose-directory'(app, visit) {
      await propose(app, visit.link.id, 'directory')
      const facts = { step: 'directory' }
      await noteChange(app, visit, { action: 'propose-setup-step', facts, told: 'propose-directory' })
      return undefined
    },
    async 'open-directory'(app, visit) {
      const userId = await openConfirmed(app, visit.link.id, 'directory')
      const directory = await connectDirectory(app, { orgId: visit.link.orgId, userId })
      await noteChange(app, visit, { action: 'connect-directory', told: 'open-directory' })
      return { directory }
    },
  },
  plan: async (_app, _actor, { setup }) => ({ directory: setup.directory }),
  // The token is made when the contact opens it, so that nobody else sees it.
  confirm: async () => undefined,
}

function Body(props: StepProps) {
  const { setup, shown, language } = props
  const { setup: texts, sso } = messagesOf(language)
  const { directory } = shown
  const lastUsedAt = setup.directory?.lastUsedAt
  return (
    <>
      <p>{texts.directory.text}</p>
      <WaitingNote {...props} step="directory" />
      <Refusal {...props} intent="open-directory" />
      {setup.directory && !directory ? (
        <p role="status">
          {lastUsedAt
            ? `${sso.directory.used} ${formatTime(new Date(lastUsedAt), language, 'long', 'UTC')} UTC`
            : texts.directory.unused}
        </p>
      ) : null}
      {directory ? (
        <>
          <p class="banner" role="status">
            {sso.directory.shownText}
          </p>
          <Copied {...{ id: 'scim-endpoint', label: sso.directory.endpoint, value: directory.endpoint, language }} />
          <Copied {...{ id: 'scim-token', label: sso.directory.secret, value: directory.token, language }} />
          <dl>
            <dt>{sso.vendors.okta.name}</dt>
            <dd>{texts.directory.okta}</dd>
            <dt>{sso.vendors.entra.name}</dt>
            <dd>{texts.directory.entra}</dd>
          </dl>
        </>
      ) : null}
      {waitingState(setup, 'directory') ? null : <Ask {...props} />}
    </>
  )
}

/** The button that asks an owner, or opens what they have confirmed. */
function Ask(props: StepProps) {
  const texts = messagesOf(props.language).setup.directory
  const { directory } = props.setup
  return (
    <form method="post" action="#directory">
      <Refusal {...props} intent="propose-directory" />
      {isConfirmed(props.setup) ? (
        <button name="intent" value="open-directory">
          {texts.open}
        </button>
      ) : (
        <button name="intent" value="propose-directory" class={directory ? 'quiet' : undefined}>
          {directory ? texts.again : texts.propose}
        </button>
      )}
    </form>
  )
}
