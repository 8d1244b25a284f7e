import type { JoinedOrganization } from '#fairway/shared/schemas/organization'
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

/** Whether to switch as well, asked of whoever joins one more organization. */
export interface JoinQuestion {
  /** The organization to join. */
  name: string
  /** Joins it, and switches to it when confirmed. */
  join: (confirm: boolean) => Promise<JoinedOrganization>
  /** Tells what has become of it; a toast does without. */
  joined?: (answer: JoinedOrganization) => void
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
