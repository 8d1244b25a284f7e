import { query } from './query'
import type { TestServer } from './server'

const MINUTE_IN_MS = 60_000

/** Writes notes of one person into the database of a server: “Note 001” is the one changed first, the last the newest. */
export async function insertNotes(server: TestServer, ownerEmail: string, count: number): Promise<void> {
  const began = Date.now() - count * MINUTE_IN_MS
  await query(
    server,
    `with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ?)
     insert into notes (id, owner_email, org_id, visibility, title, text, created_at, updated_at)
     select 'note-' || n, u.email, m.org_id, 'private', printf('Note %03d', n), 'The text of number ' || n, ?, ? + n * ?
     from numbers, users u join org_members m on m.user_id = u.id where u.email = ?`,
    [count, began, began, MINUTE_IN_MS, ownerEmail],
  )
}

/** The title of the n-th note of `insertNotes`. */
export const noteTitle = (number: number): string => `Note ${String(number).padStart(3, '0')}`
