import { setImmediate as nextTurnOfTheLoop } from 'node:timers/promises'

export interface Queue {
  /** Waits for the turn; the turn lasts until the returned function is called. */
  acquire(): Promise<() => void>
  /** Runs the task in its turn; its failure goes to the caller and the next task starts all the same. */
  run<T>(task: () => Promise<T>): Promise<T>
}

// Calls to a file database are synchronous, so a long line of them would run without a look at the network.
const LONGEST_STRETCH_IN_MS = 10

/** A first-come, first-served lock for one process; a long line makes room for the rest of the event loop. */
export function createQueue(): Queue {
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
