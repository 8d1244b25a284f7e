import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { defineAction } from '#fw'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { decideApproval, showApproval } from '#fairway/server/domains/agents'
import { type AgentCall, approverOf, runWhenApproved } from '#fairway/server/domains/agents/held-calls'
import { listWaitingFor } from '#fairway/server/domains/agents/list-waiting'
import { answerTokenRequest, findGrantAccess } from '#fairway/server/domains/oauth-server'
import type { Action } from '#fairway/server/domains/actions'
import type { App } from '#fairway/server/kernel/app-context'
import { backgroundDone } from '#fairway/server/kernel/background'
import type { Session } from '#fairway/shared/schemas/session'
import { type McpApplication, startMcpApplication } from '../../../fixtures/mcp/application'
import { withLatency } from '../../../support/database-slow'
import { readOutbox } from '../../../support/mail'
import { connectEarlierHost, connectHost } from '../../../support/mcp'
import { aMember, addTo, sessionNow } from '../../../support/members'
import { approve } from '../../../support/oauth-grant'
import { query } from '../../../support/query'

const dropped: unknown[] = []
const input = z.object({
  id: z.string(),
  why: z.object({ a: z.number(), b: z.number() }).optional(),
  note: z.string().optional(),
})
const run = ({ id }: { id: string }) => {
  dropped.push(id)
  if (id === 'stuck') throw new AppError('conflict', { detail: 'Somebody else has it.' })
  return { gone: id }
}
const reason = z.object({ reason: z.string() })
const declared = {
  drop: defineAction({ description: 'Deletes a thing for good.', destructive: true, input, run }),
  guarded: defineAction({ description: 'Deletes.', destructive: true, guard: () => false, input, run }),
  publish: defineAction({ description: 'Publishes a thing.', approval: { by: 'admin' }, input, run }),
  asks: defineAction({
    description: 'Publishes with a reason.',
    approval: { by: 'admin' },
    input,
    run({ id }, { host }) {
      const answer = host?.answer('why', reason) ?? host?.ask({ why: { message: 'Why?', form: reason } })
      dropped.push(`${id}: ${answer?.reason}`)
      return {}
    },
  }),
}
const actions = new Map(Object.entries(declared).map(([name, action]) => [name, action as unknown as Action]))

let application: McpApplication
let ada: Session
let count = 0
beforeAll(async () => {
  application = await startMcpApplication({
    declared: {
      actions: [...actions].map(([name, action]) => ({ name, group: 'test', action })),
      resources: [],
      prompts: [],
      apps: [],
    },
  })
})
afterAll(() => application.close())
beforeEach(async () => {
  dropped.length = 0
  ada = await aMember(application.app, { email: `held${++count}@example.test`, name: 'Ada' })
})

async function aHost(person = ada, options: Parameters<typeof approve>[2] = {}) {
  const { access_token: token } = await answerTokenRequest(application.app, {
    form: await approve(application.app, person, options),
  })
  return connectHost(application.origin, token)
}

const sent = () => readOutbox((application.app.config.mail.outbox ?? '').replace(/outbox$/, ''))
const rowsOf = (person = ada) =>
  query(application.app, 'select * from a2a_approvals where user_id = ? order by created_at', [person.userId])

type Host = Pick<Awaited<ReturnType<typeof connectHost>>, 'callTool'>
interface Asked {
  state: string
  id: string
  url: string
  expiresAt: string
}
async function callTool(host: Host, name: string, args: Record<string, unknown>) {
  const result = await host.callTool({ name, arguments: args })
  const meta = (result._meta ?? {}) as { 'fairway/approval'?: Asked; 'fairway/error'?: { code: string } }
  const approval = meta['fairway/approval']
  return { result, approval, id: approval?.id ?? '', code: meta['fairway/error']?.code }
}

const decide = (id: string, form: Record<string, string>, session: Session | null = ada, app: App = application.app) =>
  decideApproval(app, { id, session, actions, form, requestId: 'decided' })
const show = async (id: string, session: Session | null = ada) => {
  const { page, status } = await showApproval(application.app, { id, session, actions, requestId: 'shown' })
  return { status, html: page.html.replaceAll('&#39;', "'") }
}

describe('approverOf', () => {
  const none = { destructive: false } as Action
  const deletes = { destructive: true } as Action
  const byAdmin = { destructive: false, approval: { by: 'admin' } } as Action
  it.each([
    ['always', deletes, 'person'],
    ['always', none, null],
    ['always', byAdmin, 'admin'],
    ['never', deletes, null],
    ['never', byAdmin, 'admin'],
    ['in-host', deletes, null],
    ['in-host', byAdmin, null],
  ] as const)('for an access that asks “%s” (%#)', (asksFirst, action, approver) => {
    expect(approverOf(action, { asksFirst })).toBe(approver)
  })
})

describe('destructive call of a host that cannot ask', () => {
  it('waits, and says where and until when the person can answer', async () => {
    const { result, approval, code } = await callTool(await aHost(), 'drop', { id: 'n1' })
    const url = `${application.app.config.baseUrl}/approvals/${approval?.id}`
    expect(result.isError).toBe(true)
    expect(approval).toEqual({
      state: 'waiting',
      id: expect.stringMatching(/^[\w-]{43}$/),
      url,
      expiresAt: expect.any(String),
    })
    expect(code).toBe('approval-waiting')
    expect(JSON.stringify(result.content)).toContain(url)
    expect(dropped).toEqual([])
  })

  it('is asked about once, whatever the order of its arguments', async () => {
    const host = await aHost()
    const first = await callTool(host, 'drop', { id: 'n1', why: { a: 1, b: 2 }, note: null })
    const again = await callTool(host, 'drop', { why: { b: 2, a: 1 }, id: 'n1' })
    expect(again.approval).toEqual(first.approval)
    const other = await callTool(host, 'drop', { id: 'n2', why: { a: 1, b: 2 } })
    expect(other.id).not.toBe(first.id)
    expect(await rowsOf()).toHaveLength(2)
  })

  it('is asked about once when twenty identical calls arrive concurrently', async () => {
    const host = await aHost()
    const calls = await Promise.all(Array.from({ length: 20 }, () => callTool(host, 'drop', { id: 'n1' })))
    expect(new Set(calls.map(({ id }) => id)).size).toBe(1)
    await backgroundDone(application.app)
    const asked = await query(
      application.app,
      "select input from audit_log where action = 'request-approval' and user_id = ?",
      [ada.userId],
    )
    expect(asked).toEqual([{ input: expect.stringContaining('"tool":"drop","app":"Host"') }])
  })

  it('runs once with the same arguments after approval, and is then a new question', async () => {
    const host = await connectEarlierHostOf(ada)
    const { id } = await callTool(host, 'drop', { id: 'n1' })
    expect(await decide(id, { decision: 'approve' })).toEqual({ location: `/approvals/${id}` })
    expect(dropped).toEqual([])
    expect((await callTool(host, 'drop', { id: 'n2' })).approval?.state).toBe('waiting')
    expect((await callTool(host, 'drop', { id: 'n1' })).result.structuredContent).toEqual({ gone: 'n1' })
    expect((await show(id)).html).toContain('Done')
    const again = await callTool(host, 'drop', { id: 'n1' })
    expect([again.approval?.state, again.id === id]).toEqual(['waiting', false])
    expect(dropped).toEqual(['n1'])
    const rows = await query(
      application.app,
      'select action, caller, outcome from audit_log where user_id = ? order by at, id',
      [ada.userId],
    )
    expect(rows.map(({ action, caller }) => [action, caller])).toEqual([
      ['request-approval', 'mcp'],
      ['approve-call', 'http'],
      ['request-approval', 'mcp'],
      ['drop', 'mcp'],
      ['request-approval', 'mcp'],
    ])
  })

  it('runs once when twenty identical calls arrive after approval', async () => {
    const { access, call } = await callOf(ada)
    const slow = withLatency(application.app)
    const once = () => runWhenApproved(slow, { ...call, access }, 'person', async () => run({ id: 'race' }))
    await expect(once()).rejects.toMatchObject({ code: 'approval-waiting' })
    const [asked] = await rowsOf()
    await decide(String(asked?.id), { decision: 'approve' })
    const outcomes = await Promise.allSettled(Array.from({ length: 20 }, once))
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(dropped).toEqual(['race'])
  })

  it('is denied for as long as the question lives', async () => {
    const host = await aHost()
    const { id } = await callTool(host, 'drop', { id: 'n1' })
    await decide(id, { decision: 'decline' })
    for (let round = 0; round < 2; round++) {
      const { approval, code } = await callTool(host, 'drop', { id: 'n1' })
      expect([approval?.state, approval?.id, code]).toEqual(['denied', id, 'not-approved'])
    }
    expect(await decide(id, { decision: 'approve' })).toMatchObject({ status: 409 })
    expect(dropped).toEqual([])
  })

  it('is a new question after an hour without the approved call, and after a day without an answer', async () => {
    const host = await aHost()
    const { id } = await callTool(host, 'drop', { id: 'n1' })
    const [asked] = await rowsOf()
    expect(Number(asked?.expires_at) - Date.now()).toBeGreaterThan(23 * 3_600_000)
    await decide(id, { decision: 'approve' })
    const [approved] = await rowsOf()
    expect(Math.abs(Number(approved?.expires_at) - Date.now() - 3_600_000)).toBeLessThan(60_000)
    await query(application.app, 'update a2a_approvals set expires_at = ? where id = ?', [Date.now() - 1, id])
    expect((await show(id)).status).toBe(410)
    const again = await callTool(host, 'drop', { id: 'n1' })
    expect([again.approval?.state, again.id === id]).toEqual(['waiting', false])
  })

  it('runs from the page when the person ticks that, and its host gets the result once', async () => {
    const host = await aHost()
    const { id } = await callTool(host, 'drop', { id: 'n1' })
    await decide(id, { decision: 'approve', now: 'on' })
    expect(dropped).toEqual(['n1'])
    expect((await show(id)).html).toMatch(/The action has run.*gone/s)
    expect((await callTool(host, 'drop', { id: 'n1' })).result.structuredContent).toEqual({ gone: 'n1' })
    expect((await callTool(host, 'drop', { id: 'n1' })).approval?.state).toBe('waiting')
    expect(dropped).toEqual(['n1'])
    const [row] = await query(
      application.app,
      "select caller, via, user_id from audit_log where action = 'drop' and user_id = ?",
      [ada.userId],
    )
    expect(row).toMatchObject({ caller: 'mcp', via: 'https://host.example.com/client.json' })
  })

  it('shows a failure on the page and sends it to the host', async () => {
    const host = await aHost()
    const { id } = await callTool(host, 'drop', { id: 'stuck' })
    await decide(id, { decision: 'approve', now: 'on' })
    expect((await show(id)).html).toContain('The action failed')
    expect((await callTool(host, 'drop', { id: 'stuck' })).code).toBe('conflict')
    expect(dropped).toEqual(['stuck'])
  })

  it('is not asked about when the person could not call it', async () => {
    expect((await callTool(await aHost(), 'guarded', { id: 'n1' })).code).toBe('forbidden')
    expect((await callTool(await aHost(), 'drop', { id: 7 })).code).toBe('invalid-input')
    expect(await rowsOf()).toEqual([])
  })

  it('ends with its grant', async () => {
    const host = await aHost()
    const { id } = await callTool(host, 'drop', { id: 'n1' })
    await query(application.app, 'update oauth_grants set revoked_at = ? where user_id = ?', [Date.now(), ada.userId])
    expect((await show(id)).status).toBe(410)
    expect(await decide(id, { decision: 'approve', now: 'on' })).toMatchObject({ status: 410 })
    expect(dropped).toEqual([])
  })

  it('keeps at most twenty questions of a grant waiting', async () => {
    const host = await aHost()
    for (let at = 0; at < 20; at++) await callTool(host, 'drop', { id: `n${at}` })
    expect((await callTool(host, 'drop', { id: 'n20' })).code).toBe('too-many-approvals')
    expect((await callTool(host, 'drop', { id: 'n3' })).approval?.state).toBe('waiting')
    expect(await rowsOf()).toHaveLength(20)
  })

  it('runs without a question where the person did not want one', async () => {
    const host = await aHost(ada, { asksFirst: false })
    expect((await callTool(host, 'drop', { id: 'n1' })).result.structuredContent).toEqual({ gone: 'n1' })
    const asking = await answerTokenRequest(application.app, {
      form: await approve(application.app, ada, { asksFirst: false }),
    })
    const able = await connectHost(application.origin, asking.access_token, { elicitation: {} })
    expect((await callTool(able, 'drop', { id: 'n2' })).result.structuredContent).toEqual({ gone: 'n2' })
  })

  it('mails the person a link, without words of the agent', async () => {
    const { id } = await callTool(await aHost(), 'drop', { id: 'transfer now' })
    await backgroundDone(application.app)
    const mail = sent().find(({ to }) => to === ada.email)
    expect(mail?.subject).toContain('Host asks for your approval')
    expect(mail?.text).toContain(`/approvals/${id}`)
    expect(mail?.text).not.toContain('transfer now')
  })
})

describe('listWaitingFor', () => {
  const idsFor = async (session: Session) => (await listWaitingFor(application.app, session)).map(({ id }) => id)

  it('lists what a person can answer, by the name of the app, and nothing of an ended grant', async () => {
    const ben = await aMember(application.app)
    await addTo(application.app, ada, ben, 'admin')
    const admin: Session = { ...ben, orgId: ada.orgId, orgRole: 'admin' }
    const host = await aHost()
    const { id } = await callTool(host, 'drop', { id: 'n1' })
    const { id: forAdmins } = await callTool(host, 'publish', { id: 'n1' })
    const [waits] = await listWaitingFor(application.app, ada)
    expect(waits).toMatchObject({ id, path: `/approvals/${id}`, app: 'Host', action: 'drop' })
    expect([await idsFor(ada), await idsFor(admin), await idsFor(ben)]).toEqual([[id], [forAdmins], []])
    await decide(id, { decision: 'decline' })
    expect(await idsFor(ada)).toEqual([])
    await query(application.app, 'update oauth_grants set revoked_at = 1 where user_id = ?', [ada.userId])
    expect(await idsFor(admin)).toEqual([])
  })
})

describe('approval page of a host', () => {
  it('returns 401 without a session and 404 for other people', async () => {
    const { id } = await callTool(await aHost(), 'drop', { id: 'n1' })
    const ben = await aMember(application.app)
    await addTo(application.app, ada, ben, 'admin')
    expect((await show(id, null)).status).toBe(401)
    expect((await show(id, ben)).status).toBe(404)
    expect(await decide(id, { decision: 'approve', now: 'on' }, ben)).toMatchObject({ status: 404 })
    expect(dropped).toEqual([])
  })

  it('says who asks until when, marks the input as information, and offers denial first', async () => {
    const { id } = await callTool(await aHost(), 'drop', { id: 'already approved by Ada' })
    const { html } = await show(id)
    for (const text of [
      'App, as it calls itself',
      'Host',
      ada.orgName,
      ada.email,
      'Answer by',
      'not as instructions',
      'already approved by Ada',
    ])
      expect(html).toContain(text)
    expect(html.indexOf('value="decline"')).toBeLessThan(html.indexOf('value="approve"'))
  })
})

describe('an action that an admin must approve', () => {
  const anAdmin = async (role: 'admin' | 'member' = 'admin') => {
    const ben = await aMember(application.app)
    await addTo(application.app, ada, ben, role)
    return sessionNow(application.app, ben)
  }

  it('waits for another owner or admin, who hears of it, and never for the person of the app', async () => {
    const ben = await anAdmin()
    const member = await anAdmin('member')
    const host = await aHost(ada, { asksFirst: false })
    const { id, result } = await callTool(host, 'publish', { id: 'n1' })
    expect(JSON.stringify(result.content)).toContain('another owner or admin')
    await backgroundDone(application.app)
    const told = sent()
      .filter(({ text }) => text.includes(id))
      .map(({ to }) => to)
    expect(told).toEqual([ben.email])
    expect((await show(id)).html).toContain('Another owner or admin must approve this')
    expect((await show(id)).html).not.toContain('value="approve"')
    await expect(decide(id, { decision: 'approve', now: 'on' })).rejects.toMatchObject({ code: 'forbidden' })
    expect((await show(id, member)).status).toBe(404)
    expect((await show(id, ben)).html).toContain(ada.email)
    await decide(id, { decision: 'approve' }, ben)
    expect((await callTool(host, 'publish', { id: 'n1' })).result.structuredContent).toEqual({ gone: 'n1' })
  })

  it('is refused where nobody else can approve it', async () => {
    expect((await callTool(await aHost(), 'publish', { id: 'n1' })).code).toBe('no-approver')
    expect(await rowsOf()).toEqual([])
  })

  it('can be denied by the person of the app', async () => {
    await anAdmin()
    const host = await aHost()
    const { id } = await callTool(host, 'publish', { id: 'n1' })
    await decide(id, { decision: 'decline' })
    expect((await callTool(host, 'publish', { id: 'n1' })).approval?.state).toBe('denied')
  })

  it('keeps its approval while the action asks the host something first', async () => {
    const ben = await anAdmin()
    const { access_token: token } = await answerTokenRequest(application.app, {
      form: await approve(application.app, ada),
    })
    const host = await connectHost(application.origin, token, { elicitation: {} })
    host.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { reason: 'due' } }) as never)
    const { id } = await callTool(host, 'asks', { id: 'n1' })
    await decide(id, { decision: 'approve' }, ben)
    expect((await callTool(host, 'asks', { id: 'n1' })).result.isError).toBeFalsy()
    expect(dropped).toEqual(['n1: due'])
    expect((await callTool(host, 'asks', { id: 'n1' })).approval?.state).toBe('waiting')
  })
})

async function connectEarlierHostOf(person: Session) {
  const { access_token: token } = await answerTokenRequest(application.app, {
    form: await approve(application.app, person),
  })
  return connectEarlierHost(application.origin, token) as unknown as Promise<Host>
}

async function callOf(person: Session) {
  await answerTokenRequest(application.app, { form: await approve(application.app, person) })
  const [grant] = await query(application.app, 'select id from oauth_grants where user_id = ?', [person.userId])
  const access = await findGrantAccess(application.app, String(grant?.id))
  if (!access) throw new Error('there is no grant')
  const action = actions.get('drop') as Action
  const call: AgentCall = { name: 'drop', action, input: { id: 'race' }, access, caller: 'mcp', requestId: 'r' }
  return { access, call }
}
