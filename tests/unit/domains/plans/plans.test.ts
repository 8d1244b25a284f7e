import { sql } from 'drizzle-orm'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { entitled, endPlans, keepLimits, setPlan, showPlan } from '#fairway/server/domains/plans'
import type { App } from '#fairway/server/kernel/app-context'
import { defineFwConfig, type FwConfigInput } from '#fairway/server/kernel/config/fw-config'
import { withRun } from '#fairway/server/kernel/current-run'
import type { AppError } from '#fairway/server/kernel/http/app-error'
import type { Session } from '#fairway/shared/schemas/session'
import { createTestApp } from '../../../support/app'
import { shareTestApp } from '../../../support/use-app'
import { startSqld } from '../../../support/database-sqld'
import { withLatency } from '../../../support/database-slow'

const plans = {
  limits: {
    deals: { counts: 'deals', title: 'Deals' },
    seats: { counts: 'org_members', title: 'Members' },
  },
  features: { export: 'Export as CSV' },
  plans: {
    free: { title: 'Free', limits: { deals: 3, seats: 2 } },
    pro: { title: 'Pro', price: '€20 a month', limits: { deals: 10 }, features: ['export'] },
    scale: { title: 'Scale', features: ['export'] },
  },
  default: 'free',
  upgradeUrl: '/pricing',
} satisfies FwConfigInput['plans']

const TABLE = `create table if not exists deals (id integer primary key, org_id text, title text, created_by text_creator,
  company text references companies (id) on delete set null)`

const test = shareTestApp({}, { plans })
let app: App
beforeAll(async () => {
  app = test.app
  await setUp(app)
})

async function setUp(on: App): Promise<void> {
  await on.db.client.execute('create table if not exists companies (id text primary key)')
  await on.db.client.execute(TABLE)
  await keepLimits(on)
}

let orgId = ''
let orgs = 0
beforeEach(async () => {
  orgId = await createOrg(app)
})

async function createOrg(on: App): Promise<string> {
  const id = `org-${++orgs}`
  await on.db.client.execute({
    sql: 'insert into organizations (id, name, created_by, created_at) values (?, ?, ?, ?)',
    args: [id, id, 'ada', on.now().getTime()],
  })
  return id
}

const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'done',
    (error: AppError) => error.code ?? String(error),
  )

const add = (on = app, org = orgId, title = 'a deal') =>
  on.db.orm.run(sql`insert into deals (org_id, title, created_by) values (${org}, ${title}, 'ada@example.test')`)
const change = () => app.db.orm.run(sql`update deals set title = 'other' where org_id = ${orgId}`)
const fill = async (count: number) => {
  for (let n = 0; n < count; n++) await add()
}

const sessionOf = (org: string) =>
  ({ userId: 'ada', email: 'ada@example.test', orgId: org, orgRole: 'owner' }) as unknown as Session
const ask = (guard: ReturnType<typeof entitled>, on = app, org = orgId) =>
  withRun({ app: on, session: sessionOf(org) }, () => guard({ session: sessionOf(org), orgId: org }))
const give = (plan: string, until?: Date) =>
  withRun({ app, session: null }, () => setPlan(app.db.orm, orgId, plan, { until }))
const rowsOf = async (text: string) => (await app.db.client.execute({ sql: text, args: [orgId] })).rows
const events = async () =>
  (await rowsOf(`select caller, input from audit_log where action = 'set-plan' and org_id = ? order by id`)).map(
    ({ caller, input }) => [caller, JSON.parse(String(input)).plan],
  )

describe('a limit', () => {
  it('applies to every write, but not to rows without an organization', async () => {
    await fill(3)
    expect(await codeOf(add())).toBe('plan-limit')
    const many = sql`insert into deals (org_id, title) select ${orgId}, value from json_each('[1,2]')`
    expect(await codeOf(app.db.orm.transaction(async tx => tx.run(many)))).toBe('plan-limit')
    expect(await codeOf(app.db.orm.run(sql`insert into deals (org_id, title) values (null, 'private')`))).toBe('done')
    expect(await rowsOf('select id from deals where org_id = ?')).toHaveLength(3)
  })

  it('returns 403 with the limit, plan, maximum and upgrade URL when it is reached', async () => {
    await fill(3)
    const error = (await add().catch((thrown: unknown) => thrown)) as AppError
    expect(error).toMatchObject({
      status: 403,
      detail: 'Deals: 3 of 3 on the plan Free. Pro has 10.',
      extra: {
        limit: 'deals',
        plan: 'free',
        max: 3,
        next: { plan: 'pro', title: 'Pro', max: 10 },
        upgradeUrl: '/pricing',
      },
    })
    const asked = (await ask(entitled('deals')).catch((thrown: unknown) => thrown)) as AppError
    expect(asked).toMatchObject({
      detail: 'Deals: 3 of 3 on the plan Free. Pro has 10.',
      extra: {
        limit: 'deals',
        limitTitle: 'Deals',
        plan: 'free',
        planTitle: 'Free',
        max: 3,
        used: 3,
        upgradeUrl: '/pricing',
      },
    })
  })

  it('allows replacing a row at the maximum, and adding one after a deletion', async () => {
    await fill(3)
    const [row] = await rowsOf('select id from deals where org_id = ? limit 1')
    const replace = sql`insert into deals (id, org_id, title) values (${row!.id}, ${orgId}, 'new')
      on conflict (id) do update set title = excluded.title`
    expect(await codeOf(app.db.orm.run(replace))).toBe('done')
    await app.db.orm.run(sql`delete from deals where id = ${row!.id}`)
    expect(await codeOf(add())).toBe('done')
  })

  it('includes the rows that the call adds when the guard checks it', async () => {
    await fill(1)
    expect(await codeOf(ask(entitled('deals', { adding: 2 })))).toBe('done')
    expect(await codeOf(ask(entitled('deals', { adding: 3 })))).toBe('plan-limit')
  })

  it('is unlimited when the plan does not set it', async () => {
    await give('scale')
    await fill(11)
    expect(await codeOf(ask(entitled('deals')))).toBe('done')
  })

  it('is never exceeded by concurrent requests on two instances with a slow database', async () => {
    const sqld = await startSqld()
    const instances = [
      await createTestApp({ DATABASE_URL: sqld.url }, { plans }),
      await createTestApp({ DATABASE_URL: sqld.url }, { plans }),
    ]
    await setUp(instances[0]!.app)
    const org = await createOrg(instances[0]!.app)
    const outcomes = await Promise.all(
      Array.from({ length: 12 }, async (_, n) => {
        const slow = withLatency(instances[n % 2]!.app)
        await ask(entitled('deals'), slow, org).catch(() => {})
        return codeOf(add(slow, org))
      }),
    )
    expect(outcomes.toSorted()).toEqual([...Array<string>(3).fill('done'), ...Array<string>(9).fill('plan-limit')])
    for (const each of instances) await each.close()
    await sqld.stop()
  })
})

describe('a smaller plan', () => {
  it('keeps rows above its limit, which can only be read or deleted until they fit', async () => {
    await give('pro')
    await fill(5)
    await give('free')
    expect(await codeOf(add())).toBe('plan-limit')
    expect(await codeOf(change())).toBe('plan-read-only')
    expect(await rowsOf('select id from deals where org_id = ?')).toHaveLength(5)
    await app.db.orm.run(sql`delete from deals where id in (select id from deals where org_id = ${orgId} limit 2)`)
    expect(await codeOf(change())).toBe('done')
    expect(await codeOf(add())).toBe('plan-limit')
  })

  it('still allows clearing the creator and the references of rows', async () => {
    await give('pro')
    await app.db.orm.run(sql`insert into companies (id) values (${orgId})`)
    await fill(5)
    await app.db.orm.run(sql`update deals set company = ${orgId} where org_id = ${orgId}`)
    await give('free')
    expect(await codeOf(app.db.orm.run(sql`update deals set created_by = null where org_id = ${orgId}`))).toBe('done')
    expect(await codeOf(app.db.orm.run(sql`delete from companies where id = ${orgId}`))).toBe('done')
  })
})

describe('seats', () => {
  const join = (userId: string) =>
    app.db.orm.run(
      sql`insert into org_members (org_id, user_id, role, joined_at) values (${orgId}, ${userId}, 'member', 0)`,
    )
  const invite = (email: string, expiresAt = Date.now() + 60_000) =>
    app.db.orm
      .run(sql`insert into org_invitations (id, org_id, email, role, invited_by, status, token_hash, expires_at, created_at)
      values (${`${orgId}${email}`}, ${orgId}, ${email}, 'member', 'ada', 'pending', '', ${expiresAt}, 0)`)

  it('count members and open invitations', async () => {
    await join('ada')
    await invite('old@example.test', 1000)
    expect(await codeOf(invite('ben@example.test'))).toBe('done')
    expect(await codeOf(invite('eve@example.test'))).toBe('plan-limit')
    const { plan } = { plan: await showPlan(app, orgId) }
    expect(plan?.limits.find(({ name }) => name === 'seats')).toEqual({
      name: 'seats',
      title: 'Members',
      used: 2,
      max: 2,
    })
  })

  it('are checked when a person joins, but not when a deleted organization is restored', async () => {
    await join('ada')
    await join('ben')
    expect(await codeOf(join('eve'))).toBe('plan-limit')
    await app.db.orm.run(
      sql`insert into fw_suspended_members (org_id, user_id, role, joined_at) values (${orgId}, 'eve', 'member', 0)`,
    )
    expect(await codeOf(join('eve'))).toBe('done')
  })
})

describe('a feature', () => {
  it('returns 403 unless the plan includes it', async () => {
    const error = (await ask(entitled('export')).catch((thrown: unknown) => thrown)) as AppError
    expect(error).toMatchObject({
      code: 'plan-feature',
      status: 403,
      extra: { feature: 'export', plan: 'free', upgradeUrl: '/pricing' },
    })
    await give('pro')
    expect(await codeOf(ask(entitled('export')))).toBe('done')
  })

  it('throws an error when it is not declared', async () => {
    await expect(ask(entitled('exports'))).rejects.toThrow('no limit and no feature "exports"')
  })

  it('returns unauthenticated without a session and an organization', async () => {
    const asked = withRun({ app, session: null }, () => entitled('export')({ session: null, orgId: null }))
    expect(await codeOf(asked)).toBe('unauthenticated')
  })
})

describe('setPlan', () => {
  it('records one event per change, but none for the same plan or a rollback', async () => {
    expect([await give('pro'), await give('pro'), await give('scale')]).toEqual([true, false, true])
    const rolledBack = app.db.orm.transaction(async tx => {
      await withRun({ app, session: null }, () => setPlan(tx, orgId, 'free'))
      throw new Error('no')
    })
    await rolledBack.catch(() => {})
    expect(await events()).toEqual([
      ['http', 'pro'],
      ['http', 'scale'],
    ])
    expect((await showPlan(app, orgId))?.name).toBe('scale')
  })

  it('refuses an unknown plan or organization', async () => {
    expect(await codeOf(give('gold'))).toBe('invalid-input')
    orgId = 'nowhere'
    expect(await codeOf(give('pro'))).toBe('not-found')
  })

  it('ends a plan once at its end time and records the event', async () => {
    await give('pro', new Date(Date.now() + 60_000))
    await endPlans(app)
    expect((await showPlan(app, orgId))?.name).toBe('pro')
    const later: App = { ...app, now: () => new Date(Date.now() + 120_000) }
    await Promise.all([endPlans(later), endPlans(later)])
    expect((await showPlan(app, orgId))?.name).toBe('free')
    expect(await events()).toEqual([
      ['http', 'pro'],
      ['job', 'free'],
    ])
  })
})

it('showPlan returns the plan with its limits, usage and features', async () => {
  const until = new Date(Date.now() + 60_000)
  await give('pro', until)
  await fill(2)
  expect(await showPlan(app, orgId)).toEqual({
    name: 'pro',
    title: 'Pro',
    price: '€20 a month',
    until: until.toISOString(),
    isTrial: false,
    limits: [
      { name: 'deals', title: 'Deals', used: 2, max: 10 },
      { name: 'seats', title: 'Members', used: 0, max: null },
    ],
    features: [{ name: 'export', title: 'Export as CSV', isIncluded: true }],
    // Only plans with something more, and only what that is.
    others: [
      {
        name: 'scale',
        title: 'Scale',
        price: null,
        limits: [{ name: 'deals', title: 'Deals', max: null }],
        features: [],
      },
    ],
    upgradeUrl: '/pricing',
  })
})

it('starts a new organization with its trial, and removes the triggers when plans are no longer declared', async () => {
  const trial = await createTestApp({}, { plans: { ...plans, trial: { plan: 'pro', days: 14 } } })
  await setUp(trial.app)
  const org = await createOrg(trial.app)
  expect(await showPlan(trial.app, org)).toMatchObject({ name: 'pro', isTrial: true })
  await keepLimits({ ...trial.app, config: { ...trial.app.config, plans: null } })
  const { rows } = await trial.app.db.client.execute(
    `select name from sqlite_schema where type = 'trigger' and name glob 'fw_plan_*'`,
  )
  expect(rows).toEqual([])
  expect(await showPlan({ ...trial.app, config: { ...trial.app.config, plans: null } }, org)).toBeNull()
  await trial.close()
})

it('fails at startup when a limit counts an unknown table', async () => {
  const limits = { ...plans.limits, deals: { counts: 'dealz', title: 'Deals' } }
  const broken = { ...app, config: { ...app.config, plans: { ...app.config.plans!, limits } } }
  await expect(keepLimits(broken)).rejects.toThrow('the limit deals counts dealz, which is no table')
})

it.each([
  [{ default: 'gold' }, 'there is no plan "gold"'],
  [{ trial: { plan: 'gold', days: 3 } }, 'there is no plan "gold"'],
  [{ plans: { free: { title: 'Free', limits: { dealz: 1 } } } }, 'there is no limit "dealz"'],
  [{ plans: { free: { title: 'Free', features: ['exports'] } } }, 'there is no feature "exports"'],
  [{ features: { deals: 'Deals' } }, '"deals" is a feature too'],
  [{ upgradeUrl: 'javascript:alert(1)' }, 'must be a path or an https address'],
])('refuses a configuration with %j', (wrong, message) => {
  expect(() => defineFwConfig({ plans: { ...plans, ...wrong } as never })).toThrow(message)
})
