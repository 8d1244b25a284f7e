import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { plainRequest } from './http'

const NUXT = fileURLToPath(new URL('../../node_modules/nuxt/bin/nuxt.mjs', import.meta.url))
const START_LIMIT_IN_MS = 120_000

export interface DevServer {
  /** The address that the terminal names. */
  origin: string
  /** What the terminal shows so far. */
  output(): string
  /** Ends it as a terminal or a process manager would, and gives its exit code. */
  stop(): Promise<number | null>
}

/** `nuxt dev` with these arguments and nothing of this environment, once it answers; not `isReady`: also once it says why it does not start. */
export async function startDevServer(
  args: string[],
  { cwd, env = {}, isReady = true }: { cwd?: string; env?: Record<string, string>; isReady?: boolean } = {},
): Promise<DevServer> {
  const child = spawn(process.execPath, [NUXT, 'dev', ...args], {
    cwd,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, TMPDIR: process.env.TMPDIR, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let written = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => (written += String(chunk)))
  const limit = performance.now() + START_LIMIT_IN_MS
  for (;;) {
    if (child.exitCode !== null || performance.now() > limit) throw new Error(`it did not start:\n${written}`)
    const origin = /\[dev\].* open (http\S+)/.exec(written)?.[1]
    if (origin && (await answers(origin, isReady))) return { origin, output: () => written, stop: () => stop(child) }
    await new Promise(resolve => setTimeout(resolve, 200))
  }
}

/** Whether it is ready, or, where that will do, says why it is not. */
async function answers(origin: string, isReady: boolean): Promise<boolean> {
  const answer = await plainRequest(origin, { path: '/_fw/health/ready' }).catch(() => undefined)
  if (!answer) return false
  return answer.status === 200 || (!isReady && answer.headers.get('content-type') === 'application/problem+json')
}

async function stop(child: ReturnType<typeof spawn>): Promise<number | null> {
  const ended = child.exitCode === null ? once(child, 'exit') : undefined
  child.kill('SIGTERM')
  await ended
  return child.exitCode
}
