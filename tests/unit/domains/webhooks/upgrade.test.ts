import { expect, it } from 'vitest'
import { migrateAll } from '#fairway/server/kernel/database/migrate'
import { platformMigrations, quietLog } from '../../../support/database'
import { useEmptyDatabase } from '../../../support/use-app'

const db = useEmptyDatabase()

it('the migration queues events that were not queued, and a job for each waiting delivery', async () => {
  const platform = await platformMigrations()
  const isBefore = ({ name }: { name: string }) => name < '0008'
  await migrateAll(db, { platform: platform.filter(isBefore), application: [] }, quietLog)
  const webhook = (id: string, orgId: string | null, types: string[], state = 'on') =>
    db.client.execute({
      sql: `insert into fw_webhooks (id, org_id, url, types, state, secret, audit_seq, event_place, event_id, created_at)
        values (?, ?, 'https://example.com/', ?, ?, 's', 1, 1, 'e1', 0)`,
      args: [id, orgId, JSON.stringify(types), state],
    })
  await webhook('of one', 'one', ['audit.invite-members', 'security.token-*'])
  await webhook('of all', null, ['*'])
  await webhook('off', 'one', ['*'], 'off')
  for (const [seq, action] of ['create-note', 'invite-member', 'create-note'].entries())
    await db.client.execute({
      sql: `insert into audit_log (id, at, action, caller, org_id, outcome, request_id, chain, seq)
        values (?, ?, ?, 'http', 'one', 'ok', 'r', 'one', ?)`,
      args: [`a${seq + 1}`, seq, action, seq + 1],
    })
  for (const [at, orgId] of ['one', 'one', 'two'].entries())
    await db.client.execute({
      sql: `insert into security_events (id, at, kind, org_id, reason) values (?, ?, 'token-made', ?, '')`,
      args: [`e${at + 1}`, at, orgId],
    })
  await db.client.execute(`insert into fw_webhook_deliveries
    (id, webhook_id, event_id, source, type, event_at, state, tries, next_try_at, queued_at)
    values ('waits', 'of one', 'a0', 'audit', 'audit.x', 0, 'pending', 3, 5000, 0), ('sent', 'of one', 'a', 'audit', 'audit.x', 0, 'sent', 1, null, 0)`)

  await migrateAll(db, { platform, application: [] }, quietLog)
  const { rows } = await db.client.execute(`select d.webhook_id as webhook, d.event_id as event, d.state, d.tries,
    (select j.run_at = d.next_try_at from fw_jobs j where j.input ->> '$.deliveryId' = d.id) as hasJob
    from fw_webhook_deliveries d order by webhook, event`)
  expect(rows.map(row => ({ ...row }))).toEqual([
    { webhook: 'of all', event: 'e2', state: 'pending', tries: 0, hasJob: 1 },
    { webhook: 'of all', event: 'e3', state: 'pending', tries: 0, hasJob: 1 },
    { webhook: 'of one', event: 'a', state: 'sent', tries: 1, hasJob: null },
    { webhook: 'of one', event: 'a0', state: 'pending', tries: 3, hasJob: 1 },
    { webhook: 'of one', event: 'a2', state: 'pending', tries: 0, hasJob: 1 },
    { webhook: 'of one', event: 'e2', state: 'pending', tries: 0, hasJob: 1 },
  ])
})
