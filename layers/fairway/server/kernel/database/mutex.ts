import { setImmediate as nextTurnOfTheLoop, setTimeout as sleep } from 'node:timers/promises'
import { isBusy } from './database-error'

export interface Mutex {
  /** Waits for the turn; the turn ends when the caller calls the returned function. */
  acquire(): Promise<() => void>
  /** Runs the task in its turn; the caller receives its failure, and the next task starts regardless. */
  run<T>(task: () => Promise<T>): Promise<T>
}

// Calls to a file database are synchronous, so a long queue of them would block the network.
const LONGEST_STRETCH_IN_MS = 10

/** Creates mutual exclusion in this process, first come, first served; a long queue yields to the rest of the event loop. */
export function createMutex(): Mutex {
  let tail: Promise<void> = Promise.resolve()
  let waiting = 0
  let stretchBegan = 0

  async function acquire(): Promise<() => void> {
    const turn = tail
    const { promise, resolve } = Promise.withResolvers<void>()
    tail = promise
    waiting += 1
    if (waiting === 1) stretchBegan = performance.now()
    await turn
    if (waiting > 1 && performance.now() - stretchBegan > LONGEST_STRETCH_IN_MS) {
      await nextTurnOfTheLoop()
      stretchBegan = performance.now()
    }
    return () => {
      waiting -= 1
      resolve()
    }
  }

  async function run<T>(task: () => Promise<T>): Promise<T> {
    const release = await acquire()
    try {
      return await task()
    } finally {
      release()
    }
  }

  return { acquire, run }
}

const FIRST_PAUSE_IN_MS = 5
const LONGEST_PAUSE_IN_MS = 80

/**
 * Tries again while another process holds the lock, with growing pauses that leave the event loop free. `deadline` is on the
 * clock of `performance.now()`; after it the last failure is thrown. There is always one attempt.
 */
export async function retryBusy<T>(attempt: () => Promise<T>, deadline: number): Promise<T> {
  for (let round = 0; ; round += 1) {
    try {
      return await attempt()
    } catch (error) {
      const pause = Math.min(FIRST_PAUSE_IN_MS * 2 ** round, LONGEST_PAUSE_IN_MS) * (0.5 + Math.random())
      if (!isBusy(error) || performance.now() + pause > deadline) throw error
      await sleep(pause)
    }
  }
}
