import { createClient } from '@libsql/client'
import { join } from 'node:path'
import type { TestServer } from './server'

const MINUTE_IN_MS = 60_000

/** Writes notes of one person into the database of a server: “Note 001” is the one changed first, the last the newest. */
export async function insertNotes(server: TestServer, ownerEmail: string, count: number): Promise<void> {
  const client = createClient({ url: `file:${join(server.dataDir, 'fairway.db')}`, timeout: 5000 })
  const began = Date.now() - count * MINUTE_IN_MS
  try {
    await client.batch(
      Array.from({ length: count }, (_, index) => ({
        sql: `insert into notes (id, owner_email, org_id, visibility, title, text, created_at, updated_at)
          values (?, ?, (select org_id from org_members m join users u on u.id = m.user_id where u.email = ?), 'private', ?, ?, ?, ?)`,
        args: [
          `note-${index + 1}`,
          ownerEmail,
          ownerEmail,
          noteTitle(index + 1),
          `The text of number ${index + 1}`,
          began,
          began + (index + 1) * MINUTE_IN_MS,
        ],
      })),
      'write',
    )
  } finally {
    client.close()
  }
}

/** The title of the n-th note of `insertNotes`. */
export const noteTitle = (number: number): string => `Note ${String(number).padStart(3, '0')}`
