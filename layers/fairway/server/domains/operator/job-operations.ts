// The jobs of an installation.
import { z } from 'zod'
import { defineOperations, operation } from '#fairway/server/domains/actions'
import { withOrganizations } from '#fairway/server/domains/organizations'
import { withAccounts } from '#fairway/server/domains/people'
import { sortedShape } from '#fairway/server/kernel/database/read-sorted'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { parseInput } from '#fairway/server/kernel/http/read-input'
import {
  cancelJob,
  findJob,
  JOB_STATES,
  jobNames,
  listJobs,
  queueJob,
  retryFailed,
  retryJob,
} from '#fairway/server/kernel/jobs'
import { JOB_ORDERS, listedJobSchema } from '#fairway/shared/schemas/operator'

const input = z.object({ id: z.string().max(100) })

export default defineOperations({
  'list-jobs': operation({
    description: 'Lists the jobs of the installation, by default newest first, 50 a page.',
    method: 'GET',
    path: '/_fw/operator/jobs',
    permission: 'operator',
    tokens: true,
    input: z.object({
      state: z.enum(JOB_STATES).optional(),
      name: z.string().max(100).optional(),
      ...sortedShape(JOB_ORDERS),
    }),
    output: z.object({ jobs: z.array(listedJobSchema), cursor: z.string().nullable() }),
    async run(query, { app }) {
      const { jobs, cursor } = await listJobs(app, query)
      return { jobs: await withOrganizations(app, await withAccounts(app, jobs)), cursor }
    },
  }),
  'run-job': operation({
    description: 'Queues a job with this input now.',
    method: 'POST',
    path: '/_fw/operator/jobs',
    permission: 'operator',
    tokens: true,
    recentSignIn: true,
    input: z.object({ name: z.string().max(100), input: z.unknown() }),
    output: input,
    status: 202,
    audit: ['name', 'id'],
    async run({ name, input: payload = {} }, { app }) {
      const entry = findJob(app, name)
      if (!entry)
        throw new AppError('invalid-input', { detail: `There is no job ${name}. There are: ${jobNames(app)}.` })
      return { id: await queueJob(app, app.db.orm, entry, parseInput(entry.job.input, payload)) }
    },
  }),
  'retry-failed-jobs': operation({
    description: 'Retries all failed jobs, or those with this name.',
    method: 'POST',
    path: '/_fw/operator/jobs/retry',
    permission: 'operator',
    tokens: true,
    input: z.object({ name: z.string().max(100).optional() }),
    output: z.object({ count: z.int() }),
    audit: ['name', 'count'],
    run: async ({ name }, { app }) => ({ count: await retryFailed(app, name) }),
  }),
  'retry-job': operation({
    description: 'Retries a failed or cancelled job.',
    method: 'POST',
    path: '/_fw/operator/jobs/:id/retry',
    permission: 'operator',
    tokens: true,
    input,
    audit: ['id'],
    async run({ id }, { app }) {
      if (!(await retryJob(app, id))) throw new AppError('not-found')
    },
  }),
  'stop-job': operation({
    description: 'Cancels a waiting or running job of the installation.',
    method: 'DELETE',
    path: '/_fw/operator/jobs/:id',
    permission: 'operator',
    tokens: true,
    input,
    audit: ['id'],
    async run({ id }, { app }) {
      if (!(await cancelJob(app, id))) throw new AppError('not-found')
    },
  }),
})
