import { createCache, type CacheName } from '../cache'
import { followedReads } from './followed-reads'
import { isRehearsing } from './rehearsal'

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

/** Creates memories; one write clears all of them. */
export type MakeMemory = <Value extends object>(name: CacheName) => Memory<Value>

/** The memories of one database. */
export function createMemories({ clock, lifeInMs = Number.POSITIVE_INFINITY }: MemoryOptions): MakeMemory {
  return <Value extends object>(name: CacheName): Memory<Value> => {
    const cache = createCache<{ value: Value; at: number; until: number }>(name)

    function peekAt(key: string, now: number | undefined): Value | undefined {
      const entry = cache.get(key)
      if (!entry || entry.at !== now || (entry.until !== Number.POSITIVE_INFINITY && entry.until < performance.now()))
        return undefined
      return entry.value
    }

    return {
      peek: key => (followedReads() || isRehearsing() ? undefined : peekAt(key, clock())),
      async get(key, load, mayKeep = () => true) {
        // Each read of a followed page must happen, so that it is recorded. What a rehearsal reads is rolled back.
        if (followedReads() || isRehearsing()) return load()
        // Both are read before the database: a write in the meantime makes the value stale.
        const at = clock()
        const known = peekAt(key, at)
        if (known !== undefined) return known
        const until = performance.now() + lifeInMs
        const value = await load()
        if (at !== undefined && mayKeep(value)) cache.set(key, { value, at, until })
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
