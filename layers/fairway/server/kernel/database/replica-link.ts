import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { createClient } from '@libsql/client'
import { type Link, plainLink } from './link'

/** How far a replica may be behind what other processes wrote; its own writes it sees at once. */
const SYNC_INTERVAL_IN_SECONDS = 0.2

/** Opens an embedded replica of a libSQL server: reads are local, writes go to the server. Throws where the server is away. */
export async function openReplicaLink(url: string, path: string, authToken?: string): Promise<Link> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const client = createClient({ url: `file:${path}`, syncUrl: url, authToken, syncInterval: SYNC_INTERVAL_IN_SECONDS })
  // Without a first sync the file is empty.
  await client.sync()
  return plainLink(client)
}
