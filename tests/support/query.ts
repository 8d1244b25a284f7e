import { randomUUID } from 'node:crypto'
import { createClient, type InValue, type Row } from '@libsql/client'
import type { App } from '#fairway/server/kernel/app-context'
import type { TestServer } from './server'
import { databaseOf } from './server'

type Place = Pick<App, 'db'> | Pick<TestServer, 'dataDir'>

/** Runs one statement on the database of an app or a test's server; returns its rows. Only a server uses the lock timeout. */
export async function query(place: Place, sql: string, args: InValue[] = [], lockLimitInMs = 5000): Promise<Row[]> {
  if ('db' in place) return (await place.db.client.execute({ sql, args })).rows
  const client = createClient({ url: databaseOf(place), timeout: lockLimitInMs })
  try {
    return (await client.execute({ sql, args })).rows
  } finally {
    client.close()
  }
}

/** Confirms an account's address, as the mailed link does. A static token requires a confirmed address. */
export const confirmAddress = (place: Place, email: string): Promise<Row[]> =>
  query(place, 'update users set email_verified = 1 where email = ?', [email])

/** Makes all sessions older than what counts as a recent sign-in. */
export const ageSessions = (place: Place): Promise<Row[]> =>
  query(place, 'update sessions set created_at = created_at - 960000')

/** The number of rows in a table; a condition may follow the table's name. */
export async function countRows(place: Place, from: string, args: InValue[] = []): Promise<number> {
  const [row] = await query(place, `select count(*) as n from ${from}`, args)
  return Number(row?.n)
}

/** Adds a person's connection in their first organization, used by a host one hour ago; returns its id. */
export async function addGrant(
  server: TestServer,
  { email, clientName, clientId = randomUUID() }: { email: string; clientName: string; clientId?: string },
): Promise<string> {
  const id = randomUUID()
  const hourAgo = Date.now() - 3_600_000
  await query(
    server,
    `insert into oauth_grants (id, client_id, client_name, user_id, email, org_id, scope, resource, created_at, last_used_at, expires_at)
     select ?, ?, ?, u.id, u.email, (select m.org_id from org_members m where m.user_id = u.id limit 1),
       'mcp:read mcp:write offline_access', ?, ?, ?, ?
     from users u where u.email = ?`,
    [id, clientId, clientName, `${server.origin}/mcp`, hourAgo, hourAgo, Date.now() + 90 * 86_400_000, email],
  )
  return id
}

const MINUTE_IN_MS = 60_000

/** Inserts notes of one person into a server's database, ordered by change time: “Note 001” is the oldest. */
export async function insertNotes(server: TestServer, ownerEmail: string, count: number): Promise<void> {
  const began = Date.now() - count * MINUTE_IN_MS
  await query(
    server,
    `with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ?)
     insert into notes (id, owner_email, org_id, visibility, title, text, created_at, updated_at)
     select 'note-' || n, u.email, (select m.org_id from org_members m where m.user_id = u.id), 'private',
       printf('Note %03d', n), 'The text of number ' || n, ?, ? + n * ?
     from numbers, users u where u.email = ?`,
    [count, began, began, MINUTE_IN_MS, ownerEmail],
  )
}

/** The title of the n-th note of `insertNotes`. */
export const noteTitle = (number: number): string => `Note ${String(number).padStart(3, '0')}`
