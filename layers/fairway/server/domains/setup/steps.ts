import { AppError } from '#fairway/server/kernel/http/app-error'
import type { DecidedStep } from '#fairway/shared/schemas/setup-link'
import { agentsStep } from './steps/agents-step'
import { connectionStep } from './steps/connection-step'
import { directoryStep } from './steps/directory-step'
import { domainStep } from './steps/domain-step'
import { policyStep } from './steps/policy-step'

/** The steps of the setup page, in their order. */
export const STEPS = [domainStep, connectionStep, directoryStep, policyStep, agentsStep] as const

/** What a button of the page does; undefined for an unknown one. */
export const findIntent = (intent: string) =>
  STEPS.flatMap(({ intents }) => Object.entries(intents)).find(([name]) => name === intent)?.[1]

/** A step that waits for an owner. */
export function decidingStep(name: DecidedStep) {
  const step = STEPS.find(each => each.name === name)
  if (!step || step.name === 'domain') throw new AppError('not-found')
  return step
}
