import { requireOrg } from '#fairway/server/domains/organizations'
import { beforeEach, describe, expect, it } from 'vitest'
import { listAuditLog, recordAudit, verifyAuditLog } from '#fairway/server/domains/actions'
import { sealAuditLog } from '#fairway/server/domains/actions/audit/audit-chain'
import type { App } from '#fairway/server/kernel/app-context'
import { AppError } from '#fairway/server/kernel/http/app-error'
import type { Session } from '#fairway/shared/schemas/session'
import { useTestApp } from '../../../../support/use-app'
import { withLatency } from '../../../../support/database-slow'
import { aMember } from '../../../../support/members'
import { query } from '../../../../support/query'

const HOUR_IN_MS = 3_600_000

const test = useTestApp()
let app: App
let ada: Session
let time: { now: number }

beforeEach(async () => {
  // The middle of an hour, so that a slow run stays within it.
  time = { now: Date.UTC(2026, 10, 22, 10, 30) }
  app = { ...test.app, now: () => new Date(time.now) }
  ada = await aMember(app)
})

interface Denial {
  action?: string
  session?: Session
  code?: 'forbidden' | 'conflict'
  at?: App
}

async function refuse(times: number, { action = 'purge', session = ada, code = 'forbidden', at = app }: Denial = {}) {
  const entry = { action, caller: 'http' as const, session, requestId: 'r', input: { id: 1 }, keeps: ['id'] }
  await Promise.all(Array.from({ length: times }, () => recordAudit(at, { ...entry, error: new AppError(code) })))
}

const rows = () => query(app, 'select action, times, input, seq from audit_log order by rowid')
const counts = async () => (await rows()).map(row => [row.action, row.times])
const seal = () => sealAuditLog(app)
const faults = async () => (await verifyAuditLog(app)).flatMap(report => report.faults)

describe('repeated denials of one person', () => {
  it('are stored as the first denial and one row that counts the others of the hour', async () => {
    await refuse(1)
    expect(await rows()).toMatchObject([{ action: 'purge', times: 1, input: '{"id":1}' }])
    for (let again = 0; again < 4; again++) await refuse(1)
    expect(await counts()).toEqual([
      ['purge', 1],
      ['purge', 4],
    ])
    const { entries } = await listAuditLog(app, requireOrg(ada, 'read-audit-log'), { page: 1, itemsPerPage: 9 })
    expect(entries.map(({ times, outcome }) => [times, outcome])).toEqual([
      [4, 'denied'],
      [1, 'denied'],
    ])
  })

  it('are all counted when forty arrive concurrently at several instances', async () => {
    const instances = [withLatency(app), withLatency(app)]
    await Promise.all(instances.map(at => refuse(20, { at })))
    expect(await counts()).toEqual([
      ['purge', 1],
      ['purge', 39],
    ])
  })

  it('are counted per person, action and hour, and other errors are not merged', async () => {
    await refuse(2)
    await refuse(2, { action: 'publish' })
    await refuse(2, { session: await aMember(app) })
    await refuse(2, { code: 'conflict' })
    time.now += HOUR_IN_MS
    await refuse(2)
    const all = await counts()
    expect(all).toHaveLength(10)
    expect(all.every(([, times]) => times === 1)).toBe(true)
  })

  it('are chained after their hour ends, and verify without faults', async () => {
    await refuse(6)
    await seal()
    expect((await rows()).map(row => [row.times, row.seq])).toEqual([
      [1, 1],
      [5, null],
    ])
    await refuse(3)
    time.now += HOUR_IN_MS / 4
    expect(await faults()).toEqual([])
    time.now += HOUR_IN_MS / 2
    await seal()
    expect((await rows()).map(row => [row.times, row.seq])).toEqual([
      [1, 1],
      [8, 2],
    ])
    expect(await faults()).toEqual([])
  })

  it('are reported as missing when they are not chained after their hour', async () => {
    await refuse(6)
    await seal()
    time.now += HOUR_IN_MS
    expect(await faults()).toEqual(['1 rows are not chained'])
  })

  it('get separate rows when an instance with a slow clock records them after chaining', async () => {
    const late = { ...app, now: () => new Date(Date.UTC(2026, 10, 22, 10, 59)) }
    await refuse(4, { at: late })
    time.now += HOUR_IN_MS
    await seal()
    await refuse(2, { at: late })
    await seal()
    expect((await rows()).map(row => [row.times, row.seq])).toEqual([
      [1, 1],
      [3, 2],
      [1, 3],
      [1, 4],
    ])
    expect(await faults()).toEqual([])
  })

  it('are all counted and verified when an instance with a slow clock counts while another one chains', async () => {
    const late = withLatency({ ...app, now: () => new Date(Date.UTC(2026, 10, 22, 10, 59)) })
    for (let round = 0; round < 5; round++) {
      const action = `purge-${round}`
      await refuse(2, { action, at: late })
      time.now = Date.UTC(2026, 10, 22, 11, 1)
      await Promise.all([refuse(10, { action, at: late }), sealAuditLog(withLatency(app))])
      await seal()
      const told = await query(
        app,
        'select sum(times) as n, max(seq is null) as open from audit_log where action = ?',
        [action],
      )
      expect(told).toMatchObject([{ n: 12, open: 0 }])
    }
    expect(await faults()).toEqual([])
  })
})
