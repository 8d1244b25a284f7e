import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { defineAction } from '#fairway/server/domains/actions'
import { requireOrgRole } from '#fairway/server/domains/organizations'
import { declareWork } from '#fairway/server/declare-work'
import { withRun } from '#fairway/server/kernel/current-run'
import { defineJob, enqueue, type JobContext, listJobs, queueJob, runDueJobs } from '#fairway/server/kernel/jobs'
import fwPurge from '#fairway/server/jobs/fw-purge'
import { listAlerts } from '#fairway/server/kernel/security-events/list-security-events'
import type { Session } from '#fairway/shared/schemas/session'
import { useTestApp } from '../support/use-app'
import { query } from '../support/query'
import { addAccount } from '../support/service-accounts'

const test = useTestApp()
beforeEach(async () => {
  const person = `insert into users (id, name, email, email_verified, kind, created_at, updated_at) values (?, ?, ?, 1, 'person', 0, 0)`
  await query(test.app, person, ['ada', 'Ada', 'ada@example.test'])
  await query(test.app, person, ['ben', 'Ben', 'ben@example.test'])
  await query(test.app, `insert into organizations (id, name, created_by, created_at) values ('o1', 'Larch', 'ada', 0)`)
  const member = `insert into org_members (org_id, user_id, role, joined_at) values ('o1', ?, ?, 0)`
  await query(test.app, member, ['ada', 'owner'])
  await query(test.app, member, ['ben', 'member'])
})

const rename = defineAction({
  description: 'Names the organization.',
  guard: requireOrgRole('owner'),
  input: z.object({ name: z.string() }),
  run: ({ name }, { session, orgId }) => ({ name, by: session.email, orgId }),
})

async function runJob(work: (context: JobContext) => unknown, orgId: string | null = 'o1') {
  const { app } = test
  const entry = {
    name: 'nightly',
    job: defineJob({ description: 'A job.', retries: 0, run: (_input, context) => work(context) }),
  }
  const actions = [{ name: 'rename', group: 'general', isPlatform: false, action: rename }] as never
  declareWork(app, { jobs: [entry], mails: [], actions: async () => actions })
  await queueJob(app, app.db.orm, entry, {}, { orgId })
  const [ran] = await runDueJobs(app, [entry])
  return ran
}

it('a job that a service account queued acts as that account, never as its owner of record', async () => {
  const { app } = test
  const owner = { userId: 'ada', email: 'ada@example.test', orgId: 'o1', orgName: 'Larch', orgRole: 'owner' } as Session
  const { id } = await addAccount(app, owner, { role: 'admin' })
  const seen: unknown[] = []
  const job = defineJob({
    description: 'A job.',
    retries: 0,
    async run(_input, { as, userId }) {
      const acting = await as({ userId: userId ?? '' })
      seen.push(acting.session.orgRole, acting.session.serviceAccount?.id)
      await acting.run('rename' as never, { name: 'Alder' } as never)
    },
  })
  const actions = [{ name: 'rename', group: 'general', isPlatform: false, action: rename }] as never
  declareWork(app, { jobs: [{ name: 'nightly', job }], mails: [], actions: async () => actions })
  const session = { ...owner, serviceAccount: { id, name: 'Script', isOwners: true } }
  await withRun({ app, session }, () => enqueue(app.db.orm, 'nightly' as never, {} as never))
  const [ran] = await runDueJobs(app, [{ name: 'nightly', job }])
  expect([ran?.state, seen]).toEqual(['failed', ['admin', id]])
  expect(await query(app, `select via, user_id as person, outcome from audit_log where action = 'rename'`)).toEqual([
    { via: id, person: 'ada', outcome: 'denied' },
  ])
})

describe('a job that acts as a person', () => {
  it('has the person’s permissions in the organization of the job, and is audited under the person', async () => {
    const done: unknown[] = []
    const ran = await runJob(async ({ as }) => {
      const ada = await as({ email: 'ada@example.test' })
      done.push(await ada.run('rename' as never, { name: 'Alder' } as never))
    })
    expect(ran).toMatchObject({ state: 'done' })
    expect(done).toEqual([{ name: 'Alder', by: 'ada@example.test', orgId: 'o1' }])
    expect(await query(test.app, 'select action, caller, via, user_id, org_id, outcome from audit_log')).toEqual([
      { action: 'rename', caller: 'job', via: 'nightly', user_id: 'ada', org_id: 'o1', outcome: 'ok' },
    ])
  })

  it('fails and is audited as denied when the person lacks permission', async () => {
    const ran = await runJob(async ({ as }) =>
      (await as({ userId: 'ben' })).run('rename' as never, { name: 'x' } as never),
    )
    expect(ran).toMatchObject({ state: 'failed' })
    expect(await query(test.app, 'select user_id, outcome from audit_log')).toEqual([
      { user_id: 'ben', outcome: 'denied' },
    ])
  })

  it('fails for an unknown person or a former member', async () => {
    const asCy = await runJob(({ as }) => as({ email: 'cy@example.test' }))
    await query(test.app, `delete from org_members where user_id = 'ben'`)
    const asBen = await runJob(({ as }) => as({ userId: 'ben' }))
    expect([asCy, asBen]).toMatchObject([{ state: 'failed' }, { state: 'failed' }])
  })
})

describe('a failed job', () => {
  it('raises one alert for two failures within an hour', async () => {
    for (let times = 0; times < 2; times++) await runJob(() => Promise.reject(new Error('no')))
    expect(await listAlerts(test.app)).toMatchObject([{ kind: 'job-failed', count: 2 }])
    const alerts = test.lines().filter(({ message }) => message === 'alert')
    expect(alerts).toMatchObject([{ kind: 'job-failed' }])
  })
})

describe('the hourly purge', () => {
  it('continues when one of its parts fails, and is retried', async () => {
    const { app } = test
    const entry = { name: 'fw-purge', job: fwPurge }
    await query(app, `insert into rate_limits (key, count, ends_at) values ('over', 1, 5)`)
    await query(app, 'drop table embed_tokens')
    await queueJob(app, app.db.orm, entry, {})
    expect(await runDueJobs(app, [entry])).toMatchObject([{ state: 'scheduled', error: '1 of 18 purges have failed.' }])
    expect(await query(app, 'select * from rate_limits')).toEqual([])
  })
})

describe('listJobs', () => {
  it('omits completed platform jobs unless they are requested by name', async () => {
    const { app } = test
    const entry = { name: 'fw-purge', job: fwPurge }
    await queueJob(app, app.db.orm, entry, {})
    expect((await listJobs(app, {})).jobs).toMatchObject([{ name: 'fw-purge', state: 'ready' }])
    await runDueJobs(app, [entry])
    expect(await listJobs(app, {})).toEqual({ jobs: [], cursor: null })
    expect((await listJobs(app, { name: 'fw-purge' })).jobs).toMatchObject([{ state: 'done' }])
  })
})
