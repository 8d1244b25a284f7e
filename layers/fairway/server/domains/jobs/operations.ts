import { z } from 'zod'
import { defineOperations, operation } from '#fairway/server/domains/actions'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { cancelJob, findJobOf } from '#fairway/server/kernel/jobs'
import { followedJobSchema } from '#fairway/shared/schemas/job'

const input = z.object({ id: z.string().max(100) })

export default defineOperations({
  'get-job': operation({
    description: 'Shows the progress of a job you queued.',
    method: 'GET',
    path: '/_fw/jobs/:id',
    openIn: ['view'],
    input,
    output: followedJobSchema,
    async run({ id }, { app, session }) {
      const job = await findJobOf(app, session, id)
      if (!job) throw new AppError('not-found')
      return job
    },
  }),
  'cancel-job': operation({
    description: 'Cancels a job that you have queued.',
    method: 'DELETE',
    path: '/_fw/jobs/:id',
    input,
    audit: ['id'],
    async run({ id }, { app, session }) {
      if (!(await findJobOf(app, session, id)) || !(await cancelJob(app, id))) throw new AppError('not-found')
    },
  }),
})
