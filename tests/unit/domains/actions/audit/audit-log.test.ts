import { requireOrg } from '#fairway/server/domains/organizations'
import { beforeEach, describe, expect, it } from 'vitest'
import { exportAuditLog, listAuditLog, recordAudit, verifyAuditLog } from '#fairway/server/domains/actions'
import { sealAuditLog } from '#fairway/server/domains/actions/audit/audit-chain'
import type { App } from '#fairway/server/kernel/app-context'
import { withRun } from '#fairway/server/kernel/current-run'
import type { Session } from '#fairway/shared/schemas/session'
import { useTestApp } from '../../../../support/use-app'
import { withLatency } from '../../../../support/database-slow'
import { aMember, addTo, sessionNow } from '../../../../support/members'
import { query } from '../../../../support/query'
import { OTHER_SECRET, SECRET } from '../../../../support/secrets'

const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:128.0) Gecko/20100101 Firefox/128.0'

const test = useTestApp()
let app: App
let ada: Session

beforeEach(async () => {
  app = test.app
  ada = await aMember(app)
})

async function record(times: number, session: Session | null = ada) {
  for (let index = 0; index < times; index++) {
    const input = { index }
    await recordAudit(app, {
      action: `step-${index}`,
      caller: 'http',
      session,
      requestId: 'r',
      input,
      keeps: ['index'],
    })
  }
}

/** Changes rows as an attacker with direct access to the database would. */
async function tamper(...statements: string[]) {
  await app.db.client.batch(
    ['drop trigger audit_log_no_update', 'drop trigger audit_log_no_delete', ...statements],
    'write',
  )
}
const faults = async () => (await verifyAuditLog(app)).flatMap(report => report.faults)

describe('audit log', () => {
  it('chains rows per organization and verifies without faults', async () => {
    const eve = await aMember(app)
    await record(3)
    await record(2, eve)
    await record(1, { ...ada, orgId: null })
    await sealAuditLog(app)
    const reports = await verifyAuditLog(app)
    expect(reports.map(({ chain, rows }) => [chain, rows]).toSorted()).toEqual(
      [
        [ada.orgId, 3],
        [eve.orgId, 2],
        ['none', 1],
      ].toSorted(),
    )
    expect(await faults()).toEqual([])
  })

  it('chains each row once when several instances seal it concurrently', async () => {
    for (let round = 0; round < 4; round++) {
      await record(20)
      const instances = [withLatency(app), withLatency(app), withLatency(app)]
      await Promise.all([...instances.map(instance => sealAuditLog(instance)), record(5)])
      await sealAuditLog(app)
    }
    expect(await verifyAuditLog(app)).toMatchObject([{ rows: 100, faults: [] }])
  })

  it.each([
    ['changed', `update audit_log set outcome = 'ok', action = 'nothing' where seq = 2`, /row 2 .* was changed/],
    ['re-attributed', `update audit_log set user_email = 'eve@example.test' where seq = 3`, /row 3 .* was changed/],
    ['counted up', `update audit_log set times = 9 where seq = 3`, /row 3 .* was changed/],
    ['deleted in the middle', 'delete from audit_log where seq = 2', /rows 2 to 2 are missing/],
    ['deleted at the end', 'delete from audit_log where seq = 5', /rows 5 to 5 are missing at the end/],
  ])('detects a row that was %s', async (_how, statement, fault) => {
    await record(5)
    await sealAuditLog(app)
    await tamper(statement)
    expect((await faults())[0]).toMatch(fault)
  })

  it('rejects updates and deletions of chained rows', async () => {
    await record(1)
    await sealAuditLog(app)
    for (const statement of [`update audit_log set action = 'x'`, 'delete from audit_log']) {
      await expect(query(app, statement)).rejects.toThrow(/append-only/)
    }
  })

  it('verifies after a secret rotation, and reports an unknown secret when the old one is missing', async () => {
    await record(2)
    await sealAuditLog(app)
    const { createKeyRing } = await import('#fairway/server/kernel/crypto/seal')
    const rotated = { ...app, config: { ...app.config, keys: createKeyRing([OTHER_SECRET, SECRET]) } }
    expect((await verifyAuditLog(rotated)).flatMap(report => report.faults)).toEqual([])
    const lost = { ...app, config: { ...app.config, keys: createKeyRing([OTHER_SECRET]) } }
    expect((await verifyAuditLog(lost))[0]?.faults[0]).toMatch(/secret that is not known/)
  })

  it('lets owners of the organization list, filter and export it, and denies members', async () => {
    const member = await aMember(app)
    await addTo(app, ada, member, 'member')
    await query(app, 'delete from org_members where user_id = ? and org_id <> ?', [member.userId, ada.orgId])
    await record(3)
    const page = await listAuditLog(app, requireOrg(ada, 'read-audit-log'), { page: 1, itemsPerPage: 2 })
    expect(page).toMatchObject({ totalItems: 3, entries: [{ action: 'step-2' }, { action: 'step-1' }] })
    expect(
      await listAuditLog(app, requireOrg(ada, 'read-audit-log'), { page: 1, itemsPerPage: 9, action: 'step-1' }),
    ).toMatchObject({
      totalItems: 1,
    })
    const csv = (
      await Array.fromAsync(exportAuditLog(app, requireOrg(ada, 'read-audit-log'), { format: 'csv' }).text)
    ).join('')
    expect(csv.split('\r\n')[1]).toContain('step-0')
    const theirs = await sessionNow(app, member)
    expect(() => requireOrg(theirs, 'read-audit-log')).toThrow(expect.objectContaining({ code: 'forbidden' }))
  })

  it('keeps the address and the device of a call within the chain, apart from its input', async () => {
    const run = { app, session: ada, clientAddress: '192.0.2.7', userAgent: FIREFOX }
    await withRun(run, () => record(2))
    await record(1)
    await sealAuditLog(app)
    expect(await faults()).toEqual([])
    const { entries } = await listAuditLog(app, requireOrg(ada, 'read-audit-log'), { page: 1, itemsPerPage: 10 })
    expect(entries.map(({ input, clientAddress, device }) => [input, clientAddress, device])).toEqual([
      ['{"index":0}', null, null],
      ['{"index":1}', '192.0.2.7', 'Firefox on Windows'],
      ['{"index":0}', '192.0.2.7', 'Firefox on Windows'],
    ])
    await tamper(`update audit_log set input = replace(input, '192.0.2.7', '192.0.2.8')`)
    expect(await faults()).not.toEqual([])
  })

  it('finds rows by words of their action, their person, their input and their address', async () => {
    const run = { app, session: ada, clientAddress: '192.0.2.7' }
    await record(2)
    await withRun(run, () => record(1))
    const found = async (search: string) => {
      const paging = { page: 1, itemsPerPage: 10 }
      return (await listAuditLog(app, requireOrg(ada, 'read-audit-log'), { ...paging, search })).totalItems
    }
    expect(await found('STEP 1')).toBe(1)
    expect(await found('step-0')).toBe(2)
    expect(await found(ada.email)).toBe(3)
    expect(await found('192.0.2')).toBe(1)
    expect(await found('"index":1')).toBe(1)
    expect(await found('%')).toBe(0)
  })

  it('counts chained and unchained rows in the total', async () => {
    const eve = await aMember(app)
    const totalOf = async (session: Session) =>
      (await listAuditLog(app, requireOrg(session, 'read-audit-log'), { page: 1, itemsPerPage: 1 })).totalItems
    expect(await totalOf(ada)).toBe(0)
    await record(3)
    await record(1, eve)
    expect([await totalOf(ada), await totalOf(eve)]).toEqual([3, 1])
    await sealAuditLog(app)
    await record(2)
    expect([await totalOf(ada), await totalOf(eve)]).toEqual([5, 1])
  })

  it('exports each row once when many rows have the same timestamp', async () => {
    await query(
      app,
      `insert into audit_log (id, at, action, caller, org_id, outcome, request_id)
        with recursive n(i) as (select 1 union all select i + 1 from n where i < 1200)
        select printf('row-%04d', i), 1000 + i / 700, 'step-' || i, 'http', ?, 'ok', 'r' from n`,
      [ada.orgId],
    )
    const lines = (
      await Array.fromAsync(exportAuditLog(app, requireOrg(ada, 'read-audit-log'), { format: 'jsonl' }).text)
    )
      .join('')
      .trimEnd()
      .split('\n')
    const ids = lines.map(line => JSON.parse(line).id)
    expect(ids).toHaveLength(1200)
    expect(ids).toEqual([...new Set(ids)].toSorted())
  })
})
