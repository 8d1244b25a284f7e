// The server of each build runs in a separate thread. A request during a build or a start waits until it ends. The previous
// thread ends after it has answered its requests.
import { rm } from 'node:fs/promises'
import { type IncomingMessage, request, type ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { dirname } from 'node:path'
import type { Duplex } from 'node:stream'
import { Worker } from 'node:worker_threads'
import { z } from 'zod'
import { SENT_FROM, sentFrom } from '../../server/kernel/http/own-machine'

/** Where a thread listens. */
type Address = { socketPath: string } | { host: string; port: number }

interface Running {
  worker: Worker
  address: Address
  /** The file that it runs, in a separate folder. */
  entry: string
  /** The pending responses. */
  open: Set<ServerResponse>
}

const listenSchema = z.object({
  event: z.literal('listen'),
  address: z.union([z.object({ socketPath: z.string() }), z.object({ host: z.string(), port: z.number() })]),
})

const DRAIN_LIMIT_IN_MS = 8000
const SHUTDOWN_LIMIT_IN_MS = 5000

export interface ServerProcesses {
  /** A build has begun. New requests wait until it ends. */
  hold(): void
  /**
   * Starts the built server, which then answers requests, unless everything is closed. Throws with its terminal output if it does
   * not start.
   */
  start(entry: string): Promise<void>
  /** The build has failed. The previous server keeps answering. */
  release(): void
  /** Answers a request with the newest running server. Returns false if there is none. */
  answer(req: IncomingMessage, res: ServerResponse): Promise<boolean>
  /** Passes a socket to the newest server, for an application that uses WebSocket. */
  upgrade(req: IncomingMessage, socket: Duplex, head: Buffer): Promise<void>
  close(): Promise<void>
}

/** Initially without a server. Requests wait until one has started or has failed to start. */
export function createServerProcesses(): ServerProcesses {
  let gate: PromiseWithResolvers<void> | undefined = Promise.withResolvers<void>()
  let current: Running | undefined
  let count = 0
  let isClosed = false
  const release = () => {
    gate?.resolve()
    gate = undefined
  }
  const newest = async (): Promise<Running | undefined> => {
    if (!gate) return current
    await gate.promise
    return newest()
  }
  return {
    release,
    hold: () => void (gate ??= Promise.withResolvers<void>()),
    async start(entry) {
      // A build may end after everything was closed. Its server would then stay open.
      if (isClosed) return removeBuild(entry)
      const id = ++count
      const { worker, address } = await startWorker(entry, id)
      const running = { worker, address, entry, open: new Set<ServerResponse>() }
      worker.once('exit', () => (current === running ? (current = undefined) : undefined))
      // A later build was faster.
      if (id !== count) return retire(running)
      const before = current
      current = running
      release()
      if (before) void retire(before)
    },
    async answer(req, res) {
      const running = await newest()
      if (running) await forward(running, req, res)
      return running !== undefined
    },
    async upgrade(req, socket, head) {
      const running = await newest()
      if (running) joinSockets(running.address, req, socket, head)
      else socket.destroy()
    },
    async close() {
      isClosed = true
      count++
      release()
      if (current) await retire(current)
    },
  }
}

const endedSchema = z.object({ event: z.literal('exit') })

/** Ends a server after it has answered its requests. */
async function retire({ worker, entry, open }: Running): Promise<void> {
  await within(DRAIN_LIMIT_IN_MS, Promise.all([...open].map(over)))
  const { promise, resolve } = Promise.withResolvers<void>()
  worker.once('exit', resolve)
  worker.on('message', message => (endedSchema.safeParse(message).success ? resolve() : undefined))
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker thread has no origin
  worker.postMessage({ event: 'shutdown' })
  await within(SHUTDOWN_LIMIT_IN_MS, promise)
  await worker.terminate()
  await removeBuild(entry)
}

const removeBuild = (entry: string): Promise<void> => rm(dirname(entry), { recursive: true, force: true })

/** Starts a thread that answers requests. Throws with its output, or with the error that ended it. */
async function startWorker(entry: string, id: number): Promise<{ worker: Worker; address: Address }> {
  const worker = new Worker(entry, {
    env: { ...process.env, NITRO_DEV_WORKER_ID: String(id) },
    stderr: true,
    resourceLimits: { maxYoungGenerationSizeMb: 64 },
  })
  let written = ''
  worker.stderr.on('data', chunk => (written = (written + String(chunk)).slice(-4000)))
  const { promise, resolve, reject } = Promise.withResolvers<Address>()
  worker.on('message', message => {
    const { data } = listenSchema.safeParse(message)
    if (data) resolve(data.address)
  })
  worker.once('error', reject)
  worker.once('exit', code => reject(new Error(written.trim() || `The server ended with code ${code}.`)))
  const address = await promise
  // It listens before its database is migrated. The first response comes after that.
  const { promise: answered, resolve: done, reject: failed } = Promise.withResolvers<void>()
  request({ ...address, path: '/_fw/health/ready', agent: false }, answer => done(void answer.resume()))
    .once('error', () => worker.once('exit', () => failed(new Error(written.trim()))))
    .end()
  await answered
  worker.stderr.pipe(process.stderr, { end: false })
  if (written) process.stderr.write(written)
  return { worker, address }
}

/** Headers that apply to a single connection (RFC 9110 §7.6.1). */
const OF_THE_CONNECTION = new Set(['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding'])

function forward({ address, open }: Running, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const headers: IncomingMessage['headers'] = {
    'x-forwarded-for': req.socket.remoteAddress,
    'x-forwarded-port': String(req.socket.localPort),
    'x-forwarded-proto': 'encrypted' in req.socket && req.socket.encrypted ? 'https' : 'http',
    ...req.headers,
    [SENT_FROM]: sentFrom(req),
  }
  for (const name of OF_THE_CONNECTION) delete headers[name]
  const forwarded = request({ ...address, agent: false, path: req.url, method: req.method, headers }, answer => {
    // An event stream has no end; its reader reconnects.
    if (answer.headers['content-type']?.startsWith('text/event-stream')) open.delete(res)
    const raw = answer.rawHeaders.flatMap((name, at) =>
      at % 2 === 0 && !OF_THE_CONNECTION.has(name.toLowerCase()) ? [name, answer.rawHeaders[at + 1] ?? ''] : [],
    )
    res.writeHead(answer.statusCode ?? 502, answer.statusMessage, raw)
    res.flushHeaders()
    answer.pipe(res)
    answer.once('error', () => res.destroy())
  })
  open.add(res)
  forwarded.once('error', () => res.destroy())
  res.once('close', () => {
    open.delete(res)
    forwarded.destroy()
    resolve()
  })
  req.pipe(forwarded)
  return promise
}

function joinSockets(address: Address, req: IncomingMessage, socket: Duplex, head: Buffer): void {
  const server = connect('socketPath' in address ? { path: address.socketPath } : address)
  const lines = req.rawHeaders.flatMap((name, at) => (at % 2 === 0 ? [`${name}: ${req.rawHeaders[at + 1]}`] : []))
  server.write(`${req.method} ${req.url} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`)
  server.write(head)
  server.pipe(socket).pipe(server)
  server.once('error', () => socket.destroy())
  socket.once('error', () => server.destroy())
}

const over = (res: ServerResponse): Promise<void> => new Promise(resolve => res.once('close', resolve))

async function within(limitInMs: number, promise: Promise<unknown>): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, limitInMs)
  await Promise.race([promise, late])
  clearTimeout(timer)
}
