// Reads one state of the database. A file is read with another copy of SQLite, so no connection of the server may be open in this
// process.
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { databaseConfig } from '../../server/kernel/config/environment'
import type { Env } from '../../server/kernel/config/env'
import { createServerClient } from '../../server/kernel/database/server-client'
import { databaseTarget } from '../../server/kernel/database/target'

/** A stored value: integers are bigint, real numbers are number. */
export type Value = string | number | bigint | null | Uint8Array

export interface Snapshot {
  /** Returns the rows of a SELECT, in one transaction with all other reads. */
  read(sql: string, args?: Value[]): Promise<Value[][]>
  close(): void
}

const LOCK_WAIT_IN_MS = 10_000
/** One statement reads a whole table. */
const CALL_LIMIT_IN_MS = 3_600_000

/** Opens the database of these settings for reading; throws when it cannot be read. */
export async function openSnapshot(env: Env): Promise<Snapshot> {
  const { url, authToken } = databaseConfig(env)
  const target = databaseTarget(url)
  if (target.kind === 'memory') throw new Error('The database is in memory, and no other process can read it.')
  const path = target.kind === 'file' ? resolve(target.path) : undefined
  if (path && !existsSync(path)) throw new Error(`There is no database at ${path}.`)
  try {
    const snapshot = path ? openFile(path) : await openServer(url, authToken)
    await snapshot.read('select count(*) from sqlite_schema')
    return snapshot
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new Error(`The database ${path ?? new URL(url).host} cannot be read: ${reason}`, { cause })
  }
}

function openFile(path: string): Snapshot {
  const database = new DatabaseSync(path, { timeout: LOCK_WAIT_IN_MS, readBigInts: true, returnArrays: true })
  // The transaction reads the state of its first statement to the end: in WAL mode it blocks no writer.
  database.exec('pragma query_only = on; begin')
  return {
    read: async (sql, args = []) => database.prepare(sql).all(...args) as unknown as Value[][],
    close: () => database.close(),
  }
}

async function openServer(url: string, authToken: string | undefined): Promise<Snapshot> {
  const limits = { callInMs: CALL_LIMIT_IN_MS, busyInMs: LOCK_WAIT_IN_MS }
  const { client } = createServerClient(url, { authToken, intMode: 'bigint', ...limits })
  const transaction = await client.transaction('read')
  return {
    async read(sql, args = []) {
      const { rows } = await transaction.execute({ sql, args })
      return rows.map(row => Array.from(row, toValue))
    },
    close() {
      transaction.close()
      client.close()
    },
  }
}

const toValue = (value: unknown): Value =>
  value instanceof ArrayBuffer ? new Uint8Array(value) : (value as Exclude<Value, Uint8Array>)
