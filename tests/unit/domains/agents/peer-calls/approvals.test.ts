import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { decideApproval, showApproval, purgeApprovals } from '#fairway/server/domains/agents'
import type { App } from '#fairway/server/kernel/app-context'
import type { Session } from '#fairway/shared/schemas/session'
import { withLatency } from '../../../../support/database-slow'
import { aMember, anotherOrg } from '../../../../support/members'
import { query } from '../../../../support/query'
import { actions, MAIL, ran, type Receiver, startReceiver } from './a2a-world'

let receiver: Receiver
let ada: Session
let count = 0
beforeAll(async () => {
  receiver = await startReceiver({ FW_RATE_LIMITS: 'off', FW_PEERS: JSON.stringify({ mail: MAIL, docs: DOCS }) })
})
afterAll(() => receiver.stop())
beforeEach(async () => {
  ran.length = 0
  ada = await aMember(receiver.app, { email: `ada${++count}@example.test` })
})

const DOCS = 'https://docs.example.test'

async function ask(input: object = { name: 'it' }, who = ada, action = 'wipe') {
  const answer = await receiver.post({ action, input }, await receiver.token(who.email))
  return { ...answer, id: String(answer.body.approval?.id) }
}

const collect = async (approval: string, { email }: Pick<Session, 'email'> = ada, issuer = MAIL) => {
  const { status, body } = await receiver.post({ approval }, await receiver.token(email, {}, issuer))
  return { status, body }
}

const decide = (id: string, decision: string, session: Session | null = ada, app: App = receiver.app) =>
  decideApproval(app, { id, session, actions, form: { decision }, requestId: 'decided' })

const show = async (id: string, session: Session | null = ada) => {
  const { page, status } = await showApproval(receiver.app, { id, session, actions, requestId: 'shown' })
  const html = page.html.replaceAll('&#39;', "'")
  return { status, html, policy: page.policy }
}

/** Returns the same app some minutes later. */
const later = (minutes: number): App => {
  const { app } = receiver
  return { ...app, now: () => new Date(app.now().getTime() + minutes * 60_000) }
}

describe('destructive peer call', () => {
  it('returns 202 with an approval URL and does not run', async () => {
    const { status, body } = await ask()
    expect(status).toBe(202)
    const { id, url, expiresAt } = body.approval
    expect(id).toMatch(/^[\w-]{43}$/)
    expect(url).toBe(`${receiver.baseUrl}/_fw/a2a/approvals/${id}`)
    expect(Date.parse(expiresAt) - Date.now()).toBeGreaterThan(23 * 60 * 60 * 1000)
    expect(ran).toEqual([])
    expect(await collect(id)).toEqual({ status: 202, body })
  })

  it('creates no approval when the call would be refused', async () => {
    expect((await ask({ name: 7 })).status).toBe(400)
    expect((await ask({}, ada, 'guarded')).status).toBe(403)
    const rows = await query(receiver.app, 'select * from a2a_approvals where user_id = ?', [ada.userId])
    expect(rows).toEqual([])
  })

  it('runs once after approval, and the calling app collects the result', async () => {
    const { id } = await ask({ name: 'old' })
    expect(await decide(id, 'approve')).toEqual({ location: `/approvals/${id}` })
    expect(ran).toEqual([{ name: 'old', orgId: ada.orgId }])
    expect(await collect(id)).toEqual({ status: 200, body: { result: { gone: 'old' } } })
    expect(await collect(id)).toMatchObject({ status: 200 })
    expect((await show(id)).html).toContain('Done')
    const rows = await query(
      receiver.app,
      'select action, caller, via, outcome from audit_log where user_id = ? order by at, id',
      [ada.userId],
    )
    expect(rows).toMatchObject([
      { action: 'request-approval', caller: 'a2a', via: MAIL },
      { action: 'approve-call', caller: 'http', via: null },
      { action: 'wipe', caller: 'a2a', via: MAIL, outcome: 'ok' },
    ])
  })

  it('runs once for twenty concurrent approvals', async () => {
    const { id } = await ask({ name: 'race' })
    const slow = withLatency(receiver.app)
    const answers = await Promise.all(Array.from({ length: 20 }, () => decide(id, 'approve', ada, slow)))
    expect(answers.filter(answer => 'location' in answer)).toHaveLength(1)
    expect(answers.filter(answer => 'status' in answer && answer.status === 409)).toHaveLength(19)
    expect(ran).toHaveLength(1)
  })

  it('is either approved or declined when both decisions arrive concurrently', async () => {
    const { id } = await ask({ name: 'both' })
    const slow = withLatency(receiver.app)
    const decisions = Array.from({ length: 10 }, (_, n) => (n % 2 ? 'approve' : 'decline'))
    const answers = await Promise.all(decisions.map(decision => decide(id, decision, ada, slow)))
    expect(answers.filter(answer => 'location' in answer)).toHaveLength(1)
    const { status } = await collect(id)
    expect(status).toBe(ran.length === 1 ? 200 : 403)
  })

  it('does not run after the person declines, and returns 403 to the calling app', async () => {
    const { id } = await ask()
    await decide(id, 'decline')
    expect(ran).toEqual([])
    expect(await collect(id)).toMatchObject({ status: 403, body: { code: 'not-approved' } })
    expect(await decide(id, 'approve')).toMatchObject({ status: 409 })
    expect(ran).toEqual([])
    expect((await show(id)).html).toContain('You declined')
  })

  it('returns the failure to the calling app without a retry', async () => {
    const { id } = await ask({ name: 'stuck' })
    await decide(id, 'approve')
    const expected = { status: 409, body: { code: 'conflict', detail: 'Somebody else has it.' } }
    expect(await collect(id)).toMatchObject(expected)
    expect(await collect(id)).toMatchObject(expected)
    expect(ran).toHaveLength(1)
    expect((await show(id)).html).toContain('The action failed')
  })

  it('returns 404 to other calling apps and for other people', async () => {
    const eve = await aMember(receiver.app)
    const { id } = await ask()
    await decide(id, 'approve')
    for (const [who, issuer] of [
      [eve, MAIL],
      [ada, DOCS],
      [{ email: 'app:mail' }, MAIL],
    ] as const) {
      expect(await collect(id, who, issuer)).toMatchObject({ status: 404, body: { code: 'not-found' } })
    }
    expect(await collect('nothing')).toMatchObject({ status: 404 })
  })

  it('runs in the organization it was requested in after the person switches organizations', async () => {
    const { id } = await ask({ name: 'here' })
    const now = await anotherOrg(receiver.app, ada)
    expect(now.orgId).not.toBe(ada.orgId)
    expect((await show(id, now)).html).toContain(String(ada.orgName))
    // The page has rehearsed the call. A rollback does not undo a list in memory.
    ran.length = 0
    await decide(id, 'approve', now)
    expect(ran).toEqual([{ name: 'here', orgId: ada.orgId }])
  })

  it('returns 410 after the person leaves the organization', async () => {
    const { id } = await ask()
    await query(receiver.app, 'delete from org_members where user_id = ?', [ada.userId])
    expect(await decide(id, 'approve')).toMatchObject({ status: 410 })
    expect(ran).toEqual([])
  })

  it('gives no result to the calling app after the person was removed from the organization', async () => {
    const { id } = await ask({ name: 'secret' })
    await decide(id, 'approve')
    expect((await collect(id)).body).toEqual({ result: { gone: 'secret' } })
    await query(receiver.app, 'delete from org_members where user_id = ?', [ada.userId])
    expect((await collect(id)).status).toBe(404)
  })

  it('does not run when the organization has since required a sign-in provider', async () => {
    const { id } = await ask()
    await query(receiver.app, "update organizations set required_auth_provider = 'google' where id = ?", [ada.orgId])
    await expect(decide(id, 'approve')).rejects.toMatchObject({ code: 'provider-required' })
    expect(ran).toEqual([])
  })

  it('validates the input again when it runs', async () => {
    const { id } = await ask()
    await query(receiver.app, 'update a2a_approvals set input = ? where id = ?', ['{}', id])
    await decide(id, 'approve')
    expect(ran).toEqual([])
    expect(await collect(id)).toMatchObject({ status: 400, body: { code: 'invalid-input' } })
  })

  it('expires after a day and is purged', async () => {
    const { id } = await ask()
    const tomorrow = later(24 * 60 + 1)
    expect(await decide(id, 'approve', ada, tomorrow)).toMatchObject({ status: 410 })
    await query(receiver.app, 'update a2a_approvals set expires_at = 1 where id = ?', [id])
    expect(await collect(id)).toMatchObject({ status: 410, body: { code: 'approval-ended' } })
    expect((await show(id)).status).toBe(410)
    const { id: open } = await ask()
    await purgeApprovals(receiver.app)
    expect(await collect(id)).toMatchObject({ status: 404 })
    expect(await collect(open)).toMatchObject({ status: 202 })
  })

  it('keeps the result of an approval in the last minute for an hour', async () => {
    const { id } = await ask()
    await decide(id, 'approve', ada, later(24 * 60 - 1))
    const rows = await query(receiver.app, 'select expires_at - decided_at as kept from a2a_approvals where id = ?', [
      id,
    ])
    expect(Number(rows[0]?.kept)).toBe(60 * 60 * 1000)
  })

  it('returns 410 when the process died and no result is stored 16 minutes after approval', async () => {
    const { id } = await ask()
    await query(receiver.app, "update a2a_approvals set status = 'approved', decided_at = ? where id = ?", [
      Date.now() - 60_000,
      id,
    ])
    expect(await collect(id)).toMatchObject({ status: 202 })
    expect((await show(id)).html).toContain('The action is still running')
    await query(receiver.app, 'update a2a_approvals set decided_at = ? where id = ?', [Date.now() - 16 * 60_000, id])
    expect(await collect(id)).toMatchObject({ status: 410 })
  })

  it('is rate limited per account', async () => {
    const limited = await startReceiver()
    const bob = await aMember(limited.app)
    const call = async () =>
      (await limited.post({ action: 'wipe', input: { name: 'x' } }, await limited.token(bob.email))).status
    expect(await call()).toBe(202)
    await query(limited.app, "update rate_limits set count = 60 where key like 'a2a-approvals-account:%'")
    expect(await call()).toBe(429)
    await limited.stop()
  })
})

describe('approval page', () => {
  it('shows the calling app, action, values and account, with escaped HTML and a strict CSP', async () => {
    const { id } = await ask({ name: '<script>alert(1)</script>' })
    const { status, html, policy } = await show(id)
    expect(status).toBe(200)
    const facts = [
      'mail (mail.example.test)',
      'Deletes a thing for good.',
      'wipe',
      '&lt;script&gt;alert(1)&lt;/script&gt;',
      ada.email,
      String(ada.orgName),
      'Approve',
      'Decline',
    ]
    for (const text of facts) expect(html).toContain(text)
    expect(html).not.toContain('<script>alert')
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).toContain("default-src 'none'")
  })

  it('asks about a row by its title and owner, with Decline first and the raw input folded', async () => {
    const [note, now] = [`note-${count}`, Date.now()]
    await query(
      receiver.app,
      `insert into notes (id, owner_email, org_id, visibility, title, created_at, updated_at) values (?, ?, ?, 'private', ?, ?, ?)`,
      [note, ada.email, ada.orgId, 'Ideas <b>', now, now],
    )
    const { id } = await ask({ id: note }, ada, 'delete-note')
    const { html } = await show(id)
    expect(html).toContain('<h1>Delete the note “Ideas &lt;b&gt;”?</h1>')
    expect(html).toContain(`Owner: ${ada.name} (${ada.email}) · changed `)
    expect(html.indexOf('value="decline"')).toBeLessThan(html.indexOf('value="approve"'))
    expect(html.indexOf(note)).toBeGreaterThan(html.indexOf('<details'))
  })

  it('names an owner outside the organization by address alone', async () => {
    const other = await aMember(receiver.app, { name: 'Somebody Else' })
    await query(
      receiver.app,
      `insert into notes (id, owner_email, org_id, visibility, title, created_at, updated_at) values (?, ?, ?, 'org', 'Plan', 0, 0)`,
      [`other-${count}`, other.email, ada.orgId],
    )
    const { id } = await ask({ id: `other-${count}` }, ada, 'delete-note')
    const { html } = await show(id)
    expect(html).toContain(`Owner: ${other.email} · changed `)
    expect(html).not.toContain('Somebody Else')
  })

  it('truncates long values and removes invisible characters', async () => {
    const { id } = await ask({ name: `a\u202Eb\u0007c\n${'x'.repeat(380)}` })
    const { html } = await show(id)
    for (const letter of ['\u202E', '\u0007']) expect(html).not.toContain(letter)
    expect(html).toContain('a b c xxx')
    expect(html).toContain('… and 86 more characters')
  })

  it('returns 401 with a link to the sign-in page and back when there is no session', async () => {
    const { id } = await ask()
    const { status, html } = await show(id, null)
    expect(status).toBe(401)
    expect(html).toContain(`/sign-in?return=${encodeURIComponent(`/approvals/${id}`)}`)
    expect(html).not.toContain('Deletes a thing')
    expect(await decide(id, 'approve', null)).toMatchObject({ status: 401 })
  })

  it('returns 404 for other accounts and ignores their decision', async () => {
    const eve = await aMember(receiver.app)
    const { id } = await ask()
    const { status, html } = await show(id, eve)
    expect(status).toBe(404)
    expect(html).not.toContain('Deletes a thing')
    expect((await show('no-such-id', eve)).html.replaceAll('no-such-id', '')).toBe(html.replaceAll(id, ''))
    expect(await decide(id, 'approve', eve)).toMatchObject({ status: 404 })
    expect(ran).toEqual([])
  })

  it('rejects any other decision', async () => {
    const { id } = await ask()
    for (const decision of ['', 'yes', 'Approve']) {
      await expect(decide(id, decision)).rejects.toMatchObject({ code: 'invalid-request' })
    }
    expect(ran).toEqual([])
  })
})
