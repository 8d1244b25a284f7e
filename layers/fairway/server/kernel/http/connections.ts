import type { IncomingMessage } from 'node:http'
import type { Config } from '../config/config'

const HEADERS_IN_MS = 20_000

const limited = new WeakSet<object>()

/**
 * Sets how long the server that received this request keeps idle connections and waits for headers. Nitro creates that server and
 * does not expose it, so the first request sets the limits. `nuxt dev` keeps Node's defaults: with longer ones it loses requests
 * while files are saved.
 */
export function limitConnections(
  { socket: { server } }: IncomingMessage,
  { idleConnectionsInMs }: Pick<Config, 'idleConnectionsInMs'>,
  headersInMs = HEADERS_IN_MS,
): void {
  if (import.meta.dev || !server || limited.has(server)) return
  limited.add(server)
  Object.assign(server, { keepAliveTimeout: idleConnectionsInMs, headersTimeout: headersInMs })
}
