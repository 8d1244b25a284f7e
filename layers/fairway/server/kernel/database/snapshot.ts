import type { ReadRows } from './row-statement'

/** One state of a database file, while it is read. */
export interface Snapshot {
  rows: ReadRows
  /** What `make` gives, kept until anybody writes to the database; the key must say everything that it depends on. */
  remember<T>(key: string, make: () => T): T
}

const MOST_REMEMBERED = 500

/** What was found out about one state of the database. */
export function createMemory(): (rows: ReadRows) => Snapshot['remember'] {
  const known = new Map<string, unknown>()
  let version: unknown
  return rows => {
    let isCurrent = false
    return <T>(key: string, make: () => T) => {
      if (!isCurrent) {
        // It moves whenever another connection has committed, and this one never writes.
        const [[now] = []] = rows('pragma data_version', [])
        if (now !== version || known.size >= MOST_REMEMBERED) known.clear()
        version = now
        isCurrent = true
      }
      if (!known.has(key)) known.set(key, make())
      return known.get(key) as T
    }
  }
}
