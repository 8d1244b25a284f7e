import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { plainRequest } from './http'

const NUXT = fileURLToPath(new URL('../../node_modules/nuxt/bin/nuxt.mjs', import.meta.url))
const START_LIMIT_IN_MS = 120_000

export interface DevServer {
  /** The address that the terminal shows. */
  origin: string
  /** The terminal's output so far. */
  output(): string
  /** Stops it as a terminal or a process manager would, and returns its exit code. */
  stop(): Promise<number | null>
}

/** Starts `nuxt dev` in a clean environment and waits for a response; without `isReady`, an error response is enough. */
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

/** Whether it is ready or, without `isReady`, responds with the reason why it does not start. */
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

/** The WebSocket that notifies a page of changes. */
export interface Changes {
  received: Message[]
  /** Sends a request to Vite as its module runner does; returns the id of the response. */
  ask(name: string, ...input: unknown[]): string
  answerTo(name: string, ...input: unknown[]): Promise<unknown>
  close(): void
}

/** Connects with these headers; throws when the connection is refused. */
export async function joinChanges(
  origin: string,
  { headers = {} }: { headers?: Record<string, string> } = {},
): Promise<Changes> {
  const url = `${origin.replace('http', 'ws')}/_nuxt/`
  // Node's WebSocket accepts headers, but the browser's type does not declare them.
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
