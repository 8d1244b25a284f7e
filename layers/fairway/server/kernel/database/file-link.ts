import { mkdir, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { createClient } from '@libsql/client'
import { type Link, plainLink } from './link'
import { retryBusy } from './retry-busy'

/** How long SQLite itself waits for a lock: the wait stops the event loop, so retry-busy does the rest. */
export const LOCK_WAIT_IN_MS = 10
const OPEN_LIMIT_IN_MS = 30_000

/** Opens a database file, in WAL mode and with full sync; makes the folder and the file where there are none. */
export async function openFileLink(url: string, path: string): Promise<Link> {
  await createPrivateFile(path)
  const client = createClient({ url, concurrency: 1, timeout: LOCK_WAIT_IN_MS })
  // A statement that failed with SQLITE_BUSY stays unfinished until it is garbage: the connection goes on reading an old
  // snapshot, and what it writes next is answered but not committed. Only a new connection is safe.
  const renew = async () => {
    client.reconnect()
    await client.executeMultiple('pragma synchronous = full; pragma foreign_keys = on')
  }
  const prepare = async () => {
    await renew()
    await client.execute('pragma journal_mode = wal')
  }
  await retryBusy(prepare, performance.now() + OPEN_LIMIT_IN_MS)
  return { ...plainLink(client), renew }
}

// Session tokens are in there: nobody else on the machine reads it. SQLite gives its other files the same mode.
async function createPrivateFile(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  try {
    // Never open an existing file here: closing it would drop the locks that SQLite holds on it in this process.
    const file = await open(path, 'wx', 0o600)
    await file.close()
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  }
}
