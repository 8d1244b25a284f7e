import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Server } from 'node:http'

const CHANNEL = 'http.server.request.start'

/**
 * Keeps idle connections open for this long, in milliseconds. Node's default is 5 seconds, and a proxy keeps them for 60: the server
 * would close one in the moment in which the proxy sends the next request through it, and the visitor would get a 502.
 * The build's entry makes the server and keeps it to itself; the first request says which one it is.
 */
export function keepConnectionsFor(milliseconds: number): void {
  const set = (message: unknown): void => {
    unsubscribe(CHANNEL, set)
    ;(message as { server: Server }).server.keepAliveTimeout = milliseconds
  }
  subscribe(CHANNEL, set)
}
