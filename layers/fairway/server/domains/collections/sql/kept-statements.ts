import type { Fragment } from './fragment'

const MOST_KEPT = 300

/** The texts that were made for earlier requests of the same shape; the last used ones. */
export interface KeptStatements {
  get(key: string, make: () => Fragment): Fragment
}

export function createKeptStatements(): KeptStatements {
  const kept = new Map<string, Fragment>()
  return {
    get(key, make) {
      const known = kept.get(key)
      if (known) {
        kept.delete(key)
        kept.set(key, known)
        return known
      }
      const made = make()
      kept.set(key, made)
      if (kept.size > MOST_KEPT) kept.delete(kept.keys().next().value ?? key)
      return made
    },
  }
}
