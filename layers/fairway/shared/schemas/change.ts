/** A change that a page receives. */
export interface Change {
  action: string
  /** The collections whose rows may have changed. */
  collections: string[]
  /** The written row, where the action names one. */
  id: string | null
  /** Its minimum age, in milliseconds. */
  ageInMs: number
}

/** The `action` of a change that tells only that the reader's inbox is another one. */
export const INBOX_CHANGED = 'fw-inbox'

/** The audited steps that change which calls wait for a person. */
export const APPROVAL_STEPS = ['request-approval', 'request-admin-approval', 'approve-call', 'deny-call']

/** The actions after which an inbox is another one. */
export const CHANGES_INBOX = [
  INBOX_CHANGED,
  ...APPROVAL_STEPS,
  'accept-invitation',
  'decline-invitation',
  'end-connection',
]
