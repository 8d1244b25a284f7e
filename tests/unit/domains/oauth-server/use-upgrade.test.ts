import { expect, it } from 'vitest'
import { migrateAll } from '#fairway/server/kernel/database/migrate'
import { platformMigrations, quietLog } from '../../../support/database'
import { useEmptyDatabase } from '../../../support/use-app'

const db = useEmptyDatabase()

it('the migration takes the last use of earlier connections from their rows and the audit log', async () => {
  const platform = await platformMigrations()
  const last = platform.findIndex(({ name }) => name.endsWith('grant_use'))
  await migrateAll(db, { platform: platform.slice(0, last), application: [] }, quietLog)
  const grant = (id: string, scope: string, mayDelete: number) =>
    db.client.execute({
      sql: `insert into oauth_grants (id, client_id, client_name, user_id, email, org_id, scope, may_delete, resource, created_at, last_used_at, expires_at)
        values (?, ?, 'x', 'ada', 'ada@example.test', 'larch', ?, ?, '', 0, 90, 9e12)`,
      args: [id, id, scope, mayDelete],
    })
  await grant('reads', 'mcp:read', 1)
  await grant('writes', 'mcp:read mcp:write', 0)
  await grant('deletes', 'mcp:read mcp:write', 1)
  await grant('operates', 'mcp:read operator', 1)
  for (const via of ['writes', 'deletes', 'other'])
    await db.client.execute({
      sql: `insert into audit_log (id, at, action, caller, via, user_id, org_id, outcome, request_id)
        values (?, 70, 'create-note', 'mcp', ?, 'ada', 'larch', 'ok', 'r')`,
      args: [via, via],
    })
  await migrateAll(db, { platform, application: [] }, quietLog)
  const { rows } = await db.client.execute(
    'select id, read_at, written_at, deleted_at, operated_at from oauth_grants order by id',
  )
  expect(rows.map(row => Array.from({ length: 5 }, (_, column) => row[column]))).toEqual([
    ['deletes', 90, 70, 70, null],
    ['operates', 90, null, null, 90],
    ['reads', 90, null, null, null],
    ['writes', 90, 70, null, null],
  ])
})
