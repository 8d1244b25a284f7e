import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { Agent, createServer, type IncomingMessage, request as ask, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream'
import { startSqld } from './database-sqld'
import { freePort } from './web-server'
import type { OwnServer, StartInput } from './server'

/** The file in the data folder that contains the address of the shared database. */
export const DATABASE_FILE = 'database.url'

/**
 * Starts several processes on one new libSQL server, each through a web socket, behind a balancer at one address. Tests use them as one server. They share
 * the data folder with its outbox and log. The database stays until the process that runs the tests ends.
 */
export async function startInstances(
  count: number,
  input: StartInput,
  start: (input: StartInput) => Promise<OwnServer>,
): Promise<OwnServer> {
  const { env = {}, host = 'localhost' } = input
  const port = env.PORT ? Number(env.PORT) : await freePort()
  const { url } = await startSqld()
  const database = url.replace('http:', 'ws:')
  const dataDir = mkdtempSync(join(tmpdir(), 'fw-test-'))
  writeFileSync(join(dataDir, DATABASE_FILE), database)
  const origin = `http://${host}:${port}`
  const { PORT: _taken, ...others } = env
  const own = { ...input, database, dataDir, env: { FW_BASE_URL: origin, ...others } }
  // All instances start together. The migrations must still run only once.
  const instances = await Promise.all(Array.from({ length: count }, () => start(own)))
  const [first] = instances
  if (!first) throw new Error('at least one instance is wanted')
  const balancer = await startBalancer(
    env.HOST ?? host,
    port,
    instances.map(each => each.origin),
  )
  return {
    ...first,
    origin,
    dataDir,
    log: () => readFileSync(join(dataDir, 'server.log'), 'utf8'),
    isRunning: () => instances.every(each => each.isRunning()),
    async stop() {
      const ends = await Promise.all(instances.map(each => each.stop()))
      await balancer.stop()
      return {
        code: Math.max(...ends.map(({ code }) => code ?? 1)),
        milliseconds: Math.max(...ends.map(({ milliseconds }) => milliseconds)),
      }
    },
    async kill() {
      await Promise.all(instances.map(each => each.kill()))
      await balancer.stop()
    },
  }
}

/** Sends requests to the servers in turn, from the client's address, and forwards bytes unchanged. */
async function startBalancer(host: string, port: number, targets: string[]): Promise<{ stop(): Promise<void> }> {
  const agent = new Agent({ keepAlive: false })
  let turn = 0

  function pass(near: IncomingMessage, answer: ServerResponse): void {
    turn += 1
    const { hostname, port: to } = new URL(targets[turn % targets.length] ?? '')
    const { method, url: path, rawHeaders: headers } = near
    const localAddress = near.socket.remoteAddress?.replace('::ffff:', '').replace(/^::1$/, '127.0.0.1')
    const far = ask({ agent, hostname, port: to, family: 4, localAddress, method, path, headers, setHost: false })
    far.once('response', from => {
      answer.writeHead(from.statusCode ?? 502, from.statusMessage, from.rawHeaders)
      answer.flushHeaders()
      pipeline(from, answer, () => {})
    })
    far.on('error', () => {
      // A server that refuses a body may close the connection during the upload. An earlier response is still forwarded.
      if (!answer.headersSent) answer.destroy()
      near.resume()
    })
    answer.once('close', () => far.destroy())
    near.pipe(far)
  }

  const listener = createServer(pass)
  await new Promise<void>((resolve, reject) => listener.once('error', reject).listen(port, host, resolve))
  return {
    stop() {
      listener.closeAllConnections()
      return new Promise(resolve => listener.close(() => resolve()))
    },
  }
}
