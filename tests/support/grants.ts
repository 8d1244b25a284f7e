import { randomUUID } from 'node:crypto'
import { query } from './query'
import type { TestServer } from './server'

/** A connection of a person in their first organization, as if a host had used it an hour ago; gives its id. */
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
