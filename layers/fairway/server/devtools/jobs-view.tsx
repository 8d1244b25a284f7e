/** @jsxImportSource vue */
import { getTableName } from 'drizzle-orm'
import type { App } from '#fairway/server/kernel/app-context'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { type JobEntry, type listJobs, queueJob, retryJob } from '#fairway/server/kernel/jobs'
import { Chip, Empty, matches, pathOf, Time } from './frame'

type Listed = Awaited<ReturnType<typeof listJobs>>['jobs'][number]

/** The form target of the view's buttons. */
export const JOBS_ACT_PATH = pathOf('jobs', '/act')

const TONES: Partial<Record<Listed['state'], 'good' | 'warn' | 'bad'>> = {
  running: 'warn',
  done: 'good',
  failed: 'bad',
  cancelled: 'bad',
}

/** The declared jobs with their schedules, and the newest jobs of the queue. */
export function jobsView(catalog: readonly JobEntry[], queue: readonly Listed[], search: string) {
  const declared = catalog.filter(({ name, job }) => matches(search, name, job.description))
  const queued = queue.filter(({ name, state, error }) => matches(search, name, state, error ?? undefined))
  if (declared.length + queued.length === 0) return [<Empty text="No job matches." />]
  return [
    <h2>Declared</h2>,
    <div class="list">
      {declared.map(({ name, job }) => (
        <div class="row" id={`declared-${name}`}>
          <span class="wrap">
            <span class="mono">{name}</span> <span class="muted">{job.description}</span>
          </span>
          {job.schedule ? <Chip text={scheduleText(job.schedule)} /> : null}
          {takesNothing({ job }) ? <Act field="run" value={name} text="Run now" name={name} /> : null}
        </div>
      ))}
    </div>,
    <h2>Queue</h2>,
    queued.length === 0 ? (
      <Empty text="No jobs in the queue." hint="Completed jobs of the platform are not listed." />
    ) : (
      <div class="list">
        {queued.map(job => (
          <QueuedRow job={job} />
        ))}
      </div>
    ),
  ]
}

const QueuedRow = ({ job: { id, name, state, attempts, runAt, done, total, error, orgId } }: { job: Listed }) => (
  <div class="row" id={`job-${id}`}>
    <Time at={new Date(runAt)} />
    <span class="wrap">
      <span class="mono">{name}</span>{' '}
      <span class="muted">
        {[
          orgId !== null && `in ${orgId}`,
          attempts > 0 && `attempt ${attempts}`,
          done !== null && `${done} of ${total ?? '?'}`,
          error,
        ]
          .filter(Boolean)
          .join(', ')}
      </span>
    </span>
    <Chip text={state} tone={TONES[state]} />
    {state === 'failed' || state === 'cancelled' ? <Act field="retry" value={id} text="Retry" name={name} /> : null}
  </div>
)

function scheduleText({ cron, timeZone, each }: NonNullable<JobEntry['job']['schedule']>): string {
  const zone = typeof timeZone === 'string' ? timeZone : 'its own time zone'
  const of = each && (each === 'organization' ? each : `row of ${getTableName(each)}`)
  return `${cron} ${zone}${of ? `, each ${of}` : ''}`
}

/** A job that requires input runs through `fw jobs run`. */
const takesNothing = ({ job }: Pick<JobEntry, 'job'>): boolean => job.input.safeParse({}).success

const Act = ({ field, value, text, name }: { field: 'run' | 'retry'; value: string; text: string; name: string }) => (
  <form method="post" action={JOBS_ACT_PATH}>
    <input type="hidden" name={field} value={value} />
    <button aria-label={`${text}: ${name}`}>{text}</button>
  </form>
)

/** Queues a declared job, or retries a failed or cancelled one. Throws `not-found` for an unknown job. */
export async function actOnJob(
  app: App,
  catalog: readonly JobEntry[],
  { run, retry }: { run?: string; retry?: string },
): Promise<void> {
  if (retry !== undefined && (await retryJob(app, retry))) return
  const entry = catalog.find(({ name }) => name === run)
  if (!entry || !takesNothing(entry)) throw new AppError('not-found')
  await queueJob(app, app.db.orm, entry, {})
}
