/** A change that a page receives. */
export interface Change {
  action: string
  /** The collections whose rows may have changed. */
  collections: string[]
  /** The row that was written, where the action names one. */
  id: string | null
  /** How long ago it was written, at least, in milliseconds. */
  ageInMs: number
}
