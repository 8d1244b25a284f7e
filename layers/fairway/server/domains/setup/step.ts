import type { VNode } from 'vue'
import type { Actor } from '#fairway/server/domains/organizations'
import type { App } from '#fairway/server/kernel/app-context'
import type { Messages } from '#fairway/server/kernel/messages'
import type { Language } from '#fairway/shared/languages'
import type { DecidedStep, SetupPlan } from '#fairway/shared/schemas/setup-link'
import type { Proposal } from './proposals'
import type { Setup, SetupForm, SetupVisit, Shown } from './visit'

/** Where the browser goes after a form, or what its answer shows. */
export type Handled = Shown | { location: string; setCookies: string[] } | undefined

export interface StepProps {
  setup: Setup
  shown: Shown
  language: Language
}

interface Step {
  state(setup: Setup): keyof Messages['setup']['states']
  body(props: StepProps): VNode
  /** What the buttons of its forms do, by their values. */
  intents: Readonly<Record<string, (app: App, visit: SetupVisit, form: SetupForm) => Promise<Handled>>>
}

/** A step that takes effect at once. */
export interface PlainStep extends Step {
  name: 'domain'
}

/** A step that waits for an owner: what its confirmation would do, and the confirmation. */
export interface DecidingStep extends Step {
  name: DecidedStep
  plan(app: App, actor: Actor, waiting: Waiting): Promise<Partial<SetupPlan>>
  confirm(app: App, actor: Actor, waiting: Waiting): Promise<void>
}

export interface Waiting {
  setup: Setup
  proposal: Proposal
}

/** The state of a step that waits for an owner; undefined when nothing waits. */
export const waitingState = ({ proposals }: Setup, step: DecidedStep): 'waiting' | undefined =>
  proposals[step]?.confirmedBy === null ? 'waiting' : undefined
