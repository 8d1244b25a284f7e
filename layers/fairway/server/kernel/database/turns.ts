import { isBusy, withDatabaseErrors } from './database-error'
import type { Link } from './link'
import { createQueue } from './queue'
import { retryBusy } from './retry-busy'

export interface Turns {
  /** Reads wait for the connection only, and only where there is just one. */
  read<T>(run: () => Promise<T>): Promise<T>
  /** Writes go one after another; one that finds the database locked by another process is tried again. */
  write<T>(run: () => Promise<T>): Promise<T>
  /** A write that is not tried again, because a part of it may have happened. */
  writeOnce<T>(run: () => Promise<T>): Promise<T>
  /** A write that goes on after `open`, until `release` is called. `until` is when waiting for a lock must end. */
  hold<T>(open: (until: number) => Promise<T>): Promise<Held<T>>
  /** Resolves when everything that was asked for before is done. */
  drain(): Promise<void>
}

interface Held<T> {
  value: T
  release(): void
}

/** Says who may use the link when. All failures leave as callers of the database see them: `unavailable` for a lock that stays. */
export function createTurns(link: Link, busyLimitInMs: number): Turns {
  const writes = createQueue()
  const connection = createQueue()
  const deadline = () => performance.now() + busyLimitInMs

  async function attempt<T>(run: () => Promise<T>): Promise<T> {
    try {
      return await link.call(run)
    } catch (error) {
      if (isBusy(error)) await link.renew()
      throw error
    }
  }

  // Between two attempts the connection is free, so reads go on while a write waits for another process.
  const use = <T>(run: () => Promise<T>) => (link.isSingle ? connection.run(() => attempt(run)) : attempt(run))

  async function useOn<T>(open: () => Promise<T>): Promise<Held<T>> {
    const release = link.isSingle ? await connection.acquire() : () => {}
    try {
      return { value: await attempt(open), release }
    } catch (error) {
      release()
      throw error
    }
  }

  async function hold<T>(open: (until: number) => Promise<T>): Promise<Held<T>> {
    const until = deadline()
    const endTurn = await writes.acquire()
    try {
      const { value, release } = await retryBusy(() => useOn(() => open(until)), until)
      return {
        value,
        release() {
          release()
          endTurn()
        },
      }
    } catch (error) {
      endTurn()
      throw error
    }
  }

  return {
    read: run => withDatabaseErrors(retryBusy(() => use(run), deadline())),
    write(run) {
      const until = deadline()
      return withDatabaseErrors(writes.run(() => retryBusy(() => use(run), until)))
    },
    writeOnce: run => withDatabaseErrors(writes.run(() => use(run))),
    hold: open => withDatabaseErrors(hold(open)),
    drain: () => writes.run(() => connection.run(async () => {})),
  }
}
