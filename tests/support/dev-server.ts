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

interface Message {
  type: string
  event?: string
  data?: { id?: string; data?: unknown }
}

/** The WebSocket by which a page is told of changes. */
export interface Changes {
  received: Message[]
  /** Asks Vite for something, as its module runner does. */
  ask(name: string, ...input: unknown[]): string
  answerTo(name: string, ...input: unknown[]): Promise<unknown>
  close(): void
}

/** Joins it with these headers; throws where that is refused. */
export async function joinChanges(
  origin: string,
  { headers = {} }: { headers?: Record<string, string> } = {},
): Promise<Changes> {
  const url = `${origin.replace('http', 'ws')}/_nuxt/`
  // Node's own takes headers, which the types of browsers do not know.
  const socket: WebSocket = Reflect.construct(WebSocket, [url, { protocols: 'vite-hmr', headers }])
  const received: Message[] = []
  const waiting = new Map<string, (answer: unknown) => void>()
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  socket.addEventListener('message', ({ data }) => {
    const message: Message = JSON.parse(String(data))
    received.push(message)
    if (message.type === 'connected') resolve()
    waiting.get(message.data?.id ?? '')?.(message.data?.data)
  })
  socket.addEventListener('error', () => reject(new Error('the socket was refused')))
  let count = 0
  const ask = (name: string, ...input: unknown[]) => {
    const number = String(++count)
    const data = { name, id: `send:${number}`, data: input }
    socket.send(JSON.stringify({ type: 'custom', event: 'vite:invoke', data }))
    return `response:${number}`
  }
  await promise
  return {
    received,
    ask,
    answerTo: (name, ...input) => new Promise(done => waiting.set(ask(name, ...input), done)),
    close: () => socket.close(),
  }
}
