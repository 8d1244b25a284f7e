// Waiting for a job: for an action whose caller wants the result, and sees how far it is.
import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '../http/app-error'
import { requireRun, sessionOfRun } from '../current-run'
import { findJobOf } from './list-jobs'

interface FollowOptions {
  /** Ends the waiting; the job continues. */
  signal: AbortSignal
  /** Told how far it is: `host?.progress` of an action shows it to an MCP host. */
  progress?: (done: number, total?: number) => unknown
}

const LOOK_EVERY_IN_MS = 300

/**
 * Waits for a job that the caller has queued, and returns what it has returned. Throws `conflict` for one that has failed or was
 * cancelled, and `not-found` for one that the caller has not queued.
 */
export async function followJob(id: string, { signal, progress }: FollowOptions): Promise<unknown> {
  const run = requireRun()
  const session = await sessionOfRun(run)
  let told = -1
  for (;;) {
    const job = session && (await findJobOf(run.app, session.userId, id))
    if (!job) throw new AppError('not-found')
    if (job.done !== null && job.done !== told) {
      told = job.done
      await progress?.(job.done, job.total ?? undefined)
    }
    if (job.state === 'done') return job.result
    if (job.state === 'failed' || job.state === 'cancelled')
      throw new AppError('conflict', { detail: `The job ${job.state === 'failed' ? 'has failed' : 'was cancelled'}.` })
    await sleep(LOOK_EVERY_IN_MS, undefined, { signal })
  }
}
