// First, because guards and policies check the permissions that it declares.
import fwConfig from '#fw/config'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, onTestFinished } from 'vitest'
import { catalog as actions } from '#fw/actions'
import { catalog as collections } from '#fw/collections'
import { catalog as jobs } from '#fw/jobs'
import { catalog as mails } from '#fw/mails'
import { frames } from '#fw/page-frames'
import { providers } from '#fw/providers'
import { rootDir } from '#fw/root'
import { createApp } from '../server/compose'
import { declareWork } from '../server/declare-work'
import { keepRows } from '../server/keep-rows'
import { checkCollections } from '../server/domains/collections'
import type { SharedTable } from '../server/domains/organizations'
import { declareProviders } from '../server/domains/oauth-client'
import { type App, createMemo } from '../server/kernel/app-context'
import { backgroundDone } from '../server/kernel/background'
import type { Orm } from '../server/kernel/database/client'
import { PLATFORM_JOB, type RanJob, runDueJobs } from '../server/kernel/jobs'
import { type Caller, createCallers, type Reader } from './callers'
import { createClock, type TestClock } from './clock'
import { copyMigratedDatabase } from './database'
import { createEdge, type Edge } from './edge'
import { createOutbox, type TestMail } from './mails'
import { createPolicyExpectations, type PolicyExpectation } from './policy'
import { createPeople, type PersonInput, type TestPerson, type Who } from './people'

/**
 * The prefix of the names of the platform's jobs. Tests of applications run these jobs, but only see results of their own jobs.
 */

export interface TestAppOptions {
  /** Settings in addition to the test defaults; the machine's environment and .env are not read. */
  env?: Record<string, string>
  /** The start time of the clock; the machine's time by default. */
  now?: Date | string
}

export interface TestApp extends Reader {
  /** Creates a person with a confirmed address, in an organization when one is named. */
  person(input?: PersonInput): Promise<TestPerson>
  /** Returns the requests that this person can make; `null` is a caller who is signed out. */
  as(who: Who | null): Caller
  /** Checks who may do what with a row of a table, by its policy; `row` contains the values that the rules use. */
  expectPolicy(table: SharedTable, row?: Readonly<Record<string, unknown>>): PolicyExpectation
  /** The database of this application, through drizzle. */
  db: Orm
  clock: TestClock
  jobs: {
    /** Runs the jobs that are due by the clock, and the jobs that they queue; returns the outcome of each. */
    run(): Promise<RanJob[]>
  }
  /** The sent mails, oldest first. */
  mails: readonly TestMail[]
  /** The log entries of the server, oldest first. */
  logs: readonly Record<string, unknown>[]
  /** The address of the application, for example to compare a redirect with. */
  origin: string
  /** Stops the application and deletes its database. Runs automatically at the end of the test or file that created it. */
  close(): Promise<void>
}

/**
 * Starts the application of this folder: the platform, all declarations, and a private, migrated database file. It requires no
 * build and no port. Call it at the top of a test file or in a test; in `beforeAll`, return its `close`. Throws the same errors
 * as a real start, all at once.
 */
export async function testApp({ env = {}, now }: TestAppOptions = {}): Promise<TestApp> {
  const folder = await mkdtemp(join(tmpdir(), 'fairway-test-'))
  const clock = createClock(now)
  const outbox = createOutbox()
  const logs: Record<string, unknown>[] = []
  await copyMigratedDatabase(rootDir, join(folder, 'fairway.db'))
  const app = await createApp({
    env: { ...settings(folder), ...env },
    fwConfig,
    frames,
    write: line => keepLine(logs, line),
    now: clock.now,
    mailer: outbox.mailer,
  })
  checkCollections(app, collections)
  await keepRows(app, collections)
  declareProviders(app, providers)
  declareWork(app, { jobs, mails, actions: async () => actions })
  const edge = createEdge(app)
  const person = createPeople(app)
  const callers = createCallers(app, edge, actions)
  const close = closing(app, edge, callers, folder)
  closeByItself(close)
  return {
    person: input => outbox.quietly(() => person(input)),
    as: callers.as,
    expectPolicy: createPolicyExpectations(app, input => outbox.quietly(() => person(input))),
    list: (name, { as: who = null, query } = {}) => callers.as(who).list(name, query),
    db: app.db.orm,
    clock,
    jobs: { run: async () => (await runDueJobs(app, jobs)).filter(({ name }) => !name.startsWith(PLATFORM_JOB)) },
    mails: outbox.mails,
    logs,
    origin: app.config.baseUrl,
    close,
  }
}

/**
 * The environment of tests: a secret for this application only, and no limits that would count the requests of tests.
 */
const settings = (folder: string): Record<string, string> => ({
  NODE_ENV: 'test',
  BETTER_AUTH_SECRET: randomBytes(32).toString('base64url'),
  FW_BASE_URL: 'http://localhost:3000',
  FW_DATA_DIR: folder,
  FW_RATE_LIMITS: 'off',
})

/** Shows internal errors on the terminal and keeps all log entries. */
function keepLine(logs: Record<string, unknown>[], line: string): void {
  const entry: Record<string, unknown> = JSON.parse(line)
  logs.push(entry)
  if (entry.level === 'error') process.stderr.write(`${line}\n`)
}

function closing(app: App, edge: Edge, callers: { close(): Promise<void> }, folder: string): () => Promise<void> {
  // Runs once, even when it is called several times.
  const once = createMemo()
  return () =>
    once('closed', async () => {
      await callers.close()
      await edge.close()
      await backgroundDone(app)
      await app.db.close()
      await rm(folder, { recursive: true, force: true })
    })
}

/** Runs at the end of the current test, or of the file that is being loaded. */
function closeByItself(close: () => Promise<void>): void {
  try {
    onTestFinished(close)
  } catch {
    afterAll(close)
  }
}
