import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, onTestFinished } from 'vitest'
import { catalog as actions } from '#fw/actions'
import { catalog as collections } from '#fw/collections'
import fwConfig from '#fw/config'
import { catalog as jobs } from '#fw/jobs'
import { catalog as mails } from '#fw/mails'
import { frames } from '#fw/page-frames'
import { providers } from '#fw/providers'
import { rootDir } from '#fw/root'
import { createApp } from '../server/compose'
import { declareWork } from '../server/declare-work'
import { checkCollections, keepTotals } from '../server/domains/collections'
import { keepFiles } from '../server/domains/files'
import { keepLimits } from '../server/domains/plans'
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

/** How the names of the platform's own jobs begin: tests of applications run them, and hear of their own alone. */

export interface TestAppOptions {
  /** Settings beside those of tests; the machine's own environment and .env are not read. */
  env?: Record<string, string>
  /** Where the clock starts; the machine's time when not given. */
  now?: Date | string
}

export interface TestApp extends Reader {
  /** Makes a person with a confirmed address, in an organization when one is named. */
  person(input?: PersonInput): Promise<TestPerson>
  /** What this person does; `null` is somebody who is not signed in. */
  as(who: Who | null): Caller
  /** Who may do what with a row of a table, by its policy; `row` has the values that rules ask for. */
  expectPolicy(table: SharedTable, row?: Readonly<Record<string, unknown>>): PolicyExpectation
  /** The database of this application, by drizzle. */
  db: Orm
  clock: TestClock
  jobs: {
    /** Runs the jobs that are due by the clock, and those that they queue; gives how each has ended. */
    run(): Promise<RanJob[]>
  }
  /** The mails that went out, the oldest first. */
  mails: readonly TestMail[]
  /** What the server has logged, the oldest first. */
  logs: readonly Record<string, unknown>[]
  /** The address that the application has, for example for a redirect to compare. */
  origin: string
  /** Ends the application and deletes its database; it happens by itself at the end of the test or the file that made it. */
  close(): Promise<void>
}

/**
 * The application of this folder as it is when it runs: the platform, everything that is declared, and a migrated database of its own
 * in a file that nobody else sees. Nothing is built and no port is taken. Call it at the head of a test file or in a test; in
 * `beforeAll` give its `close` back. Throws with all faults at once what a start throws.
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
  await keepTotals(app, collections)
  await keepFiles(app)
  await keepLimits(app)
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

/** What tests need of the environment: a secret of this application alone, quick passwords, and no limits that count what tests do. */
const settings = (folder: string): Record<string, string> => ({
  NODE_ENV: 'test',
  BETTER_AUTH_SECRET: randomBytes(32).toString('base64url'),
  FW_BASE_URL: 'http://localhost:3000',
  FW_DATA_DIR: folder,
  FW_PASSWORD_HASHING: 'quick',
  FW_RATE_LIMITS: 'off',
})

/** What goes wrong inside is shown; everything is kept. */
function keepLine(logs: Record<string, unknown>[], line: string): void {
  const entry: Record<string, unknown> = JSON.parse(line)
  logs.push(entry)
  if (entry.level === 'error') process.stderr.write(`${line}\n`)
}

function closing(app: App, edge: Edge, callers: { close(): Promise<void> }, folder: string): () => Promise<void> {
  // Once, however often it is asked for.
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

/** At the end of the test that runs, else of the file that is being read. */
function closeByItself(close: () => Promise<void>): void {
  try {
    onTestFinished(close)
  } catch {
    afterAll(close)
  }
}
