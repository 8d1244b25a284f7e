/** @jsxImportSource vue */
import { planSessionPolicy, policySchema, setSessionPolicy } from '#fairway/server/domains/organizations'
import { parseInput } from '#fairway/server/kernel/http/read-input'
import { messagesOf } from '#fairway/server/kernel/messages'
import type { SessionPolicy } from '#fairway/shared/schemas/session-policy'
import { Input, Refusal, WaitingNote } from '../parts'
import { type Proposal, propose } from '../proposals'
import { type DecidingStep, type StepProps, waitingState } from '../step'
import { noteChange, type SetupForm } from '../visit'

const valueOf = ({ value }: Proposal): SessionPolicy => parseInput(policySchema, JSON.parse(value))

const numberIn = (typed = ''): number | null => (typed.trim() === '' ? null : Number(typed))

function readPolicy(form: SetupForm): SessionPolicy {
  const networks = (form.networks ?? '').split(/[\s,]+/).filter(Boolean)
  return parseInput(policySchema, {
    idleMinutes: numberIn(form.idleMinutes),
    maxHours: numberIn(form.maxHours),
    networks: networks.length > 0 ? networks : null,
    apps: form.apps === 'on',
  })
}

/** How long sessions open the organization, and from where. An owner confirms it from a network that it allows. */
export const policyStep: DecidingStep = {
  name: 'policy',
  state(setup) {
    const { idleMinutes, maxHours, networks } = setup.policy
    const isSet = idleMinutes !== null || maxHours !== null || networks !== null
    return waitingState(setup, 'policy') ?? (isSet ? 'active' : 'none')
  },
  body: props => <Body {...props} />,
  intents: {
    async 'propose-policy'(app, visit, form) {
      await propose(app, visit.link.id, 'policy', readPolicy(form))
      const facts = { step: 'policy' }
      await noteChange(app, visit, { action: 'propose-setup-step', facts, told: 'propose-policy' })
      return undefined
    },
  },
  plan: async (app, actor, { proposal }) => ({ policy: await planSessionPolicy(app, actor, valueOf(proposal)) }),
  async confirm(app, actor, { proposal }) {
    await setSessionPolicy(app, actor, valueOf(proposal))
  },
}

function Body(props: StepProps) {
  const { setup, shown, language } = props
  const { setup: texts, sso } = messagesOf(language)
  const { proposals, policy: current } = setup
  const stored = proposals.policy?.confirmedBy === null ? valueOf(proposals.policy) : current
  const typed = shown.refused?.intent === 'propose-policy' ? shown.refused.form : undefined
  const field = { ...props, intent: 'propose-policy' }
  return (
    <>
      <p>{texts.policy.text}</p>
      <WaitingNote {...props} step="policy" />
      <form method="post" action="#policy">
        <Refusal {...field} fields={['idleMinutes', 'maxHours', 'networks']} />
        <Input
          {...{ ...field, name: 'idleMinutes', type: 'number', label: sso.policy.idle, hint: sso.policy.idleHelp }}
          value={stored.idleMinutes ?? undefined}
          placeholder={sso.policy.none}
        />
        <Input
          {...{ ...field, name: 'maxHours', type: 'number', label: sso.policy.age, hint: sso.policy.ageHelp }}
          value={stored.maxHours ?? undefined}
          placeholder={sso.policy.none}
        />
        <Input
          {...{ ...field, name: 'networks', isLong: true, label: sso.policy.networks, hint: texts.policy.networksHelp }}
          value={stored.networks?.join('\n')}
          placeholder="192.0.2.0/24"
        />
        <label class="check">
          <input type="checkbox" name="apps" value="on" checked={typed ? typed.apps === 'on' : stored.apps} />
          <span>
            {sso.policy.apps}
            <small>{sso.policy.appsHelp}</small>
          </span>
        </label>
        <button name="intent" value="propose-policy" class={waitingState(setup, 'policy') ? 'quiet' : undefined}>
          {texts.policy.propose}
        </button>
      </form>
    </>
  )
}
