import { spawn } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expectNoSecrets } from './secrets'

export interface StartServerInput {
  env?: Record<string, string>
  /** A database URL; a new file when not given. */
  database?: string
  /** The loopback name that people use; cookies know hosts, not ports, so two applications in one browser need two. */
  host?: string
}

export interface TestServer {
  origin: string
  dataDir: string
  secret: string
  log(): string
  /** Ends the server as a process manager would; throws when its log holds a secret or an address. */
  stop(): Promise<{ code: number | null; milliseconds: number }>
  /** Ends the process as a power cut would. */
  kill(): Promise<void>
}

const SECRET = 'kX9v2LqTz7RmW4pYc8NbJ5hGd3FsA6uE'
const START_LIMIT_IN_MS = 20_000

/** Starts the built server on a free port with an environment of its own and waits until it is ready. */
export async function startServer({
  env = {},
  database,
  host = 'localhost',
}: StartServerInput = {}): Promise<TestServer> {
  const port = env.PORT ? Number(env.PORT) : await freePort()
  const dataDir = mkdtempSync(join(tmpdir(), 'fw-test-'))
  const origin = `http://${host}:${port}`
  const environment: Record<string, string> = {
    PATH: process.env.PATH ?? '',
    NODE_ENV: 'test',
    PORT: String(port),
    FW_BASE_URL: origin,
    FW_DATA_DIR: dataDir,
    FW_RATE_LIMITS: 'off',
    BETTER_AUTH_SECRET: SECRET,
    ...(database ? { DATABASE_URL: database } : {}),
    ...env,
  }
  const child = spawn('node', ['.output/server/index.mjs'], { env: environment })
  let output = ''
  child.stdout.on('data', chunk => (output += String(chunk)))
  child.stderr.on('data', chunk => (output += String(chunk)))
  const ended = new Promise<number | null>(resolve => child.once('exit', resolve))
  await waitUntilReady(origin, () => {
    if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}:\n${output}`)
    return output
  })
  return {
    origin,
    dataDir,
    secret: environment.BETTER_AUTH_SECRET ?? SECRET,
    log: () => output,
    async stop() {
      const began = performance.now()
      child.kill('SIGTERM')
      const timer = setTimeout(() => child.kill('SIGKILL'), 15_000)
      const code = await ended
      clearTimeout(timer)
      expectNoSecrets(output, [environment.BETTER_AUTH_SECRET ?? SECRET])
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
    check()
    const answer = await fetch(`${origin}/_fw/health/ready`, { signal: AbortSignal.timeout(2000) }).catch(
      () => undefined,
    )
    await answer?.arrayBuffer()
    // Another server may have taken the port meanwhile and answer in its place.
    if (answer?.ok && check().includes('Listening on')) return
    await new Promise(resolve => setTimeout(resolve, 20))
  }
  throw new Error(`the server was not ready in time:\n${check()}`)
}

/** A TCP port that is free at this moment, outside of the range that outgoing connections take theirs from. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const port = 10_000 + Math.floor(Math.random() * 20_000)
    const probe = createServer()
    probe.once('error', error => ('code' in error && error.code === 'EADDRINUSE' ? resolve(freePort()) : reject(error)))
    probe.listen(port, () => probe.close(() => resolve(port)))
  })
}
