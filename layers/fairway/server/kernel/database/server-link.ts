import { createClient } from '@libsql/client'
import { withDeadline } from './deadline'
import type { Link } from './link'

export interface ServerLinkOptions {
  authToken?: string
  /** How long one call may take. */
  callLimitInMs: number
}

const MIGRATION_LIMIT_IN_MS = 300_000

/** A link to a libSQL server; it connects with the first call. */
export function createServerLink(url: string, { authToken, callLimitInMs }: ServerLinkOptions): Link {
  let limitInMs = callLimitInMs
  const client = createClient({
    url,
    authToken,
    fetch: (request: Request) => fetch(request, { signal: AbortSignal.timeout(limitInMs) }),
  })

  // A WebSocket does not notice a peer that has gone silent: what takes too long is given up together with the socket.
  async function callOverSocket<T>(run: () => Promise<T>): Promise<T> {
    try {
      return await withDeadline(run(), limitInMs)
    } catch (error) {
      if (error instanceof DOMException) void Promise.resolve(client.reconnect()).catch(() => {})
      throw error
    }
  }

  return {
    client,
    isSingle: false,
    renew: async () => {},
    call: client.protocol === 'ws' ? callOverSocket : run => run(),
    async migrate(statements) {
      limitInMs = MIGRATION_LIMIT_IN_MS
      try {
        return await client.migrate(statements)
      } finally {
        limitInMs = callLimitInMs
      }
    },
  }
}
