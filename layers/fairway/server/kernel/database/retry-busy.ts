import { setTimeout as sleep } from 'node:timers/promises'
import { isBusy } from './database-error'

const FIRST_PAUSE_IN_MS = 5
const LONGEST_PAUSE_IN_MS = 80

/**
 * Tries again while another process holds the lock, with growing pauses that leave the event loop free.
 * `deadline` is on the clock of `performance.now()`; after it the last failure is thrown. There is always one attempt.
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
