import { createHmac } from 'node:crypto'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { verifyAuditLog } from '#fairway/server/domains/actions'
import { sealAuditLog } from '#fairway/server/domains/actions/audit/audit-chain'
import type { App } from '#fairway/server/kernel/app-context'
import { migrate } from '#fairway/server/kernel/database/migrate'
import { createTestApp, type TestApp } from '../../../../support/app'
import { migrationsUpTo, openEmptyDatabase, quietLog, type TestDatabase } from '../../../../support/database'
import { query } from '../../../../support/query'

const ID = '019f4f7e-52b1-7c3a-8d20-1f7a9b3c5d6e'
const BEFORE = '0012_identity'

let db: TestDatabase
let test: TestApp
let app: App

beforeEach(async () => {
  db = await openEmptyDatabase()
  await migrate(db, await migrationsUpTo(BEFORE), quietLog)
  test = await createTestApp()
  app = { ...test.app, db }
})
afterEach(async () => {
  await test.close()
  await db.close()
})

/** A row as it was written and chained before; gives its hash. */
async function oldRow(orgId: string | null, row: { action: string; input: string; seq: number; before: string }) {
  const { action, input, seq, before } = row
  const id = `019f4f7e-0000-7000-8000-00000000${orgId === null ? 'f' : 'a'}00${seq}`
  const at = 1_790_000_000_000 + seq
  const key = app.config.keys.current('audit-chain')
  const said = [before, seq, id, at, action, 'http', null, 'u1', 'ada@example.test', orgId, 'ok', null, 'r', input]
  const hash = `${key.id}.${createHmac('sha256', key.secret).update(JSON.stringify(said)).digest('base64')}`
  const chain = orgId ?? 'none'
  await query(
    { db },
    `insert into audit_log (id, at, action, caller, user_id, user_email, org_id, outcome, request_id, input, chain, seq, hash)
    values (?, ?, ?, 'http', 'u1', 'ada@example.test', ?, 'ok', 'r', ?, ?, ?, ?)`,
    [id, at, action, orgId, input, chain, seq, hash],
  )
  await query(
    { db },
    'insert into audit_heads values (?, ?, ?) on conflict (chain) do update set seq = excluded.seq, hash = excluded.hash',
    [chain, seq, hash],
  )
  return hash
}

const inputs = async () =>
  (await query({ db }, `select action, input from audit_log where caller <> 'system' order by id`)).map(row => [
    row.action,
    row.input === null ? null : JSON.parse(String(row.input)),
  ])

it('rows of before lose their texts and keep the rest, chained anew behind a note that names the old head', async () => {
  const note = { id: ID, title: 'My dismissal', pinned: true, count: 2, half: 0.5, none: null, day: '2026-11-22' }
  const more = { at: '2026-11-22T04:14:00.000Z', tags: ['mine'], part: { text: 'mine' }, near: '2026 was my year' }
  let head = await oldRow('org', {
    action: 'create-note',
    input: JSON.stringify({ ...note, ...more }),
    seq: 1,
    before: '',
  })
  head = await oldRow('org', { action: 'update-note', input: '{"text":"cut off in the mid', seq: 2, before: head })
  const role = { email: 'bob@example.test', role: 'admin' }
  head = await oldRow('org', { action: 'change-member-role', input: JSON.stringify(role), seq: 3, before: head })
  const lone = await oldRow(null, { action: 'create-note', input: '{"title":"Mine too"}', seq: 1, before: '' })
  await migrate(db, await migrationsUpTo(), quietLog)

  const blank = { title: '[text]', tags: '[text]', part: '[text]', near: '[text]' }
  expect(await inputs()).toEqual([
    ['create-note', { ...note, ...more, ...blank }],
    ['update-note', null],
    ['change-member-role', role],
    ['create-note', { title: '[text]' }],
  ])
  expect(JSON.stringify(await query({ db }, 'select * from audit_log'))).not.toMatch(/dismissal|mine|cut off/i)

  await sealAuditLog(app)
  const reports = await verifyAuditLog(app)
  expect(reports.map(({ chain, rows, faults }) => [chain, rows, faults])).toEqual([
    ['none', 2, []],
    ['org', 4, []],
  ])
  const notes = await query(
    { db },
    `select org_id, seq, action, user_id, input from audit_log where caller = 'system' order by org_id`,
  )
  expect(notes).toMatchObject([
    {
      org_id: null,
      seq: 2,
      action: 'chain-audit-log-anew',
      user_id: null,
      input: JSON.stringify({ rows: 1, head: lone }),
    },
    { org_id: 'org', seq: 4, action: 'chain-audit-log-anew', user_id: null, input: JSON.stringify({ rows: 3, head }) },
  ])
})

it('rows are append-only again afterwards', async () => {
  await oldRow('org', { action: 'create-note', input: '{}', seq: 1, before: '' })
  await migrate(db, await migrationsUpTo(), quietLog)
  await sealAuditLog(app)
  for (const statement of [`update audit_log set action = 'x'`, 'delete from audit_log']) {
    await expect(query({ db }, statement)).rejects.toThrow(/append-only/)
  }
})

it('an empty log stays empty', async () => {
  await migrate(db, await migrationsUpTo(), quietLog)
  expect(await query({ db }, 'select * from audit_log')).toEqual([])
})
