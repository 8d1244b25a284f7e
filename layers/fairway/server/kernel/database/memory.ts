import type { InStatement } from '@libsql/client'
import { createRemembered, type RememberedName } from '../remember'

/** The number of a state of the database: it moves with every write, whoever wrote. Undefined where nothing says so. */
export type WriteClock = () => number | undefined

/** What was read of the database and is given again while nothing was written since. */
export interface Memory<Value> {
  /** What was kept under this key, when it still holds: for paths on which even a promise is too much. */
  peek(key: string): Value | undefined
  /**
   * What was kept under this key, else what `load` gives; its failures are not kept, nor what `mayKeep` denies, and the key must
   * say all that it depends on.
   */
  get(key: string, load: () => Promise<Value>, mayKeep?: (value: Value) => boolean): Promise<Value>
}

export interface MemoryOptions {
  clock: WriteClock
  /** How long anything is kept, where others write without our hearing of it. */
  lifeInMs?: number
}

/** Makes memories, which keep what is asked for the first time or the second; all of them forget with one write. */
export type MakeMemory = <Value extends object>(name: RememberedName, from?: 'first' | 'second') => Memory<Value>

/** The memories of one database. */
export function createMemories({ clock, lifeInMs = Number.POSITIVE_INFINITY }: MemoryOptions): MakeMemory {
  return <Value extends object>(name: RememberedName, from: 'first' | 'second' = 'first'): Memory<Value> => {
    const kept = createRemembered<{ value: Value; at: number; until: number }>(name)
    const asked = from === 'second' ? createRemembered<true>(name) : undefined

    function peekAt(key: string, now: number | undefined): Value | undefined {
      const found = kept.get(key)
      if (!found || found.at !== now || (found.until !== Number.POSITIVE_INFINITY && found.until < performance.now()))
        return undefined
      return found.value
    }

    return {
      peek: key => peekAt(key, clock()),
      async get(key, load, mayKeep = () => true) {
        if (asked && !asked.get(key)) {
          asked.set(key, true)
          return load()
        }
        // Both are taken before the database is asked: what is written meanwhile makes the answer old.
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

/** A clock that this process moves itself, with each of its own writes. */
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

/** Whether a statement answers the same until the next write: it asks neither the clock nor chance. */
export const isDeterministic = (sql: string): boolean => !NON_DETERMINISTIC.test(sql)

const MOST_ROWS = 500
const LARGEST = 32_768

/** Whether rows may be remembered: few, at most 32 KiB, and no values that somebody could change. */
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

/** Reads rows through a memory; they belong to everybody who asks for the same, so nobody may change them. */
export type ReadThrough = (statement: InStatement, read: () => Promise<unknown[][]>) => Promise<unknown[][]>

/** A memory of the rows of SELECTs: from its second time on the same statement with the same values is not run again while nobody writes. */
export function createReadThrough(makeMemory: MakeMemory): ReadThrough {
  const memory = makeMemory<unknown[][]>('rows', 'second')
  const isStable = createRemembered<boolean>('stable-statements')
  return (statement, read) => {
    const { sql, args = [] } = typeof statement === 'string' ? { sql: statement } : statement
    if (!isStable.of(sql, () => isDeterministic(sql)) || !Array.isArray(args) || !args.every(isPlain)) return read()
    return memory.get(JSON.stringify(args) + sql, read, mayKeepRows)
  }
}

/** Whether JSON tells this value from every other one. */
const isPlain = (value: unknown): boolean =>
  value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value)
