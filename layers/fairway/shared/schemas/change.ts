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
