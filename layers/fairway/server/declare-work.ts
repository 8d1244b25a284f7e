// What is done beside requests: jobs, and what they have in hand.
import { type CatalogEntry, runAction } from '#fairway/server/domains/actions'
import { actAs } from '#fairway/server/domains/sessions'
import type { App } from '#fairway/server/kernel/app-context'
import { newRequestId } from '#fairway/server/kernel/crypto/random'
import { withRun } from '#fairway/server/kernel/current-run'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { type ActingPerson, declareJobs, giveJobs, type JobContext, type JobEntry } from '#fairway/server/kernel/jobs'

interface Work {
  jobs: readonly JobEntry[]
  /** Loaded when a job first acts as somebody. */
  actions: () => Promise<readonly CatalogEntry[]>
}

/** Says which jobs there are. */
export function declareWork(app: App, { jobs, actions }: Work): void {
  declareJobs(app, jobs)
  giveJobs(app, job => ({
    async as(person, { orgId = job.orgId } = {}) {
      const acting = await actAs(app, person, { provider: 'job', ...(orgId !== null && { orgId }) })
      if ('refusal' in acting) throw new AppError('unknown-person')
      return personOf(app, actions, { ...job, session: acting.session })
    },
  }))
}

type ActingJob = Pick<JobContext, 'signal'> & { name: string; session: ActingPerson['session'] }

const personOf = (app: App, actions: Work['actions'], { name: via, signal, session }: ActingJob): ActingPerson => ({
  session,
  within: work => withRun({ app, session }, work),
  async run(name: string, input: unknown) {
    const entry = (await actions()).find(each => each.name === name)
    if (!entry) throw new Error(`there is no action ${name}`)
    const call = { name, action: entry.action, input, session, signal, via, requestId: newRequestId() }
    return runAction(app, { ...call, caller: 'job' }) as never
  },
})
