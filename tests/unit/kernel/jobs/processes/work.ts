// After a message, runs jobs on a clock that is ahead by some milliseconds, until it is killed. Sends a message per started job.
import { type App, createMemo } from '#fairway/server/kernel/app-context'
import { openDatabase } from '#fairway/server/kernel/database/client'
import { createLog } from '#fairway/server/kernel/events/log'
import { startJobs } from '#fairway/server/kernel/jobs'
import { writeRows } from './write-rows'

const [url = '', aheadInMs] = process.argv.slice(2)
const now = () => new Date(Date.now() + Number(aheadInMs))
const log = createLog(line => process.stderr.write(`${line}\n`), 'error', now)
// Contains only what the engine needs, because a full app takes two seconds to load.
const app = { db: await openDatabase({ url, log }), log, now, memo: createMemo() } as App

const { run } = writeRows.job
const entry = {
  ...writeRows,
  job: {
    ...writeRows.job,
    run(...given: Parameters<typeof run>) {
      process.send?.('working')
      return run(...given)
    },
  },
}
process.once('message', () => startJobs(app, [entry]))
process.send?.('ready')
