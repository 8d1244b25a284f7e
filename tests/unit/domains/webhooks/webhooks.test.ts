import { dirname } from 'node:path'
import { Webhook as Verifier } from 'standardwebhooks'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { recordAudit } from '#fairway/server/domains/actions'
import { sealAuditLog } from '#fairway/server/domains/actions/audit/audit-chain'
import { deleteOrganization, removeMember, requireOrg } from '#fairway/server/domains/organizations'
import {
  changeWebhook,
  createWebhook,
  deleteWebhook,
  listDeliveries,
  listWebhooks,
  purgeWebhooks,
  renewSecret,
  replayDelivery,
  replaySince,
  requireLocalWebhook,
  requireWebhook,
  sendTest,
  webhookJob,
} from '#fairway/server/domains/webhooks'
import { showDelivery } from '#fairway/server/domains/webhooks/deliveries'
import { patternsSchema } from '#fairway/server/domains/webhooks/event-types'
import { piecesOf } from '#fairway/server/domains/webhooks/replay'
import { DELAYS_IN_SECONDS } from '#fairway/server/domains/webhooks/record-attempt'
import { type App, createMemo } from '#fairway/server/kernel/app-context'
import { backgroundDone } from '#fairway/server/kernel/background'
import { runDueJobs, startJobs } from '#fairway/server/kernel/jobs'
import { recordSecurityEvent } from '#fairway/server/kernel/security-events/record-security-event'
import type { Session } from '#fairway/shared/schemas/session'
import type { WEBHOOK_FORMATS } from '#fairway/shared/schemas/webhook'
import { createTestApp, type TestApp } from '../../../support/app'
import { withLatency } from '../../../support/database-slow'
import { addTo, aMember, anotherOrg, sessionNow } from '../../../support/members'
import { readOutbox } from '../../../support/mail'
import { query } from '../../../support/query'
import { type Receiver, startReceiver } from '../../../support/webhook-receiver'

const DAY_IN_SECONDS = 24 * 3600
const ACTIONS = ['create-note', 'archive-note', 'invite-member']
/** Operators: their webhooks may send to a receiver on this machine. */
const OPERATORS = ['operator', 'ada', 'bob', 'eve', 'kim', 'lou'].map(name => `${name}@example.test`)

let test: TestApp
let app: App
let ada: Session
let receiver: Receiver
let clock: { ahead: number }

beforeEach(async () => {
  receiver = await startReceiver()
  test = await createTestApp({
    FW_WEBHOOK_ORIGINS: receiver.origin,
    FW_OPERATORS: OPERATORS.join(),
    FW_ORG_DELETION_GRACE: '0',
  })
  clock = { ahead: 0 }
  app = { ...test.app, now: () => new Date(Date.now() + clock.ahead * 1000) }
  ada = await aMember(app, { email: 'ada@example.test' })
})
afterEach(async () => {
  await receiver.stop()
  await test.close()
})

/** Only the job that sends webhooks. */
const WEBHOOK = [{ name: 'fw-webhook', job: webhookJob }]

/** Sends all due deliveries in sequence. */
const deliverWebhooks = (process: App = app) => runDueJobs(process, WEBHOOK)

/** Another process over the same database; it shares no memory with the first one. */
const beside = (): App => ({ ...app, memo: createMemo() })

async function subscribe(
  types: string[] = ['*'],
  {
    path = '/hook',
    who = ada,
    scope = 'organization' as const,
    format = 'standard' as (typeof WEBHOOK_FORMATS)[number],
  } = {},
) {
  return createWebhook(app, who, { scope, url: receiver.origin + path, types, format }, ACTIONS)
}

async function act(action = 'create-note', session = ada, input: Record<string, unknown> = {}) {
  await recordAudit(app, { action, caller: 'http', session, requestId: 'r1', input, keeps: ['id'] })
}

async function actAndDeliver(action?: string, session?: Session) {
  await act(action, session)
  await sealAuditLog(app)
  await deliverWebhooks()
}

const rowsOf = (id: string) =>
  query(app, 'select * from fw_webhook_deliveries where webhook_id = ? order by queued_at, id', [id])
const stateOf = async (id: string) => (await query(app, 'select state from fw_webhooks where id = ?', [id]))[0]?.state

describe('a webhook', () => {
  it('receives audit events signed as Standard Webhooks, with the fields of an audit log export', async () => {
    const { id, secret } = await subscribe()
    await actAndDeliver('create-note')
    const [request] = receiver.requests
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    const event = new Verifier(secret).verify(request!.body, request!.headers)
    expect(event).toEqual({
      type: 'audit.create-note',
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
      data: {
        at: expect.any(String),
        action: 'create-note',
        caller: 'http',
        via: null,
        userEmail: ada.email,
        outcome: 'ok',
        errorCode: null,
        times: 1,
        input: '{}',
        requestId: 'r1',
        seq: 1,
        hash: expect.any(String),
        id: expect.any(String),
        subjectType: null,
        subjectId: null,
        subjectTitle: null,
        changes: null,
      },
    })
    expect(await rowsOf(id)).toMatchObject([
      { state: 'sent', tries: 1, status: 200, answer: 'taken', next_try_at: null },
    ])
  })

  it('receives the same events as OCSF when its format is ocsf, and shows them so', async () => {
    const { id, secret } = await subscribe(['*'], { format: 'ocsf' })
    await actAndDeliver('create-note')
    const [request] = receiver.requests
    const event = new Verifier(secret).verify(request!.body, request!.headers)
    const [row] = await rowsOf(id)
    expect(event).toMatchObject({
      type_uid: 600301,
      time: row?.event_at,
      metadata: { uid: row?.event_id, event_code: 'audit.create-note', tenant_uid: ada.orgId, sequence: 1 },
      actor: { user: { name: ada.email } },
      unmapped: { caller: 'http', hash: expect.any(String) },
    })
    const webhook = await requireLocalWebhook(app, id)
    expect(JSON.parse(JSON.stringify((await showDelivery(app, webhook, String(row?.id))).payload))).toEqual(event)
    await changeWebhook(app, ada, webhook, { format: 'standard' }, ACTIONS)
    const { payload } = await showDelivery(app, await requireLocalWebhook(app, id), String(row?.id))
    expect(payload).toMatchObject({ type: 'audit.create-note' })
  })

  it('receives only its event types, by name or prefix', async () => {
    await subscribe(['audit.archive-*'], { path: '/begin' })
    await subscribe(['audit.create-note'], { path: '/name' })
    await act('create-note')
    await act('archive-note')
    await actAndDeliver('rename-note')
    expect(receiver.typesAt('/begin')).toEqual(['audit.archive-note'])
    expect(receiver.typesAt('/name')).toEqual(['audit.create-note'])
  })

  it('receives a renamed event when it subscribes to the former name', async () => {
    await subscribe(patternsSchema.parse(['audit.invite-members']))
    await actAndDeliver('invite-member')
    expect(receiver.typesAt('/hook')).toEqual(['audit.invite-member'])
  })

  it('receives no events of another organization or from before its creation', async () => {
    const bob = await aMember(app, { email: 'bob@example.test' })
    await actAndDeliver('create-note', bob)
    const { id } = await subscribe(['*'], { path: '/bob', who: bob })
    await subscribe(['*'], { path: '/ada' })
    await actAndDeliver('create-note', ada)
    await actAndDeliver('archive-note', bob)
    expect(receiver.typesAt('/ada')).toEqual(['audit.create-note'])
    expect(receiver.typesAt('/bob')).toEqual(['audit.archive-note'])
    // An event of another organization is not sent, even if this webhook's queue contains it.
    const [foreign] = await query(app, 'select id from audit_log where user_id = ?', [ada.userId])
    await query(
      app,
      `update fw_webhook_deliveries set event_id = ?, state = 'pending', next_try_at = 0 where webhook_id = ?`,
      [foreign?.id ?? '', id],
    )
    await deliverWebhooks()
    expect(receiver.typesAt('/bob')).toHaveLength(1)
    expect(await rowsOf(id)).toMatchObject([{ state: 'failed', fault: 'event-gone' }])
    const [row] = await rowsOf(id)
    expect((await showDelivery(app, await requireLocalWebhook(app, id), String(row?.id))).payload).toBeNull()
  })

  it('receives the security events of its organization without operator-only fields', async () => {
    await subscribe(['security.*'], { path: '/org' })
    const operator = await aMember(app, { email: 'operator@example.test' })
    await createWebhook(
      app,
      operator,
      { scope: 'installation', url: `${receiver.origin}/all`, types: ['*'], format: 'standard' },
      ACTIONS,
    )
    const event = { clientAddress: '192.0.2.1', userId: ada.userId, device: 'Firefox on Windows', reason: 'said so' }
    await recordSecurityEvent(app, { kind: 'token-made', subject: 'Laptop', orgId: ada.orgId ?? '', ...event })
    await recordSecurityEvent(app, {
      kind: 'refresh-token-replayed',
      subject: 'host',
      orgId: ada.orgId ?? '',
      ...event,
    })
    await recordSecurityEvent(app, { kind: 'sign-in-failed', ...event })
    await deliverWebhooks()
    expect(receiver.typesAt('/all').toSorted()).toEqual([
      'security.refresh-token-replayed',
      'security.sign-in-failed',
      'security.token-made',
    ])
    expect(receiver.at('/all')[0]?.event.data).toMatchObject({
      clientAddress: '192.0.2.1',
      device: 'Firefox on Windows',
    })
    const told = receiver.at('/org').map(({ event: { data } }) => data)
    expect(told.toSorted((a, b) => String(a.kind).localeCompare(String(b.kind)))).toMatchObject([
      { kind: 'refresh-token-replayed', subject: null, reason: null },
      { kind: 'token-made', subject: 'Laptop', reason: 'said so' },
    ])
    expect(JSON.stringify(told)).not.toMatch(/192\.0\.2\.1|Firefox/)
  })
})

describe('a failed delivery', () => {
  it('is tried ten times in three days with the same ID, then disables the webhook and emails its managers', async () => {
    receiver.answer = { status: 503, text: 'out of order' }
    const admin = await aMember(app)
    const member = await aMember(app)
    await addTo(app, ada, admin, 'admin')
    await addTo(app, ada, member, 'member')
    const { id } = await subscribe()
    await actAndDeliver()
    const waits: number[] = []
    for (let tries = 1; tries < 10; tries++) {
      const [row] = await rowsOf(id)
      expect(row).toMatchObject({ tries, state: 'pending', status: 503, answer: 'out of order' })
      waits.push((Number(row?.next_try_at) - app.now().getTime()) / 1000)
      expect(await stateOf(id)).toBe('on')
      await deliverWebhooks()
      expect(receiver.requests).toHaveLength(tries)
      clock.ahead += waits.at(-1)! + 1
      await deliverWebhooks()
    }
    for (const [index, delay] of DELAYS_IN_SECONDS.entries()) {
      expect(waits[index]).toBeGreaterThan(delay - 5)
      expect(waits[index]).toBeLessThanOrEqual(delay * 1.2)
    }
    expect(await rowsOf(id)).toMatchObject([{ tries: 10, state: 'failed', next_try_at: null }])
    expect(new Set(receiver.requests.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
    expect(await stateOf(id)).toBe('failing')
    await backgroundDone(app)
    const mails = readOutbox(dirname(app.config.mail.outbox ?? '')).filter(({ subject }) => subject.includes('webhook'))
    expect(mails.map(({ to }) => to).toSorted()).toEqual([ada.email, admin.email].toSorted())
    expect(JSON.stringify(mails)).not.toContain('/hook')
  })

  it('is reset by a successful delivery, so that one bad event does not disable the webhook', async () => {
    const { id } = await subscribe()
    receiver.answer = { status: 500 }
    await actAndDeliver()
    clock.ahead += DELAYS_IN_SECONDS[0]! * 2
    receiver.answer = { status: 204 }
    await actAndDeliver('archive-note')
    expect(await query(app, 'select failing_since from fw_webhooks')).toMatchObject([{ failing_since: null }])
    await query(
      app,
      `update fw_webhook_deliveries set tries = 9, state = 'pending', next_try_at = 0 where type = 'audit.create-note'`,
    )
    receiver.answer = { status: 500 }
    await deliverWebhooks()
    expect(await stateOf(id)).toBe('on')
  })

  it('disables the webhook after five days without a successful delivery', async () => {
    receiver.answer = { status: 500 }
    const { id } = await subscribe()
    await actAndDeliver()
    clock.ahead += 5 * DAY_IN_SECONDS + 1
    expect(await stateOf(id)).toBe('on')
    await deliverWebhooks()
    expect(await stateOf(id)).toBe('failing')
  })

  it('waits as long as the receiver requests, up to one day', async () => {
    receiver.answer = { status: 429, headers: { 'retry-after': '3600' } }
    const { id } = await subscribe()
    await actAndDeliver()
    const wait = async () => Math.round((Number((await rowsOf(id))[0]?.next_try_at) - app.now().getTime()) / 60_000)
    expect(await wait()).toBe(60)
    receiver.answer = { status: 503, headers: { 'retry-after': new Date(Date.now() + 9 * 86_400_000).toUTCString() } }
    clock.ahead += 3601
    await deliverWebhooks()
    expect(await wait()).toBe(24 * 60)
  })

  it('includes a redirect, which is not followed', async () => {
    receiver.answer = { status: 307, headers: { location: `${receiver.origin}/elsewhere` } }
    const { id } = await subscribe()
    await actAndDeliver()
    expect(receiver.requests.map(({ path }) => path)).toEqual(['/hook'])
    expect(await rowsOf(id)).toMatchObject([{ state: 'pending', status: 307 }])
  })

  it('turns the webhook off when its URL returns 410', async () => {
    receiver.answer = { status: 410 }
    const { id } = await subscribe()
    await actAndDeliver()
    expect(await stateOf(id)).toBe('gone')
    await actAndDeliver()
    expect(receiver.requests).toHaveLength(1)
    expect(await rowsOf(id)).toMatchObject([{ state: 'failed', status: 410 }])
  })

  it('stores the first 500 characters of a long response as one line', async () => {
    receiver.answer = { status: 500, text: `<b>no</b>\n\t${'x'.repeat(100_000)}` }
    const { id } = await subscribe()
    await actAndDeliver()
    const [row] = await rowsOf(id)
    expect(row?.answer).toMatch(/^<b>no<\/b> x+$/)
    expect(String(row?.answer)).toHaveLength(500)
  })
})

describe('a queued delivery', () => {
  it('is sent by the next process when one stops during an attempt', async () => {
    const { id } = await subscribe()
    await act()
    await sealAuditLog(app)
    receiver.hold()
    void deliverWebhooks()
    await expect.poll(() => receiver.requests.length, { timeout: 10_000 }).toBe(1)
    // The process stops before it records a result.
    const next = beside()
    await deliverWebhooks(next)
    expect(receiver.requests).toHaveLength(1)
    clock.ahead += 61
    const again = deliverWebhooks(next)
    await expect.poll(() => receiver.requests.length, { timeout: 10_000 }).toBe(2)
    receiver.release()
    await again
    expect(await rowsOf(id)).toMatchObject([{ state: 'sent', tries: 2 }])
    expect(new Set(receiver.requests.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
  })

  it('is sent by a process that started after the event', async () => {
    const { id } = await subscribe()
    for (let n = 0; n < 5; n++) await act()
    await deliverWebhooks(beside())
    // The rows are not chained yet, so they are not sent.
    expect(await rowsOf(id)).toEqual([])
    await sealAuditLog(app)
    await deliverWebhooks(beside())
    expect(receiver.requests).toHaveLength(5)
  })

  it('is sent once when eight instances check at the same time over a slow database', async () => {
    const { id } = await subscribe()
    for (let n = 0; n < 40; n++) await act()
    await sealAuditLog(app)
    const instances = Array.from({ length: 8 }, () => ({ ...withLatency(app, 3), memo: createMemo() }))
    await Promise.all(instances.map(one => deliverWebhooks(one)))
    expect(receiver.requests).toHaveLength(40)
    expect(new Set(receiver.requests.map(({ headers }) => headers['webhook-id'])).size).toBe(40)
    expect((await rowsOf(id)).every(({ tries, state }) => tries === 1 && state === 'sent')).toBe(true)
  })

  it('does not delay other webhooks when its receiver does not respond', async () => {
    await subscribe(['*'], { path: '/slow' })
    await subscribe(['*'], { path: '/quick' })
    receiver.hold('/slow')
    for (let n = 0; n < 20; n++) await act()
    await sealAuditLog(app)
    const stop = startJobs(app, WEBHOOK)
    await expect.poll(() => receiver.at('/quick').length, { timeout: 10_000 }).toBe(20)
    expect(receiver.at('/slow')).toHaveLength(2)
    receiver.release()
    await expect.poll(() => receiver.at('/slow').length, { timeout: 10_000 }).toBe(20)
    await stop()
  })

  it(
    'arrives within two seconds even when many receivers of other organizations do not respond',
    { retry: 2 },
    async () => {
      const silent = await Promise.all(
        Array.from({ length: 4 }, (_, index) => aMember(app, { email: OPERATORS[index + 2] })),
      )
      for (const who of silent) {
        for (let index = 0; index < 20; index++) await subscribe(['*'], { path: '/silent', who })
        for (let index = 0; index < 2; index++) await act('create-note', who)
      }
      const stranger = await aMember(app, { email: OPERATORS[0] })
      await subscribe(['*'], { path: '/quick', who: stranger })
      receiver.hold('/silent')
      await sealAuditLog(app)
      const stop = startJobs(app, WEBHOOK)
      await expect.poll(() => receiver.at('/silent').length).toBeGreaterThanOrEqual(8)
      await act('create-note', stranger)
      await sealAuditLog(app)
      const since = performance.now()
      await expect.poll(() => receiver.at('/quick').length, { timeout: 10_000, interval: 20 }).toBe(1)
      expect(performance.now() - since).toBeLessThan(2000)
      receiver.release()
      await expect.poll(() => receiver.at('/silent').length, { timeout: 20_000 }).toBe(160)
      await stop()
    },
  )

  it('has one job with the declared limits for each attempt time', async () => {
    const { id } = await subscribe()
    await actAndDeliver()
    await query(app, 'update fw_webhook_deliveries set next_try_at = ?', [app.now().getTime() + 5000])
    await query(app, 'update fw_webhook_deliveries set next_try_at = next_try_at')
    const { retries, concurrency } = webhookJob
    const limits = {
      most_attempts: retries + 1,
      limit_key: `fw-webhook:${concurrency?.per?.({ webhookId: id } as never)}`,
      limit_most: concurrency?.most,
    }
    const jobs = await query(app, "select * from fw_jobs where name = 'fw-webhook' order by created_at, run_at")
    expect(jobs).toMatchObject([
      { ...limits, state: 'done' },
      { ...limits, state: 'scheduled' },
    ])
  })

  it('continues when its webhook is turned on again or its organization is restored', async () => {
    receiver.answer = { status: 500 }
    const { id } = await subscribe()
    await actAndDeliver()
    const webhook = await requireLocalWebhook(app, id)
    await changeWebhook(app, ada, webhook, { state: 'off' }, ACTIONS)
    receiver.answer = { status: 200 }
    clock.ahead += 10
    await deliverWebhooks()
    expect(await rowsOf(id)).toMatchObject([{ state: 'pending', tries: 1 }])
    await query(app, "update fw_webhooks set state = 'on'")
    await query(app, 'update organizations set deleted_at = 1')
    await purgeWebhooks(app)
    expect(await deliverWebhooks()).toEqual([])
    await query(app, 'update organizations set deleted_at = null')
    await purgeWebhooks(app)
    await deliverWebhooks()
    expect(await rowsOf(id)).toMatchObject([{ state: 'sent', tries: 2 }])
    await query(app, "update fw_webhook_deliveries set state = 'pending', next_try_at = 1")
    await query(app, "delete from fw_jobs where state = 'scheduled'")
    await changeWebhook(app, ada, { ...webhook, state: 'off' }, { state: 'on' }, ACTIONS)
    await deliverWebhooks()
    expect(receiver.requests).toHaveLength(3)
  })

  it('is sent after rows that match no webhook, even by a new process', async () => {
    await subscribe(['audit.archive-note'])
    for (let n = 0; n < 3; n++) await actAndDeliver('create-note')
    await actAndDeliver('archive-note')
    await act('archive-note')
    await sealAuditLog(app)
    await deliverWebhooks(beside())
    expect(receiver.requests).toHaveLength(2)
  })

  it('is not missed when the row IDs of security events restart', async () => {
    const operator = await aMember(app, { email: 'operator@example.test' })
    await createWebhook(
      app,
      operator,
      { scope: 'installation', url: `${receiver.origin}/all`, types: ['*'], format: 'standard' },
      ACTIONS,
    )
    const note = (kind: 'token-made' | 'token-revoked') => recordSecurityEvent(app, { kind, reason: '' })
    for (let n = 0; n < 4; n++) await note('token-made')
    await deliverWebhooks()
    // As after a purge and a compaction: the remaining rows have new rowids, or all rows that were sent are gone.
    await query(app, 'delete from security_events where rowid < 4')
    await query(app, 'update security_events set rowid = 1')
    await note('token-revoked')
    await deliverWebhooks()
    await query(app, 'delete from security_events')
    await note('token-revoked')
    await deliverWebhooks()
    await deliverWebhooks(beside())
    expect(receiver.typesAt('/all')).toEqual([
      ...Array.from({ length: 4 }, () => 'security.token-made'),
      'security.token-revoked',
      'security.token-revoked',
    ])
  })

  it('stays queued when the process stops, which waits briefly for running deliveries', async () => {
    const { id } = await subscribe()
    const stop = startJobs(app, WEBHOOK)
    receiver.hold()
    await act()
    await sealAuditLog(app)
    await sendTest(app, await requireLocalWebhook(app, id))
    await expect.poll(() => receiver.requests.length, { timeout: 10_000 }).toBeGreaterThan(0)
    const stopped = stop()
    receiver.release()
    await stopped
    await act()
    await sealAuditLog(app)
    await sendTest(app, await requireLocalWebhook(app, id))
    expect((await rowsOf(id)).filter(({ state }) => state === 'pending')).not.toEqual([])
  })
})

describe('a replay of deliveries', () => {
  it('sends failed and never queued events, or all on request, while a dry run only counts', async () => {
    const since = new Date(app.now().getTime() - 1000)
    await actAndDeliver()
    const { id } = await subscribe(['audit.create-note'])
    await actAndDeliver()
    receiver.answer = { status: 410 }
    await actAndDeliver()
    const off = await requireLocalWebhook(app, id)
    expect(off.state).toBe('gone')
    await actAndDeliver()
    await expect(replaySince(app, off, { since, include: 'all' })).rejects.toMatchObject({ code: 'webhook-off' })
    receiver.answer = { status: 200 }
    await changeWebhook(app, ada, off, { state: 'on' }, ACTIONS)
    await deliverWebhooks()
    expect(receiver.requests).toHaveLength(2)
    const on = await requireLocalWebhook(app, id)
    expect(await replaySince(app, on, { since, include: 'undelivered' }, true)).toEqual({ events: 3, isDryRun: true })
    expect(await rowsOf(id)).toHaveLength(2)
    expect(await replaySince(app, on, { since, include: 'undelivered' })).toEqual({ events: 3, isDryRun: false })
    await deliverWebhooks()
    expect(receiver.requests).toHaveLength(5)
    expect((await rowsOf(id)).map(({ state }) => state)).toEqual(['sent', 'sent', 'sent', 'sent'])
    expect(await replaySince(app, on, { since, include: 'all' })).toMatchObject({ events: 4 })
    await deliverWebhooks()
    expect(receiver.requests).toHaveLength(9)
    const older = new Date(app.now().getTime() - 31 * 86_400_000)
    await expect(replaySince(app, on, { since: older, include: 'all' })).rejects.toMatchObject({
      code: 'invalid-input',
    })
  })

  /** Adds this many security events of Ada's organization, a millisecond apart, up to the present. */
  const manyEvents = (events: number) =>
    query(
      app,
      `with recursive n (i) as (select 1 union all select i + 1 from n where i < ?)
        insert into security_events (id, at, kind, org_id, reason) select 'event ' || i, ? - i, 'token-made', ?, '' from n`,
      [events, app.now().getTime(), ada.orgId],
    )
  const aDay = () => ({ since: new Date(app.now().getTime() - DAY_IN_SECONDS * 1000), include: 'all' as const })

  it('uses an index to find events by organization and time in both logs', async () => {
    const { id } = await subscribe()
    const operator = await aMember(app, { email: 'operator@example.test' })
    const installation = await createWebhook(
      app,
      operator,
      { scope: 'installation', url: `${receiver.origin}/all`, types: ['*'], format: 'standard' },
      ACTIONS,
    )
    const plans: string[] = []
    for (const webhook of [id, installation.id])
      for await (const { sql, args } of piecesOf(app, await requireLocalWebhook(app, webhook), aDay())) {
        const plan = await query(app, `explain query plan ${sql}`, args as string[])
        plans.push(plan.map(({ detail }) => String(detail)).join('\n'))
      }
    expect(plans).toEqual([
      expect.stringContaining('SEARCH audit_log USING INDEX audit_log_org_at (org_id=? AND (at,id)>(?,?))'),
      expect.stringContaining('SEARCH security_events USING INDEX fw_security_events_org (org_id=? AND (at,id)>(?,?))'),
      expect.stringContaining('SEARCH security_events USING INDEX security_events_at (at>?)'),
    ])
    for (const plan of plans)
      expect(plan).toContain('USING INDEX fw_webhook_deliveries_event (webhook_id=? AND event_id=?)')
  })

  it('accepts at most 10,000 events, and lets other requests run between its batches', async () => {
    await manyEvents(10_000)
    const { id } = await subscribe(['security.*'])
    const webhook = await requireLocalWebhook(app, id)
    const turns = { taken: 0, isOver: false }
    const others = (async () => {
      for (; !turns.isOver; turns.taken++) await new Promise(resolve => setImmediate(resolve))
    })()
    expect(await replaySince(app, webhook, aDay(), true)).toEqual({ events: 10_000, isDryRun: true })
    turns.isOver = true
    await others
    expect(turns.taken).toBeGreaterThanOrEqual(10)
    await changeWebhook(app, ada, webhook, { state: 'off' }, ACTIONS)
    await recordSecurityEvent(app, { kind: 'token-made', reason: '', orgId: ada.orgId ?? '' })
    await expect(replaySince(app, webhook, aDay(), true)).rejects.toMatchObject({
      errors: [{ path: 'since', message: expect.stringContaining('more than 10000') }],
    })
    expect(await rowsOf(id)).toEqual([])
  })

  it('runs once at a time per webhook across all instances', async () => {
    await manyEvents(3000)
    const { id } = await subscribe(['security.*'])
    const webhook = await requireLocalWebhook(app, id)
    const instances = [app, withLatency(beside(), 3), withLatency(beside(), 3)]
    const all = await Promise.allSettled(instances.map(one => replaySince(one, webhook, aDay())))
    expect(all.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected', 'rejected'])
    for (const one of all)
      if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'webhook-replaying' })
    expect(await rowsOf(id)).toHaveLength(3000)
    expect(await replaySince(app, webhook, aDay(), true)).toMatchObject({ events: 3000 })
  })

  it('is blocked for at most thirty seconds by a process that stopped', async () => {
    const { id } = await subscribe()
    const webhook = await requireLocalWebhook(app, id)
    await actAndDeliver()
    await query(app, 'update fw_webhooks set replay_until = ?', [app.now().getTime() + 30_000])
    await expect(replaySince(beside(), webhook, aDay())).rejects.toMatchObject({
      code: 'webhook-replaying',
      status: 409,
    })
    clock.ahead += 31
    expect(await replaySince(beside(), webhook, aDay())).toMatchObject({ events: 1 })
    expect(await query(app, 'select replay_until from fw_webhooks')).toEqual([{ replay_until: null }])
  })

  it('sends one delivery again with the same ID, and refuses a delivery of another webhook', async () => {
    const { id } = await subscribe()
    const other = await subscribe(['security.*'], { path: '/other' })
    await actAndDeliver()
    const { deliveries } = await listDeliveries(app, { id }, { page: 1, itemsPerPage: 30 })
    const [delivery] = deliveries
    await replayDelivery(app, await requireLocalWebhook(app, id), delivery!.id)
    await deliverWebhooks()
    expect(receiver.requests.map(({ headers }) => headers['webhook-id'])).toEqual([
      delivery!.messageId,
      delivery!.messageId,
    ])
    await expect(replayDelivery(app, await requireLocalWebhook(app, other.id), delivery!.id)).rejects.toMatchObject({
      code: 'not-found',
    })
  })
})

describe('a webhook whose creator lost the required role', () => {
  const without = (...lost: string[]): App => ({
    ...app,
    config: { ...app.config, operators: OPERATORS.filter(email => !lost.includes(email)) },
  })

  it('is turned off for an organization until another admin turns it on', async () => {
    const bob = await aMember(app, { email: 'bob@example.test' })
    await addTo(app, ada, bob, 'admin')
    await query(app, 'delete from org_members where user_id = ? and org_id <> ?', [bob.userId, ada.orgId])
    const { id } = await subscribe(['*'], { who: await sessionNow(app, bob) })
    await removeMember(app, requireOrg(ada, 'remove-member'), bob.email)
    await actAndDeliver()
    expect([await stateOf(id), receiver.requests]).toEqual(['orphaned', []])
    await backgroundDone(app)
    const mails = readOutbox(dirname(app.config.mail.outbox ?? '')).filter(({ subject }) => subject.includes('webhook'))
    expect(mails.map(({ to }) => to)).toEqual([ada.email])
    const removed = requireWebhook(app, await sessionNow(app, bob), id)
    await expect(removed).rejects.toMatchObject({ code: 'no-organization' })
    expect(await listWebhooks(app, ada, 'organization')).toMatchObject([{ id, state: 'orphaned' }])
    await changeWebhook(app, ada, await requireWebhook(app, ada, id), { state: 'on' }, ACTIONS)
    await actAndDeliver()
    expect(receiver.typesAt('/hook')).toContain('audit.create-note')
    await deleteWebhook(app, await requireWebhook(app, ada, id))
  })

  it('is turned off for an organization when its creator becomes a member', async () => {
    const bob = await aMember(app, { email: 'bob@example.test' })
    await addTo(app, ada, bob, 'admin')
    await query(app, 'delete from org_members where user_id = ? and org_id <> ?', [bob.userId, ada.orgId])
    const { id } = await subscribe(['*'], { who: await sessionNow(app, bob) })
    await query(app, `update org_members set role = 'member' where user_id = ?`, [bob.userId])
    await actAndDeliver()
    expect([await stateOf(id), receiver.requests]).toEqual(['orphaned', []])
  })

  it('waits in a deleted organization', async () => {
    const { id } = await subscribe()
    await act()
    await sealAuditLog(app)
    await query(app, 'update organizations set deleted_at = 1')
    await query(app, 'delete from org_members')
    await deliverWebhooks()
    expect([await stateOf(id), receiver.requests]).toEqual(['on', []])
  })

  it('is turned off for an installation until another operator turns it on', async () => {
    const [operator, other] = await Promise.all([
      aMember(app, { email: 'operator@example.test' }),
      aMember(app, { email: 'kim@example.test' }),
    ])
    const input = {
      scope: 'installation' as const,
      url: `${receiver.origin}/all`,
      types: ['*'],
      format: 'standard' as const,
    }
    const { id } = await createWebhook(app, operator, input, ACTIONS)
    const happens = () => recordSecurityEvent(app, { kind: 'token-made', reason: '' })
    await happens()
    await deliverWebhooks(without('operator@example.test'))
    expect([await stateOf(id), receiver.requests]).toEqual(['orphaned', []])
    await backgroundDone(app)
    const mails = readOutbox(dirname(app.config.mail.outbox ?? '')).filter(({ subject }) => subject.includes('webhook'))
    expect(mails.map(({ to }) => to)).toEqual(expect.arrayContaining([other.email]))
    expect(mails.map(({ to }) => to)).not.toContain(operator.email)
    await changeWebhook(app, other, await requireLocalWebhook(app, id), { state: 'on' }, ACTIONS)
    await happens()
    await deliverWebhooks(without('operator@example.test'))
    expect(receiver.typesAt('/all')).toContain('security.token-made')
  })

  it('sends no requests to an internal address, even for an organization', async () => {
    const { id } = await subscribe()
    await act()
    await sealAuditLog(app)
    await deliverWebhooks(without('ada@example.test'))
    expect(await rowsOf(id)).toMatchObject([{ state: 'pending', fault: 'unreachable' }])
    expect(receiver.requests).toEqual([])
  })
})

describe('a new webhook secret', () => {
  it('signs together with the former secret for the requested overlap, then alone', async () => {
    const { id, secret } = await subscribe()
    const renewed = await renewSecret(app, await requireLocalWebhook(app, id), { overlapInHours: 1 })
    await actAndDeliver()
    const verify = (key: string) => {
      const request = receiver.requests.at(-1)
      return new Verifier(key).verify(request!.body, request!.headers)
    }
    expect(receiver.requests[0]?.headers['webhook-signature']).toMatch(/^v1,\S+ v1,\S+$/)
    expect(verify(secret)).toEqual(verify(renewed.secret))
    await renewSecret(app, await requireLocalWebhook(app, id), { overlapInHours: 0 })
    await actAndDeliver()
    expect(receiver.requests.at(-1)?.headers['webhook-signature']).toMatch(/^v1,\S+$/)
    expect(() => verify(secret)).toThrow('No matching')
    clock.ahead += 3600
    await purgeWebhooks(app)
    expect(await query(app, 'select former_secret from fw_webhooks')).toEqual([{ former_secret: null }])
  })

  it('is never stored in plain text', async () => {
    const { secret } = await subscribe()
    const rows = await query(app, 'select * from fw_webhooks')
    expect(JSON.stringify(rows)).not.toContain(secret.slice('whsec_'.length))
  })
})

describe('webhook cleanup', () => {
  it('deletes deliveries after thirty days', async () => {
    const { id } = await subscribe()
    await actAndDeliver()
    clock.ahead += 29 * DAY_IN_SECONDS
    await purgeWebhooks(app)
    expect(await rowsOf(id)).toHaveLength(1)
    clock.ahead += 2 * DAY_IN_SECONDS
    await purgeWebhooks(app)
    expect(await rowsOf(id)).toEqual([])
  })

  it('deletes the webhooks of a deleted organization, and no others', async () => {
    const second = await anotherOrg(app, ada)
    await subscribe(['*'], { path: '/first' })
    await subscribe(['*'], { path: '/second', who: second })
    await act('create-note', second)
    await sealAuditLog(app)
    await deliverWebhooks()
    await deleteOrganization(app, requireOrg(second, 'delete-organization'), 'Second')
    await backgroundDone(app)
    expect(await query(app, 'select url from fw_webhooks')).toEqual([{ url: `${receiver.origin}/first` }])
    expect(await query(app, 'select * from fw_webhook_deliveries')).toEqual([])
  })
})

describe('a webhook URL', () => {
  it.each([
    ['http://example.com/hook', 'https address without a port'],
    ['https://example.com:8443/hook', 'https address without a port'],
    ['https://user:secret@example.com/', 'user name'],
    ['https://example.com/#part', 'fragment'],
    ['nowhere', 'not an address'],
    [`https://example.com/${'x'.repeat(2000)}`, '2000 characters'],
  ])('is refused with instructions to fix it: %s', async (url, said) => {
    const refused = createWebhook(app, ada, { scope: 'organization', url, types: ['*'], format: 'standard' }, ACTIONS)
    await expect(refused).rejects.toMatchObject({
      code: 'invalid-input',
      errors: [{ path: 'url', message: expect.stringContaining(said) }],
    })
  })

  it.each(['https://127.0.0.1/', 'https://[::1]/', 'https://169.254.169.254/latest', 'https://localhost/'])(
    'receives no requests when it is internal: %s',
    async url => {
      const { id } = await createWebhook(
        app,
        ada,
        { scope: 'organization', url, types: ['*'], format: 'standard' },
        ACTIONS,
      )
      await actAndDeliver()
      expect(await rowsOf(id)).toMatchObject([{ state: 'pending', status: null, fault: 'unreachable' }])
    },
  )

  it('fails with the same error when it is internal as when its host does not exist', async () => {
    const told = async (url: string) => {
      const { id } = await createWebhook(
        app,
        ada,
        { scope: 'organization', url, types: ['*'], format: 'standard' },
        ACTIONS,
      )
      await actAndDeliver()
      const [row] = await rowsOf(id)
      return [row?.fault, row?.status, row?.answer, row?.duration_ms]
    }
    const inside = await told('https://localhost/')
    expect(inside).toEqual(['unreachable', null, null, null])
    expect(await told('https://nowhere.invalid/')).toEqual(inside)
  })

  it('can use an origin of FW_WEBHOOK_ORIGINS only when an operator sets it', async () => {
    const eve = await aMember(app, { email: 'nobody@example.test' })
    const admin = await aMember(app)
    await addTo(app, ada, admin, 'admin')
    const { id } = await subscribe()
    const mine = await createWebhook(
      app,
      eve,
      { scope: 'organization', url: 'https://example.com/', types: ['*'], format: 'standard' },
      ACTIONS,
    )
    const refused = {
      code: 'invalid-input',
      errors: [{ path: 'url', message: expect.stringContaining('https address') }],
    }
    await expect(subscribe(['*'], { who: eve })).rejects.toMatchObject(refused)
    const url = `${receiver.origin}/elsewhere`
    for (const [who, webhook] of [
      [eve, mine.id],
      [await sessionNow(app, admin), id],
    ] as const) {
      const row = await requireLocalWebhook(app, webhook)
      await expect(changeWebhook(app, who, row, { url }, ACTIONS)).rejects.toMatchObject(refused)
    }
    // Eve entered a public address. If FW_WEBHOOK_ORIGINS lists its origin later, her webhook must still not reach it.
    await query(app, 'update fw_webhooks set url = ? where id = ?', [url, mine.id])
    await actAndDeliver('create-note', eve)
    expect(await rowsOf(mine.id)).toMatchObject([{ state: 'pending', fault: 'unreachable' }])
    expect(receiver.requests).toEqual([])
  })

  it('is limited to twenty, even for concurrent requests', async () => {
    const made = await Promise.allSettled(Array.from({ length: 25 }, () => subscribe()))
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(20)
    expect(made.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'webhook-limit' } })
  })

  it('is refused with an unknown event type', async () => {
    const { scope, ...input } = {
      scope: 'organization' as const,
      url: `${receiver.origin}/a`,
      types: ['audit.creat-note'],
      format: 'standard' as const,
    }
    await expect(createWebhook(app, ada, { scope, ...input }, ACTIONS)).rejects.toMatchObject({
      errors: [{ path: 'types.0', message: expect.stringContaining('GET /_fw/webhooks') }],
    })
  })
})
