/** @jsxImportSource vue */
import { z } from 'zod'
import { requireConnection, setManagedAgents, toConnection } from '#fairway/server/domains/organizations'
import { assertionIssuersSchema, checkedIssuers } from '#fairway/server/domains/sign-in'
import type { App } from '#fairway/server/kernel/app-context'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { parseInput } from '#fairway/server/kernel/http/read-input'
import { messagesOf } from '#fairway/server/kernel/messages'
import { Copied, Input, Refusal, WaitingNote } from '../parts'
import { propose } from '../proposals'
import { type DecidingStep, type StepProps, type Waiting, waitingState } from '../step'
import { noteChange, type Setup, type SetupVisit } from '../visit'

const schema = z.object({ assertionIssuers: assertionIssuersSchema })

const rowOf = (app: App, { link }: Pick<Setup, 'link'> | SetupVisit) =>
  requireConnection(app, link.orgId, link.connectionId ?? '')

const valueOf = ({ proposal }: Waiting) => parseInput(schema, JSON.parse(proposal.value))

/** The agents that the customer's provider lets in (ID-JAG). An owner confirms their issuers, then adds a client for each. */
export const agentsStep: DecidingStep = {
  name: 'agents',
  state: setup => waitingState(setup, 'agents') ?? (setup.connection?.managedAgents ? 'active' : 'none'),
  body: props => <Body {...props} />,
  intents: {
    async 'propose-agents'(app, visit, { assertionIssuers = '' }) {
      const row = await rowOf(app, visit)
      if (!row.issuer) throw new AppError('connection-not-tested')
      const typed = parseInput(schema, { assertionIssuers: assertionIssuers.split(/\s+/).filter(Boolean) })
      const issuers = await checkedIssuers(app, row, typed.assertionIssuers)
      await propose(app, visit.link.id, 'agents', { assertionIssuers: issuers })
      const facts = { step: 'agents', name: row.name }
      await noteChange(app, visit, { action: 'propose-setup-step', facts, told: 'propose-agents' })
      return undefined
    },
  },
  async plan(app, _actor, waiting) {
    const row = await rowOf(app, waiting.setup)
    const { assertionIssuers } = valueOf(waiting)
    const issuers = assertionIssuers.length > 0 ? assertionIssuers : [row.issuer ?? '']
    return { agents: { connection: toConnection(app, row).name, issuers } }
  },
  async confirm(app, _actor, waiting) {
    await setManagedAgents(app, await rowOf(app, waiting.setup), { managedAgents: true, ...valueOf(waiting) })
  },
}

function Body(props: StepProps) {
  const { setup, language } = props
  const { setup: texts, sso } = messagesOf(language)
  const { connection } = setup
  if (!connection?.issuer) return <p>{texts.agents.first}</p>
  const audience = new URL(connection.redirectUri).origin
  return (
    <>
      <p>{sso.agents.text}</p>
      <Copied {...{ id: 'agents-audience', label: sso.agents.audience, value: audience, language }} />
      <WaitingNote {...props} step="agents" />
      <form method="post" action="#agents">
        <Refusal {...props} intent="propose-agents" fields={['assertionIssuers']} />
        <Input
          {...{ ...props, intent: 'propose-agents', name: 'assertionIssuers', isLong: true }}
          label={sso.agents.issuers}
          hint={sso.agents.issuersHelp}
          value={connection.assertionIssuers.join('\n')}
          placeholder={connection.issuer}
        />
        <button
          name="intent"
          value="propose-agents"
          class={connection.managedAgents || waitingState(setup, 'agents') ? 'quiet' : undefined}
        >
          {texts.agents.propose}
        </button>
      </form>
    </>
  )
}
