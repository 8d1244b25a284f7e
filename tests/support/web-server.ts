import { execFileSync } from 'node:child_process'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { mkdtempSync, readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

interface Address {
  /** Default: a free port. */
  port?: number
  /** The host name to listen on and to use in the origin. */
  host?: string
}

export interface WebServer {
  /** Browsers treat `127.0.0.1` and `localhost` as different sites. */
  origin: string
  port: number
  /** Stops listening and closes all connections. */
  stop(): Promise<void>
}

/** Starts any kind of server, on a free port of 127.0.0.1 by default; throws when the port is taken. */
export async function listen(server: Server, { port = 0, host = '127.0.0.1' }: Address = {}): Promise<WebServer> {
  server.listen(port, host)
  await once(server, 'listening')
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  const address = server.address() as AddressInfo
  return {
    origin: `http://${host}:${address.port}`,
    port: address.port,
    stop() {
      const closed = new Promise<void>(resolve => server.close(() => resolve()))
      for (const socket of sockets) socket.destroy()
      return closed
    },
  }
}

/** Serves a Node request listener. */
export const serveListener = (listener: RequestListener, address?: Address): Promise<WebServer> =>
  listen(createServer(listener), address)

/** Serves a fetch-style handler. */
export const serve = (handle: (request: Request) => Promise<Response>): Promise<WebServer> =>
  serveListener(async (request, response) => {
    const answer = await handle(await toRequest(request))
    response.writeHead(answer.status, Object.fromEntries(answer.headers))
    for await (const chunk of answer.body ?? []) response.write(chunk)
    response.end()
  })

/** Accepts connections and never responds. */
export const serveSilence = (): Promise<WebServer> => listen(createTcpServer(() => {}))

export interface HostPage extends WebServer {
  /** Loads this address in the page's frame. */
  show(url: string): void
}

/** A page of another site with one frame. */
export async function startHostPage(): Promise<HostPage> {
  const shown = { url: 'about:blank' }
  const server = await serveListener((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
    response.end(
      `<!DOCTYPE html><html lang="en"><title>Host</title><main><h1>Somebody else’s page</h1>` +
        `<iframe title="Notes" src="${shown.url}" width="700" height="400"></iframe></html>`,
    )
  })
  return { ...server, show: url => void (shown.url = url) }
}

export interface TlsServer extends Omit<WebServer, 'origin'> {
  /** The self-signed certificate. */
  certificate: string
  /** The number of TCP connections so far. */
  connections(): number
}

/** An HTTPS server on 127.0.0.1 with a certificate for this host name. */
export async function startTlsServer(hostname: string, listener: RequestListener): Promise<TlsServer> {
  const folder = mkdtempSync(join(tmpdir(), 'fw-tls-'))
  const key = join(folder, 'key.pem')
  const certificate = join(folder, 'certificate.pem')
  execFileSync(
    'openssl',
    [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-days',
      '2',
      '-keyout',
      key,
      '-out',
      certificate,
      '-subj',
      `/CN=${hostname}`,
      '-addext',
      `subjectAltName=DNS:${hostname}`,
    ],
    { stdio: 'ignore' },
  )
  const cert = readFileSync(certificate, 'utf8')
  const server = createTlsServer({ key: readFileSync(key), cert }, listener)
  let count = 0
  server.on('connection', () => (count += 1))
  const { port, stop } = await listen(server)
  return { port, certificate: cert, connections: () => count, stop }
}

/** Counts the TCP connections to a port of this machine; uses a free port when the wanted one is not available. */
export async function startListener(wanted = 0) {
  let count = 0
  const server = createTcpServer(socket => {
    count += 1
    socket.destroy()
  })
  const listenOn = (port: number) =>
    new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, resolve))
  await listenOn(wanted).catch(() => listenOn(0))
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => count,
    stop: () => new Promise<void>(resolve => server.close(() => resolve())),
  }
}

/** Counts all outgoing TCP connections of this process. */
export function countOutgoing() {
  let count = 0
  const onSocket = () => void (count += 1)
  subscribe('net.client.socket', onSocket)
  return { connections: () => count, stop: () => unsubscribe('net.client.socket', onSocket) }
}

async function toRequest(request: IncomingMessage): Promise<Request> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(Buffer.from(chunk))
  const { method = 'GET', headers } = request
  const url = `http://${headers.host}${request.url}`
  const body = method === 'GET' || method === 'HEAD' ? undefined : Buffer.concat(chunks)
  return new Request(url, { method, headers: headers as Record<string, string>, body })
}

/**
 * A TCP port that is free now, outside the range of ephemeral ports. It is above 10080, the highest port that `fetch` refuses
 * (Fetch, "bad port").
 */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const port = 10_081 + Math.floor(Math.random() * 20_000)
    const probe = createTcpServer()
    probe.once('error', error => ('code' in error && error.code === 'EADDRINUSE' ? resolve(freePort()) : reject(error)))
    probe.listen(port, () => probe.close(() => resolve(port)))
  })
}
