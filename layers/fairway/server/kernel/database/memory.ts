import type { InStatement } from '@libsql/client'
import { createCache, type CacheName } from '../cache'
import { followedReads } from './followed-reads'
import { isRehearsing } from './rehearsal'
import { textOf } from './sql-text'

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
  /** Returns the clock of the writes that may change a value of this memory. */
  clock: (isClearedBy?: OfTable) => WriteClock
  /** The maximum age of a value, where other processes write without notice. */
  lifeInMs?: number
}

/** Whether a write to this table may change a value. */
type OfTable = (table: string) => boolean

/**
 * Creates memories. A write clears all of them, except at a server: there a write of this process to one table leaves those whose
 * `isClearedBy` does not name it.
 */
export type MakeMemory = <Value extends object>(name: CacheName, isClearedBy?: OfTable) => Memory<Value>

/** The memories of one database. */
export function createMemories({ clock: clockOf, lifeInMs = Number.POSITIVE_INFINITY }: MemoryOptions): MakeMemory {
  return <Value extends object>(name: CacheName, isClearedBy?: OfTable): Memory<Value> => {
    const clock = clockOf(isClearedBy)
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

interface OwnClock {
  of: MemoryOptions['clock']
  /** Advances the clocks. Without statements, the write may have changed any table. */
  wrote(statements?: readonly InStatement[]): void
}

/** Creates clocks that this process advances with its own writes. */
export function createOwnClock(): OwnClock {
  const clocks: { writes: number; isClearedBy?: OfTable }[] = []
  return {
    of(isClearedBy) {
      const clock = { writes: 0, isClearedBy }
      clocks.push(clock)
      return () => clock.writes
    },
    wrote(statements) {
      // A file has a clock of its own.
      if (clocks.length === 0) return
      const tables = statements?.map(statement => tableOf(textOf(statement)))
      for (const clock of clocks) {
        const mayChange = (table: string | undefined) => table === undefined || (clock.isClearedBy?.(table) ?? true)
        if (tables?.some(mayChange) ?? true) clock.writes += 1
      }
    },
  }
}

const TARGET =
  /^\s*(?:insert\s+(?:or\s+\w+\s+)?into|replace\s+into|update\s+(?:or\s+\w+\s+)?|delete\s+from)\s*["`[]?(\w+)/i

/** The table that a statement writes to; undefined where its text begins in another way. */
const tableOf = (sql: string): string | undefined => TARGET.exec(sql)?.[1]?.toLowerCase()
