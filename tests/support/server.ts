import { spawn } from 'node:child_process'
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sampleDir } from '../../scripts/sample.mjs'
import { expectNoScans, recording } from './query-plans'
import { expectNoSecrets, SECRET } from './secrets'
import { DATABASE_FILE, startInstances } from './server-instances'
import { freePort } from './web-server'

export { freePort } from './web-server'

export interface ServerInput {
  /** The sample, or the author's application in tests/fixtures/author, which is built for the first test that uses it. */
  application?: 'sample' | 'author'
  env?: Record<string, string>
  /** The server's loopback name. Cookies ignore ports, so two applications in one browser need two hosts. */
  host?: string
}

export interface TestServer {
  origin: string
  dataDir: string
  secret: string
  log(): string
  /** Ends this use; throws when the log contains a secret or an address, or when a request has scanned a whole growing table. */
  stop(): Promise<unknown>
  /** Kills the process as a power cut would. */
  kill(): Promise<void>
}

export interface OwnServer extends TestServer {
  /** The process id; with several instances, that of the first. */
  pid: number
  /** Stops the server as a process manager would; throws when its log contains a secret or an address. */
  stop(): Promise<{ code: number | null; milliseconds: number }>
  isRunning(): boolean
}

/** The environment variable with the address of the server pool, set by the process that starts the tests. */
export const POOL_VARIABLE = 'FW_TEST_SERVERS'
const START_LIMIT_IN_MS = 60_000

/** How the project `unit` serves the sample (in-process-only.ts). A browser's test that imports this file loads no server code. */
export const inProcess: { open?: (input: Required<Pick<ServerInput, 'env' | 'host'>>) => Promise<TestServer> } = {}

/**
 * Borrows a running server with these settings and an empty database; other tests may have used it before. For all tests that do
 * not start, stop or share a server themselves. The server is reserved for the caller until `stop`. In the project `unit` this is
 * the sample in the test's own process, which renders no pages of the application.
 */
export async function borrowServer({
  application = 'sample',
  env = {},
  host = 'localhost',
}: ServerInput = {}): Promise<TestServer> {
  const pool = process.env[POOL_VARIABLE]
  if (!pool) {
    if (!inProcess.open || application !== 'sample')
      throw new Error('this test needs a built server, which tests/support/server-pool.ts lends')
    return inProcess.open({ env, host })
  }
  // Playwright keeps a window only while the address stays the same, so each of its workers has servers of its own.
  const worker = process.env.TEST_PARALLEL_INDEX
  const answer = await fetch(pool, { method: 'POST', body: JSON.stringify({ application, env, host, worker }) })
  if (!answer.ok) throw new Error(await answer.text())
  const { id, origin, dataDir, secret, logFile, logFrom } = (await answer.json()) as LentServer
  const log = () => readFileSync(logFile).subarray(logFrom).toString()
  return {
    origin,
    dataDir,
    secret,
    log,
    async stop() {
      try {
        expectNoSecrets(log(), [secret])
        await expectNoScans(dataDir)
      } finally {
        await fetch(`${pool}/${id}`, { method: 'DELETE' })
      }
    },
    kill: async () => void (await fetch(`${pool}/${id}/process`, { method: 'DELETE' })),
  }
}

/** The pool's description of a server. */
export interface LentServer {
  id: string
  origin: string
  dataDir: string
  secret: string
  logFile: string
  /** The byte offset in the log where this use begins. */
  logFrom: number
}

export interface StartInput extends ServerInput {
  /** A database URL; default: a new file. */
  database?: string
  /** The folder of the built application; default: the sample. */
  output?: string
  /** The folder for its files and its log; default: a new folder. */
  dataDir?: string
}

/** The address of a server's database: its file, or the libSQL server that its instances share. */
export function databaseOf({ dataDir }: Pick<TestServer, 'dataDir'>): string {
  const named = join(dataDir, DATABASE_FILE)
  return existsSync(named) ? readFileSync(named, 'utf8') : `file:${join(dataDir, 'fairway.db')}`
}

/** The file in the data folder with the server's output. */
export const LOG_FILE = 'server.log'

/** The default settings of applications and servers in tests. */
export const testEnv = ({ NODE_ENV = 'test', SMTP_URL }: Record<string, string>): Record<string, string> => ({
  NODE_ENV,
  BETTER_AUTH_SECRET: SECRET,
  // Set by `npm run test:plain`.
  ...(process.env.FW_SHORTCUTS ? { FW_SHORTCUTS: process.env.FW_SHORTCUTS } : {}),
  // Most tests sign in with a password. Without magic links, the password form comes first.
  ...(NODE_ENV === 'test' && !SMTP_URL ? { AUTH_MAGIC_LINK: '0' } : {}),
})

/** The number of processes of each server with an empty database. Several share a libSQL server behind a balancer. */
export const INSTANCES = Number(process.env.FW_TEST_INSTANCES ?? 1)

/** Turns off the cache for libSQL servers, so that other processes' writes are visible at once, not within a second. */
const SEES_OTHERS = { FW_DATABASE_MEMORY: '0' }

/** Starts a separate server on a free port and waits until it is ready. Most tests borrow one instead. */
export function startServer(input: StartInput = {}): Promise<OwnServer> {
  if (INSTANCES < 2) return startInstance(input)
  const env: Record<string, string> = { ...SEES_OTHERS, ...input.env }
  // With an existing database, start one instance next to the server that already uses it.
  const isAlone = input.database || env.DATABASE_URL || env.FW_DATA_DIR
  return isAlone ? startInstance({ ...input, env }) : startInstances(INSTANCES, { ...input, env }, startInstance)
}

const BUILT = join(sampleDir, '.output')
const newFolder = () => mkdtempSync(join(tmpdir(), 'fw-test-'))

interface Places {
  port: number
  origin: string
  dataDir: string
  database?: string
}

const placesOf = ({ port, origin, dataDir, database }: Places): Record<string, string> => ({
  PATH: process.env.PATH ?? '',
  PORT: String(port),
  FW_BASE_URL: origin,
  FW_DATA_DIR: dataDir,
  FW_RATE_LIMITS: 'off',
  // A killed server resets the connections that still wait for a response.
  FW_IDLE_CONNECTIONS: '5',
  ...(database ? { DATABASE_URL: database } : {}),
})

async function startInstance(input: StartInput): Promise<OwnServer> {
  const { env = {}, database, output = BUILT, host = 'localhost', dataDir = newFolder() } = input
  const port = env.PORT ? Number(env.PORT) : await freePort()
  const origin = `http://${host}:${port}`
  const places = { ...placesOf({ port, origin, dataDir, database }), ...recording(dataDir) }
  const environment = { ...testEnv(env), ...places, ...env }
  const logFile = join(dataDir, LOG_FILE)
  const written = openSync(logFile, 'a')
  const child = spawn('node', [join(output, 'server/index.mjs')], {
    env: environment,
    stdio: ['ignore', written, written],
  })
  closeSync(written)
  const log = () => readFileSync(logFile, 'utf8')
  const ended = new Promise<number | null>(resolve => child.once('exit', resolve))
  const killWithUs = () => child.kill('SIGKILL')
  process.once('exit', killWithUs)
  void ended.then(() => process.off('exit', killWithUs))
  try {
    await waitUntilReady(origin, () => {
      if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}:\n${log()}`)
      return log()
    })
  } catch (error) {
    // Another process took the port after the check. If the caller chose the port, the error is reported.
    if (env.PORT || !log().includes('EADDRINUSE')) throw error
    return startInstance(input)
  }
  const secret = env.BETTER_AUTH_SECRET ?? SECRET
  return {
    origin,
    dataDir,
    secret,
    log,
    pid: child.pid ?? 0,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    async stop() {
      const began = performance.now()
      child.kill('SIGTERM')
      const timer = setTimeout(() => child.kill('SIGKILL'), 15_000)
      const code = await ended
      clearTimeout(timer)
      expectNoSecrets(log(), [secret])
      await expectNoScans(dataDir)
      return { code, milliseconds: performance.now() - began }
    },
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

async function waitUntilReady(origin: string, check: () => string): Promise<void> {
  const limit = performance.now() + START_LIMIT_IN_MS
  while (performance.now() < limit) {
    // Another server may have taken the port and would respond in place of this one.
    if (check().includes('Listening on')) {
      const answer = await fetch(`${origin}/_fw/health/ready`, { signal: AbortSignal.timeout(2000) }).catch(
        () => undefined,
      )
      await answer?.arrayBuffer()
      if (answer?.ok) return
    }
    await new Promise(resolve => setTimeout(resolve, 20))
  }
  throw new Error(`the server was not ready in time:\n${check()}`)
}
