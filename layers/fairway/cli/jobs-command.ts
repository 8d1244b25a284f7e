// `fw jobs`: the work beside requests, in the database of this folder.
import { defineCommand } from 'citty'
import { jsonOf } from '../server/kernel/declaration'
import {
  cancelJob,
  JOB_STATES,
  listJobs,
  findJob,
  jobNames,
  queueJob,
  retryFailed,
  retryJob,
} from '../server/kernel/jobs'
import { AppError } from '../server/kernel/http/app-error'
import { parseInput } from '../server/kernel/http/read-input'
import { operatorOption, withLocalApp, withOperator } from './local-app'
import { say } from './terminal'

const id = {
  type: 'positional',
  required: true,
  description: 'The id of the job, as `fw jobs list` shows it.',
} as const
const name = { type: 'string', description: 'Only jobs of this name.' } as const

const refused = (detail: string) => new AppError('invalid-input', { detail })

type Listed = Awaited<ReturnType<typeof listJobs>>[number]

function lineOf({ id: job, name: of, state, attempts, runAt, done, total, error }: Listed): string {
  const progress = done === null ? [] : [total === null ? `${done} done` : `${done} of ${total}`]
  const at = new Date(runAt).toISOString()
  return [job, of, state, `attempt ${attempts}`, at, ...progress, ...(error === null ? [] : [error])].join('  ')
}

const listCommand = defineCommand({
  meta: { name: 'list', description: 'List the latest jobs with their state, and what failed ones have thrown.' },
  args: { name, state: { type: 'string', description: `Only jobs in this state: ${JOB_STATES.join(', ')}.` } },
  run: ({ args }) =>
    withLocalApp(async app => {
      const state = JOB_STATES.find(each => each === args.state)
      if (args.state !== undefined && !state) throw refused(`The states are ${JOB_STATES.join(', ')}.`)
      const jobs = await listJobs(app, { state, name: args.name })
      for (const job of jobs) say(lineOf(job))
      if (jobs.length === 0) say('There is no such job.')
      return 0
    }),
})

const runCommand = defineCommand({
  meta: { name: 'run', description: `Queue a job now: fw jobs run morning-mail '{"day":"2031-05-20"}'` },
  args: {
    name: { type: 'positional', required: true, description: 'The name of the job.' },
    input: { type: 'positional', required: false, description: 'Its input, as JSON.' },
    operator: operatorOption,
  },
  run: ({ args }) =>
    withOperator(args.operator, async (app, { record }) => {
      const input = jsonOf(args.input ?? '{}')
      if (input === undefined) throw refused('The input is no JSON.')
      const entry = findJob(app, args.name)
      if (!entry) throw refused(`There is no job ${args.name}. There are: ${jobNames(app)}.`)
      const queued = await queueJob(app, app.db.orm, entry, parseInput(entry.job.input, input))
      await record('run-job', { name: args.name, id: queued })
      say(`Queued: ${queued}. A server that runs takes it within a second.`)
      return 0
    }),
})

const retryCommand = defineCommand({
  meta: {
    name: 'retry',
    description: 'Run a job again that has failed or was cancelled; without an id, all that have failed.',
  },
  args: { id: { ...id, required: false }, name, operator: operatorOption },
  run: ({ args }) =>
    withOperator(args.operator, async (app, { record }) => {
      const count = args.id ? Number(await retryJob(app, args.id)) : await retryFailed(app, args.name)
      if (count > 0) await record('retry-job', { id: args.id ?? '', name: args.name ?? '', count })
      say(count === 0 ? 'Nothing was to be run again.' : `Queued again: ${count}.`)
      return args.id && count === 0 ? 1 : 0
    }),
})

const cancelCommand = defineCommand({
  meta: { name: 'cancel', description: 'End a job that waits, and tell one that runs to end.' },
  args: { id, operator: operatorOption },
  run: ({ args }) =>
    withOperator(args.operator, async (app, { record }) => {
      const isThere = await cancelJob(app, args.id)
      if (isThere) await record('stop-job', { id: args.id })
      say(isThere ? 'Cancelled. A job that runs is told within ten seconds.' : 'No job with this id waits or runs.')
      return isThere ? 0 : 1
    }),
})

/** `fw jobs`: what waits, runs and has failed, and what an operator can do about it. */
export const jobsCommand = defineCommand({
  meta: { name: 'jobs', description: 'The jobs of this application.' },
  subCommands: { list: listCommand, run: runCommand, retry: retryCommand, cancel: cancelCommand },
})
