import type { Client } from '@libsql/client'

/** One client and what must be known to use it safely. */
export interface Link {
  client: Client
  /** One connection serves everything, so nothing else may run while a transaction is open. */
  isSingle: boolean
  /** Puts the connection in order after SQLITE_BUSY, before anything else runs on it. */
  renew(): Promise<void>
  /** Makes one call, within the time limit of this link. */
  call<T>(run: () => Promise<T>): Promise<T>
  /** `client.migrate`, which may take longer than any other call. */
  migrate: Client['migrate']
}

/** A link to a client of one connection that needs no care. */
export const plainLink = (client: Client): Link => ({
  client,
  isSingle: true,
  renew: async () => {},
  call: run => run(),
  migrate: statements => client.migrate(statements),
})
