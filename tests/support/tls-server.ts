import { execFileSync } from 'node:child_process'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { mkdtempSync, readFileSync } from 'node:fs'
import { createServer as createTlsServer } from 'node:https'
import type { RequestListener } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface TlsServer {
  port: number
  /** The certificate, which is its own authority. */
  certificate: string
  /** TCP connections so far. */
  connections(): number
  stop(): Promise<void>
}

/** An https server on 127.0.0.1 with a certificate for this host name. */
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
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    certificate: cert,
    connections: () => count,
    stop() {
      server.closeAllConnections()
      return new Promise(resolve => server.close(() => resolve()))
    },
  }
}

/** Counts the TCP connections to a port of this machine; where the wanted one may not be taken, to a free one. */
export async function startListener(wanted = 0) {
  let count = 0
  const server = createServer(socket => {
    count += 1
    socket.destroy()
  })
  const listen = (port: number) =>
    new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, resolve))
  await listen(wanted).catch(() => listen(0))
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => count,
    stop: () => new Promise<void>(resolve => server.close(() => resolve())),
  }
}

/** Counts every TCP connection that this process begins, to wherever. */
export function countOutgoing() {
  let count = 0
  const onSocket = () => void (count += 1)
  subscribe('net.client.socket', onSocket)
  return { connections: () => count, stop: () => unsubscribe('net.client.socket', onSocket) }
}
