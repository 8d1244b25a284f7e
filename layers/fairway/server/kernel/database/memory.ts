import { createCache, type CacheName } from '../cache'
import { followedReads } from './followed-reads'

/**
 * Returns the number of a state of the database, which changes with every write of any process. Undefined where it is unknown.
 */
export type WriteClock = () => number | undefined

/** Caches values that were read from the database, until the next write. */
export interface Memory<Value> {
  /** Returns the value under this key while it is valid, for paths where even a promise costs too much. */
  peek(key: string): Value | undefined
  /**
   * Returns the value under this key, or loads it with `load`. Failures and values that `mayKeep` refuses are not cached. The key
   * must contain everything that the value depends on.
   */
  get(key: string, load: () => Promise<Value>, mayKeep?: (value: Value) => boolean): Promise<Value>
}

export interface MemoryOptions {
  clock: WriteClock
  /** The maximum age of a value, where other processes write without notice. */
  lifeInMs?: number
}

/** Creates memories that keep a value on its first or second request; one write clears all of them. */
export type MakeMemory = <Value extends object>(name: CacheName, from?: 'first' | 'second') => Memory<Value>

/** The memories of one database. */
export function createMemories({ clock, lifeInMs = Number.POSITIVE_INFINITY }: MemoryOptions): MakeMemory {
  return <Value extends object>(name: CacheName, from: 'first' | 'second' = 'first'): Memory<Value> => {
    const kept = createCache<{ value: Value; at: number; until: number }>(name)
    const asked = from === 'second' ? createCache<true>(name) : undefined

    function peekAt(key: string, now: number | undefined): Value | undefined {
      const found = kept.get(key)
      if (!found || found.at !== now || (found.until !== Number.POSITIVE_INFINITY && found.until < performance.now()))
        return undefined
      return found.value
    }

    return {
      peek: key => (followedReads() ? undefined : peekAt(key, clock())),
      async get(key, load, mayKeep = () => true) {
        // Each read of a followed page must happen, so that it is recorded.
        if (followedReads()) return load()
        if (asked && !asked.get(key)) {
          asked.set(key, true)
          return load()
        }
        // Both are read before the database: a write in the meantime makes the value stale.
        const at = clock()
        const known = peekAt(key, at)
        if (known !== undefined) return known
        const until = performance.now() + lifeInMs
        const value = await load()
        if (at !== undefined && mayKeep(value)) kept.set(key, { value, at, until })
        return value
      },
    }
  }
}

/** Creates a clock that this process advances with each of its writes. */
export function createOwnClock(): { now: WriteClock; wrote(): void } {
  let writes = 0
  return {
    now: () => writes,
    wrote: () => {
      writes += 1
    },
  }
}

type Rows = readonly (readonly unknown[])[]

const NON_DETERMINISTIC =
  /\b(?:random|randomblob|date|time|datetime|julianday|unixepoch|strftime|timediff|changes|total_changes|last_insert_rowid)\s*\(|\b(?:current_(?:date|time|timestamp)\b|pragma_)/i

/** Returns whether a statement has the same result until the next write: it does not use the time or random values. */
export const isDeterministic = (sql: string): boolean => !NON_DETERMINISTIC.test(sql)

const MOST_ROWS = 500
const LARGEST = 32_768

/** Returns whether rows may be cached: few, at most 32 KiB, and without mutable values. */
export function mayKeepRows(rows: Rows): boolean {
  if (rows.length > MOST_ROWS) return false
  let size = 0
  for (const row of rows) {
    for (const value of row) {
      if (typeof value === 'object' && value !== null) return false
      size += typeof value === 'string' ? value.length : 8
    }
    if (size > LARGEST) return false
  }
  return true
}
