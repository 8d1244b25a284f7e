import type { ActionFailure } from '../request/action-failure'

interface Place {
  id: string
  name: string
}

export interface SwitchQuestion {
  from?: Place | null
  to?: Place | null
  orphanedCredentials: { key: string }[]
}

export interface AdditionalQuestion {
  organization: Place
  orphanedCredentials: { key: string }[]
}

/** What the server asks before it changes the active organization, or undefined when it asks nothing. */
export const toSwitchQuestion = (failure: ActionFailure): SwitchQuestion | undefined =>
  toQuestion<SwitchQuestion>(failure, 'confirm-organization-switch')

/** What the server asks before somebody gets one more organization, or undefined when it asks nothing. */
export const toAdditionalQuestion = (failure: ActionFailure | undefined): AdditionalQuestion | undefined =>
  toQuestion<AdditionalQuestion>(failure, 'confirm-additional-organization')

const toQuestion = <Question>(failure: ActionFailure | undefined, code: string): Question | undefined =>
  failure?.code === code ? (failure.extra as Question) : undefined
