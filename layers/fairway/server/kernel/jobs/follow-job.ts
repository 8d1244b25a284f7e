// Waits for a job, for an action whose caller needs the result and its progress.
import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '../http/app-error'
import { requireRun, sessionOfRun } from '../current-run'
import { findJobOf } from './list-jobs'

interface FollowOptions {
  /** Ends the waiting; the job continues. */
  signal: AbortSignal
  /** Receives the progress: `host?.progress` of an action shows it to an MCP host. */
  progress?: (done: number, total?: number) => unknown
}

const LOOK_EVERY_IN_MS = 300

/**
 * Waits for a job that the caller queued in this organization, and returns its result. Throws `conflict` for a failed or
 * cancelled one, and `not-found` for a job that the caller did not queue.
 */
export async function followJob(id: string, { signal, progress }: FollowOptions): Promise<unknown> {
  const run = requireRun()
  const session = await sessionOfRun(run)
  let told = -1
  for (;;) {
    const job = session && (await findJobOf(run.app, session, id))
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
