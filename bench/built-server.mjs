// Starts the built server for a measurement, with an empty database, and reports the resources that its process has used.
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

/** The secret of every measured server. */
export const SECRET = 'Yw4nTq8ZrB2kM6xVs9HdJ3gLc7PfE5uA'
const root = new URL('..', import.meta.url).pathname

/** The folder of the build: the value of `--output`, or else `.output`. */
export const outputDir = () => {
  const named = process.argv.find(argument => argument.startsWith('--output='))
  return resolve(root, named ? named.slice('--output='.length) : '.output')
}

/** Whether processes can be pinned to one core each. */
export const canPin = existsSync('/usr/bin/taskset')

/** The command on this core, where processes can be pinned. */
export const onCore = (core, command) => (canPin ? ['taskset', '-c', String(core), ...command] : command)

/** A write that invalidates what a server remembers, and changes nothing else. */
export const ANY_WRITE = `insert into rate_limits values ('bench', 1, 1) on conflict do update set count = count + 1`

export const median = values => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]

/** Returns the nearest-rank percentile of the values; `part` is 0 to 100. */
export const percentile = (values, part) =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor((values.length * part) / 100))]

export const freePort = () =>
  new Promise(resolve => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address()
      probe.close(() => resolve(port))
    })
  })

/**
 * Starts a server. Returns `origin`, `base` (its address without DNS), `milliseconds` from the start of the process to its first
 * response, and its resource usage so far. `core` pins it to one core, `nodeArgs` come before the program, `output` is the folder
 * of the build.
 */
export async function startBuilt({
  env: more = {},
  core,
  nodeArgs = [],
  dataDir = mkdtempSync(join(tmpdir(), 'fw-bench-')),
  output = outputDir(),
} = {}) {
  const port = await freePort()
  const origin = `http://localhost:${port}`
  const base = `http://127.0.0.1:${port}`
  const env = {
    PATH: process.env.PATH,
    NODE_ENV: 'production',
    PORT: String(port),
    HOST: '127.0.0.1',
    FW_BASE_URL: origin,
    BETTER_AUTH_SECRET: SECRET,
    FW_RATE_LIMITS: 'off',
    AUTH_REQUIRE_EMAIL_VERIFICATION: '0',
    FW_LOG_LEVEL: 'warn',
    FW_DATA_DIR: dataDir,
    ...more,
  }
  const command = [process.execPath, ...nodeArgs, join(output, 'server/index.mjs')]
  const began = performance.now()
  const [program, ...args] = core === undefined ? command : onCore(core, command)
  const child = spawn(program, args, { env, stdio: ['ignore', 'ignore', 'inherit'] })
  // When a measurement fails, this stops its server.
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  const ended = new Promise(resolve => child.once('exit', resolve)).finally(() => process.off('exit', kill))
  for (;;) {
    const answer = await fetch(`${base}/_fw/health/ready`).catch(() => undefined)
    if (answer?.ok) break
    if (child.exitCode !== null) throw new Error('the server ended')
    await new Promise(resolve => setTimeout(resolve, 5))
  }
  const milliseconds = performance.now() - began
  return {
    pid: child.pid,
    origin,
    base,
    dataDir,
    database: join(dataDir, 'fairway.db'),
    milliseconds,
    cpuMicros: () => cpuMicrosOf(child.pid),
    residentMegabytes: () => residentMegabytesOf(child.pid),
    handles: () => readdirSync(`/proc/${child.pid}/fd`).length,
    signal: name => child.kill(name),
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** Returns the processor time of a process with all its threads, in microseconds. */
export function cpuMicrosOf(pid) {
  const threads = readdirSync(`/proc/${pid}/task`)
  const nanoseconds = threads.map(thread =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]),
  )
  return nanoseconds.reduce((sum, each) => sum + each, 0) / 1000
}

const residentMegabytesOf = pid => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024

const json = { 'content-type': 'application/json' }

/** Signs a person up, in a personal organization, and returns the headers of their browser. */
export async function signUp(base, email, password = 'zebra quilt 7 lantern') {
  const answer = await fetch(`${base}/_fw/auth/sign-up/email`, {
    method: 'POST',
    headers: json,
    body: JSON.stringify({ email, password, name: 'Bench' }),
  })
  if (!answer.ok) throw new Error(await answer.text())
  const headers = { cookie: answer.headers.get('set-cookie').split(';')[0], 'sec-fetch-site': 'same-origin' }
  // The first request for the session creates their organization.
  await (await fetch(`${base}/_fw/session`, { headers })).json()
  return headers
}
