// `fw jobs`: the work beside requests, for operators.
import { defineCommand } from 'citty'
import { jsonOf } from '../server/kernel/declaration'
import { AppError } from '../server/kernel/http/app-error'
import { JOB_STATES } from '../shared/schemas/job-states'
import { operate, placeOptions } from './operate'
import { RemoteFailure } from './remote-action'
import { say, UsageFault } from './terminal'

const id = {
  type: 'positional',
  required: true,
  description: 'The ID of the job, as `fw jobs list` shows it.',
} as const
const name = { type: 'string', description: 'Only jobs of this name.' } as const

const listCommand = defineCommand({
  meta: { name: 'list', description: 'List the latest jobs with their state, and what failed ones have thrown.' },
  args: {
    name,
    state: { type: 'string', description: `Only jobs in this state: ${JOB_STATES.join(', ')}.` },
    ...placeOptions,
  },
  run: ({ args }) =>
    operate(args, async call => {
      const state = JOB_STATES.find(each => each === args.state)
      if (args.state !== undefined && !state) throw new UsageFault(`The states are ${JOB_STATES.join(', ')}.`)
      const { jobs } = await call('list-jobs', { state, name: args.name })
      for (const { id: job, name: of, state: now, attempts, runAt, done, total, error, organization } of jobs) {
        const where = organization ? [`in ${organization.name ?? organization.id}`] : []
        const progress = done === null ? [] : [total === null ? `${done} done` : `${done} of ${total}`]
        const about = [...where, ...progress, ...(error === null ? [] : [error])]
        say([job, of, now, `attempt ${attempts}`, runAt, ...about].join('  '))
      }
      if (jobs.length === 0) say(args.state || args.name ? 'No matching jobs.' : 'No jobs.')
      return 0
    }),
})

const runCommand = defineCommand({
  meta: { name: 'run', description: `Queue a job now: fw jobs run morning-mail '{"day":"2031-05-20"}'` },
  args: {
    name: { type: 'positional', required: true, description: 'The name of the job.' },
    input: { type: 'positional', required: false, description: 'Its input, as JSON.' },
    ...placeOptions,
  },
  run: ({ args }) =>
    operate(args, async call => {
      const input = jsonOf(args.input ?? '{}')
      if (input === undefined) throw new UsageFault('The input is not JSON.')
      const queued = await call('run-job', { name: args.name, input })
      say(`Queued: ${queued.id}. A server that runs takes it within a second.`)
      return 0
    }),
})

/** Whether there was a job that the call could change. */
const isDone = (call: Promise<unknown>): Promise<boolean> =>
  call.then(
    () => true,
    (thrown: unknown) => {
      if ((thrown instanceof AppError || thrown instanceof RemoteFailure) && thrown.code === 'not-found') return false
      throw thrown
    },
  )

const retryCommand = defineCommand({
  meta: {
    name: 'retry',
    description: 'Run a job again that has failed or was cancelled; without an ID, all that have failed.',
  },
  args: { id: { ...id, required: false }, name, ...placeOptions },
  run: ({ args }) =>
    operate(args, async call => {
      const count = args.id
        ? Number(await isDone(call('retry-job', { id: args.id })))
        : (await call('retry-failed-jobs', { name: args.name })).count
      const none = args.id ? 'No job with this ID has failed or was cancelled.' : 'No failed jobs.'
      say(count === 0 ? none : `Queued again: ${count}.`)
      return args.id && count === 0 ? 1 : 0
    }),
})

const cancelCommand = defineCommand({
  meta: { name: 'cancel', description: 'Cancel a waiting job, or signal a running one to stop.' },
  args: { id, ...placeOptions },
  run: ({ args }) =>
    operate(args, async call => {
      const isThere = await isDone(call('stop-job', { id: args.id }))
      say(
        isThere
          ? 'Cancelled. A running job is signalled within ten seconds.'
          : 'No job with this ID is waiting or running.',
      )
      return isThere ? 0 : 1
    }),
})

/** `fw jobs`: what waits, runs and has failed, and what an operator can do about it. */
export const jobsCommand = defineCommand({
  meta: { name: 'jobs', description: 'The jobs of this application, or with --at of one elsewhere.' },
  subCommands: { list: listCommand, run: runCommand, retry: retryCommand, cancel: cancelCommand },
})
