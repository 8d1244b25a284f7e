import { LRUCache } from 'lru-cache'

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

/** Makes memories of at most so many values; all of them forget with one write. */
export type MakeMemory = <Value extends object>(most: number) => Memory<Value>

/** The memories of one database. */
export function createMemories({ clock, lifeInMs = Number.POSITIVE_INFINITY }: MemoryOptions): MakeMemory {
  return <Value extends object>(most: number): Memory<Value> => {
    const kept = new LRUCache<string, { value: Value; at: number; until: number }>({ max: most })

    function peekAt(key: string, now: number | undefined): Value | undefined {
      const found = kept.get(key)
      if (!found || found.at !== now || (found.until !== Number.POSITIVE_INFINITY && found.until < performance.now()))
        return undefined
      return found.value
    }

    return {
      peek: key => peekAt(key, clock()),
      async get(key, load, mayKeep = () => true) {
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
