// Tests call this instead of starting the engine.
import type { App } from '../app-context'
import { randomToken } from '../crypto/random'
import { runAttempt } from './attempt'
import type { JobEntry } from './job'
import { endAttempts, type Ending, takeJobs, wakeJobs } from './queue'
import { queueScheduled } from './schedule'

/** A job that `runDueJobs` ran once. */
export interface RanJob {
  id: string
  name: string
  state: Ending['state']
  error?: string
}

/** Runs the jobs that are due now, and the jobs that they queue, in sequence until none is left. */
export async function runDueJobs(app: App, entries: readonly JobEntry[]): Promise<RanJob[]> {
  const byName = new Map(entries.map(entry => [entry.name, entry]))
  const ran: RanJob[] = []
  await queueScheduled(app, entries)
  await wakeJobs(app, { takesOver: true })
  for (;;) {
    const { taken, looked } = await takeJobs(app, { names: [...byName.keys()], most: 1, token: randomToken(12) })
    if (looked === 0) return ran
    for (const job of taken) {
      const ending = await runAttempt(app, byName.get(job.name), job, new AbortController())
      await endAttempts(app, [{ job, ending }])
      ran.push({ id: job.id, name: job.name, ...('error' in ending && { error: ending.error }), state: ending.state })
    }
  }
}
