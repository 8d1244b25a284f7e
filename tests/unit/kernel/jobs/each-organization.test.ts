import { sql } from 'drizzle-orm'
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { defineJob, enqueue, type JobContext, team } from '#fw'
import { declareWork } from '#fairway/server/declare-work'
import fwTimeZones from '#fairway/server/jobs/fw-time-zones'
import { type App, createMemo } from '#fairway/server/kernel/app-context'
import { type JobEntry, queueJob, refreshTimeZones, runDueJobs } from '#fairway/server/kernel/jobs'
import { queueScheduled } from '#fairway/server/kernel/jobs/schedule'
import { query } from '../../../support/query'
import { useTestApp } from '../../../support/use-app'

const test = useTestApp()
let now: Date

const studios = sqliteTable('studios', {
  id: integer('id').primaryKey(),
  orgId: text('org_id').notNull(),
  timeZone: text('time_zone'),
})
const zones = new Map<string, string>()
const timeZone = ({ id }: { id: string }) => zones.get(id)

beforeEach(async () => {
  zones.clear()
  now = new Date('2031-05-20T00:00:00Z')
  await query(test.app, 'create table studios (id integer primary key, org_id text not null, time_zone text)')
  for (const id of ['larch', 'alder', 'birch']) await addOrganization(id)
})

const addOrganization = (id: string) =>
  query(test.app, 'insert into organizations (id, name, created_by, created_at) values (?, ?, ?, 0)', [id, id, 'ada'])
const close = (id: string) => query(test.app, 'update organizations set deleted_at = 1 where id = ?', [id])

type Options = Omit<Parameters<typeof defineJob>[0], 'description'>
const entryOf = (options: Partial<Options>, name = 'morning'): JobEntry => ({
  name,
  job: defineJob({ description: 'A job.', run: () => {}, ...options } as never),
})
/** A process on the same database, with the test's clock. */
const process = (...jobs: JobEntry[]): App => {
  const app = { ...test.app, memo: createMemo(), now: () => new Date(now) }
  declareWork(app, { jobs, mails: [], actions: async () => [] })
  return app
}
const runAt = (time: string, ...entries: JobEntry[]) => {
  now = new Date(time)
  return runDueJobs(process(...entries), entries)
}
/** The queued moments, each with the organizations or rows that it was queued for. */
const moments = async () => {
  const rows = await query(test.app, 'select tick, tick_of from fw_jobs where tick_of <> ? order by tick, tick_of', [
    '',
  ])
  const byTick = Map.groupBy(rows, ({ tick }) => new Date(Number(tick)).toISOString().slice(0, 16))
  return Object.fromEntries([...byTick].map(([tick, found]) => [tick, found.map(({ tick_of }) => tick_of)]))
}

describe('a schedule for each organization', () => {
  it('queues a job for each at a fixed time zone, in its organization', async () => {
    const seen: unknown[] = []
    const entry = entryOf({
      schedule: { cron: '0 7 * * *', each: 'organization', timeZone: 'Europe/Berlin' },
      run: (_input: unknown, { orgId, organization }: JobContext) => void seen.push({ orgId, organization }),
    })
    await runAt('2031-05-20T00:00:00Z', entry)
    expect(await runAt('2031-05-20T05:00:00Z', entry)).toHaveLength(3)
    expect(await moments()).toEqual({ '2031-05-20T05:00': ['alder', 'birch', 'larch'] })
    expect(seen).toContainEqual({ orgId: 'larch', organization: { id: 'larch', name: 'larch' } })
  })

  it('queues each moment once across several processes', async () => {
    const entry = entryOf({ schedule: { cron: '0 * * * *', each: 'organization' } })
    const apps = [process(entry), process(entry), process(entry)]
    for (const app of apps) await runDueJobs(app, [entry])
    for (const hour of ['01', '02', '03']) {
      now = new Date(`2031-05-20T${hour}:00:00Z`)
      const ran = await Promise.all(apps.map(app => runDueJobs(app, [entry])))
      expect(ran.flat()).toHaveLength(3)
    }
    expect(await query(test.app, 'select distinct state, attempts from fw_jobs')).toEqual([
      { state: 'done', attempts: 1 },
    ])
  })

  it('follows the clock of each organization', async () => {
    zones.set('larch', 'Europe/Berlin').set('alder', 'America/New_York')
    const entry = entryOf({ schedule: { cron: '0 7 * * *', each: 'organization', timeZone } })
    await runAt('2031-05-20T00:00:00Z', entry)
    for (let hour = 1; hour <= 23; hour++) await runAt(`2031-05-20T${String(hour).padStart(2, '0')}:00:00Z`, entry)
    expect(await moments()).toEqual({
      '2031-05-20T05:00': ['larch'],
      '2031-05-20T07:00': ['birch'],
      '2031-05-20T11:00': ['alder'],
    })
  })

  it.each([
    ['30 2 * * *', '2031-03-30', { '2031-03-30T01:00': ['larch'], '2031-03-30T06:30': ['alder'] }],
    ['30 2 * * *', '2031-10-26', { '2031-10-26T00:30': ['larch'], '2031-10-26T06:30': ['alder'] }],
    ['30 2 * * *', '2031-03-09', { '2031-03-09T01:30': ['larch'], '2031-03-09T07:00': ['alder'] }],
    ['30 1 * * *', '2031-11-02', { '2031-11-02T00:30': ['larch'], '2031-11-02T05:30': ['alder'] }],
  ])('has one moment on a day with a change of clocks: %s on %s', async (cron, day, expected) => {
    zones.set('larch', 'Europe/Berlin').set('alder', 'America/New_York')
    await close('birch')
    const entry = entryOf({ schedule: { cron, each: 'organization', timeZone } })
    await runAt(`${day}T00:00:00Z`, entry)
    for (let quarter = 1; quarter < 96; quarter++)
      await runAt(new Date(Date.parse(day) + quarter * 15 * 60_000).toISOString(), entry)
    expect(await moments()).toEqual(expected)
  })

  it('runs once after a downtime', async () => {
    const entry = entryOf({ schedule: { cron: '0 * * * *', each: 'organization' } })
    await runAt('2031-05-20T00:00:00Z', entry)
    expect(await runAt('2031-05-22T09:30:00Z', entry)).toHaveLength(3)
    expect(await runAt('2031-05-22T09:31:00Z', entry)).toEqual([])
  })

  it('skips the moment of an organization whose previous run has not ended', async () => {
    const entry = entryOf({ schedule: { cron: '0 * * * *', each: 'organization' } })
    await runAt('2031-05-20T00:00:00Z', entry)
    await test.app.db.orm
      .run(sql`insert into fw_jobs (id, name, input, state, run_at, key, most_attempts, created_at, lease_until)
      values ('x', 'morning', '{}', 'running', 0, 'schedule:larch', 1, 0, ${Date.parse('2032-01-01')})`)
    await runAt('2031-05-20T01:00:00Z', entry)
    expect(await moments()).toEqual({ '2031-05-20T01:00': ['alder', 'birch'] })
  })

  it('leaves out deleted organizations, and cancels a job whose organization is deleted before it runs', async () => {
    const entry = entryOf({
      schedule: { cron: '0 7 * * *', each: 'organization' },
      run: async () => void (await close('birch')),
    })
    await close('larch')
    await runAt('2031-05-20T00:00:00Z', entry)
    expect(await runAt('2031-05-20T07:00:00Z', entry)).toMatchObject([{ state: 'done' }, { state: 'cancelled' }])
    expect(await moments()).toEqual({ '2031-05-20T07:00': ['alder', 'birch'] })
  })

  it('queues more organizations than fit into one statement, once each', async () => {
    await query(
      test.app,
      `insert into organizations (id, name, created_by, created_at)
      select 'many-' || value, 'Many', 'ada', 0 from generate_series(1, 1200)`,
    )
    zones.set('larch', 'Europe/Berlin')
    const entry = entryOf({ schedule: { cron: '0 7 * * *', each: 'organization', timeZone } })
    const app = process(entry)
    await refreshTimeZones(app, [entry])
    for (const hour of ['00', '05', '07']) {
      now = new Date(`2031-05-20T${hour}:00:00Z`)
      await queueScheduled(app, [entry])
      await queueScheduled(process(entry), [entry])
    }
    expect(
      await query(app, 'select tick, count(*) as jobs, count(distinct org_id) as orgs from fw_jobs group by tick'),
    ).toEqual([
      { tick: Date.parse('2031-05-20T05:00:00Z'), jobs: 1, orgs: 1 },
      { tick: Date.parse('2031-05-20T07:00:00Z'), jobs: 1202, orgs: 1202 },
    ])
  })
})

describe('the time zone of an organization', () => {
  const schedule = (of: unknown) => ({ cron: '0 7 * * *', each: 'organization', timeZone: of }) as Options['schedule']

  it('comes from a function that reads the database', async () => {
    await query(test.app, `insert into studios values (1, 'larch', 'Asia/Tokyo')`)
    const entry = entryOf({
      schedule: {
        cron: '0 7 * * *',
        each: 'organization',
        timeZone: async ({ id }, { db }) => {
          const [studio] = await db.all<{ zone: string }>(
            sql`select time_zone as zone from studios where org_id = ${id}`,
          )
          return studio?.zone
        },
      },
    })
    await runAt('2031-05-20T00:00:00Z', entry)
    await runAt('2031-05-20T22:00:00Z', entry)
    expect(await moments()).toEqual({ '2031-05-20T07:00': ['alder', 'birch'], '2031-05-20T22:00': ['larch'] })
  })

  it('changes with the next answer, without a second job for a moment', async () => {
    zones.set('larch', 'Europe/Berlin')
    const entry = entryOf({ schedule: schedule(timeZone) })
    await runAt('2031-05-20T00:00:00Z', entry)
    await runAt('2031-05-20T05:00:00Z', entry)
    // Paris has the same time: the moment was queued already.
    zones.set('larch', 'Europe/Paris')
    await runAt('2031-05-20T05:00:30Z', entry)
    zones.set('larch', 'America/New_York')
    await runAt('2031-05-20T06:00:00Z', entry)
    await runAt('2031-05-20T11:00:00Z', entry)
    expect(await moments()).toEqual({
      '2031-05-20T05:00': ['larch'],
      '2031-05-20T07:00': ['alder', 'birch'],
      '2031-05-20T11:00': ['larch'],
    })
  })

  it('queues no missed moment of a clock that an organization returns to', async () => {
    await close('alder')
    await close('birch')
    const entry = entryOf({ schedule: schedule(timeZone) })
    for (const [zone, time] of [
      ['Europe/Berlin', '2031-05-20T00:00:00Z'],
      ['Asia/Tokyo', '2031-05-20T01:00:00Z'],
      ['Europe/Berlin', '2031-05-20T12:00:00Z'],
    ] as const) {
      zones.set('larch', zone)
      expect(await runAt(time, entry)).toEqual([])
    }
    await runAt('2031-05-21T05:00:00Z', entry)
    expect(await moments()).toEqual({ '2031-05-21T05:00': ['larch'] })
  })

  it('stays as it was where the function fails, and is UTC before the first answer', async () => {
    zones.set('larch', 'Europe/Berlin').set('alder', 'Nowhere/Land')
    const entry = entryOf({
      schedule: schedule(({ id }: { id: string }) => {
        if (now > new Date('2031-05-20T00:30:00Z')) throw new Error('The directory is away.')
        return zones.get(id)
      }),
    })
    await runAt('2031-05-20T00:00:00Z', entry)
    await runAt('2031-05-20T05:00:00Z', entry)
    await runAt('2031-05-20T07:00:00Z', entry)
    expect(await moments()).toEqual({ '2031-05-20T05:00': ['larch'], '2031-05-20T07:00': ['alder', 'birch'] })
    expect(
      test.lines().filter(({ message }) => message === 'the time zone of an organization is not known'),
    ).toContainEqual(expect.objectContaining({ job: 'morning', orgId: 'alder' }))
  })

  it('is asked for by one job of the platform, which a new schedule queues', async () => {
    const asked: string[] = []
    const entry = entryOf({ schedule: schedule(({ id }: { id: string }) => void asked.push(id)) })
    const job = { name: 'fw-time-zones', job: fwTimeZones }
    const app = process(entry, job)
    await queueScheduled(app, [entry, job])
    await runDueJobs(app, [job])
    expect(asked).toEqual(['alder', 'birch', 'larch'])
    await close('larch')
    await queueJob(app, app.db.orm, job, {})
    await runDueJobs(app, [job])
    expect(await query(app, 'select * from fw_job_zones')).toEqual(
      ['alder', 'birch'].map(org_id => ({ name: 'morning', org_id, time_zone: 'UTC' })),
    )
  })
})

describe('a schedule for each row', () => {
  const rowJob = (schedule: object, seen: unknown[] = []) =>
    entryOf({
      input: z.object({ rowId: z.int() }) as never,
      schedule: { cron: '0 7 * * *', each: studios, ...schedule },
      run: ({ rowId }: { rowId?: number }, { orgId }: JobContext) => void seen.push([rowId, orgId]),
    } as never)

  beforeEach(() =>
    query(
      test.app,
      `insert into studios values (1, 'larch', 'Europe/Berlin'), (2, 'larch', 'America/New_York'), (3, 'alder', null),
        (10, 'birch', 'nowhere'), (11, 'gone', 'Europe/Berlin')`,
    ),
  )

  it('follows the time zone of its column, with the id as input and the organization of the row', async () => {
    const seen: unknown[] = []
    const entry = rowJob({ timeZone: studios.timeZone }, seen)
    await runAt('2031-05-20T00:00:00Z', entry)
    for (const hour of ['05', '07', '11']) await runAt(`2031-05-20T${hour}:00:00Z`, entry)
    expect(await moments()).toEqual({
      '2031-05-20T05:00': ['1'],
      '2031-05-20T07:00': ['10', '3'],
      '2031-05-20T11:00': ['2'],
    })
    expect(seen).toEqual([
      [1, 'larch'],
      [3, 'alder'],
      [10, 'birch'],
      [2, 'larch'],
    ])
    expect(test.lines()).toContainEqual(
      expect.objectContaining({ message: 'unknown time zones count as UTC', job: 'morning', timeZones: ['nowhere'] }),
    )
  })

  it('can follow a fixed time zone, or that of its organization', async () => {
    zones.set('larch', 'Asia/Tokyo')
    const entries = [rowJob({ timeZone: 'Europe/Berlin' }), { ...rowJob({ timeZone }), name: 'evening' }]
    await runAt('2031-05-20T00:00:00Z', ...entries)
    for (const hour of ['05', '07', '22']) await runAt(`2031-05-20T${hour}:00:00Z`, ...entries)
    expect(await moments()).toEqual({
      '2031-05-20T05:00': ['1', '10', '2', '3'],
      '2031-05-20T07:00': ['10', '3'],
      '2031-05-20T22:00': ['1', '2'],
    })
  })

  it('does not keep other schedules from running where the table cannot be read', async () => {
    const broken = { ...rowJob({}), name: 'broken' }
    const entry = entryOf({ schedule: '0 7 * * *' })
    await runAt('2031-05-20T00:00:00Z', broken, entry)
    await query(test.app, 'drop table studios')
    expect(await runAt('2031-05-20T07:00:00Z', broken, entry)).toMatchObject([{ name: 'morning', state: 'done' }])
    expect(test.lines()).toContainEqual(
      expect.objectContaining({
        message: 'a schedule could not be read; it is tried again in a minute',
        job: 'broken',
      }),
    )
  })

  it.each([
    [{ cron: '0 7 * * *', timeZone: () => 'UTC' }, /requires `each`/],
    [{ cron: '0 7 * * *', each: 'organization', timeZone: studios.timeZone }, /one of the table/],
    [{ cron: '0 7 * * *', each: sqliteTable('plain', { id: text('id') }) }, /columns id and orgId/],
    [{ cron: '0 7 * * *', each: studios }, /rowId/],
  ])('is validated where it is declared', (schedule, fault) => {
    expect(() => entryOf({ schedule: schedule as never })).toThrow(fault)
  })
})

describe('the organization of a job', () => {
  beforeEach(async () => {
    for (const [id, role, joined] of [
      ['ada', 'owner', 1],
      ['ben', 'member', 2],
    ] as const) {
      await query(
        test.app,
        `insert into users (id, name, email, email_verified, kind, created_at, updated_at) values (?, ?, ?, 1, 'person', 0, 0)`,
        [id, id, `${id}@example.test`],
      )
      await query(test.app, `insert into org_members (org_id, user_id, role, joined_at) values ('larch', ?, ?, ?)`, [
        id,
        role,
        joined,
      ])
    }
  })
  const resultIn = async (orgId: string | null, run: Options['run']) => {
    const entry = entryOf({ run, retries: 0 })
    const app = process(entry)
    const id = await queueJob(app, app.db.orm, entry, {}, { orgId })
    await runDueJobs(app, [entry])
    const [row] = await query(app, 'select result, error from fw_jobs where id = ?', [id])
    return row?.result ? (JSON.parse(String(row.result)) as unknown) : row?.error
  }
  const ada = { userId: 'ada', name: 'ada', email: 'ada@example.test', role: 'owner', image: null }

  it('has members, all or those with a role', async () => {
    const result = await resultIn('larch', async (_input, { members }) => [
      await members(),
      await members({ roles: ['owner'] }),
    ])
    expect(result).toEqual([
      [ada, { ...ada, userId: 'ben', name: 'ben', email: 'ben@example.test', role: 'member' }],
      [ada],
    ])
  })

  it('is null without one and after it was deleted, and then has no members', async () => {
    const run: Options['run'] = async (_input, { organization, members }) => [organization, await members()]
    expect(await resultIn(null, run)).toEqual([null, []])
    await close('birch')
    expect(await resultIn('birch', run)).toEqual([null, []])
  })

  it('is that of `team` and of the jobs that it queues', async () => {
    const members = await resultIn('larch', () => team.members({ search: 'ada', page: 1, itemsPerPage: 10 }))
    expect(members).toMatchObject({ totalItems: 1, members: [{ userId: 'ada' }] })
    await resultIn('larch', (_input, { db }) =>
      enqueue(db, 'morning' as never, {} as never, { at: new Date('2040-01-01') }),
    )
    expect(await query(test.app, `select org_id from fw_jobs where state = 'scheduled'`)).toEqual([{ org_id: 'larch' }])
    expect(await resultIn('larch', () => team.invite([]))).toContain('as a person')
  })
})
