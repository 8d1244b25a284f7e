import { splitPlace } from '#fairway/server/domains/actions/audit/audit-place'
import { describe, expect, it } from 'vitest'
import { listenToChanges } from '../support/changes'
import { createBrowser, sessionOf } from '../support/http'
import { connectHost } from '../support/mcp'
import { countRows, query } from '../support/query'
import { useServer } from '../support/use-server'
import { createTeamWorld, type TeamPerson } from '../support/team'

const OPERATOR = 'operator@example.test'
const METRICS = 'metrics-token-0123456789-0123456789'

const server = useServer({ env: { FW_OPERATORS: OPERATOR, FW_METRICS_TOKEN: METRICS } })
const world = createTeamWorld(server)

const send = (who: TeamPerson, method: string, path: string, json?: unknown) =>
  who.browser.request(path, { method, json })

async function metrics(): Promise<string> {
  const headers = { authorization: `Bearer ${METRICS}` }
  return (await fetch(`${server.origin}/_fw/metrics`, { headers })).text()
}

/** A person's rows, the oldest first: action, outcome and the logged part of the input. */
async function rowsOf({ userId }: TeamPerson) {
  const rows = await query(server, 'select * from audit_log where user_id = ? order by id', [userId])
  return rows.map(row => [row.action, row.outcome, JSON.parse(splitPlace(String(row.input)).input ?? '')])
}

describe('Audit log', () => {
  it('lists and exports who did what through which caller, and returns 403 to members', async () => {
    const { owner, member } = await world.team()
    await owner.browser.request('/_fw/org', { method: 'PATCH', json: { name: 'Renamed' } })
    await owner.browser.post('/_fw/actions/create-note', { json: { title: 'First' } })
    await member.browser.request('/_fw/org', { method: 'PATCH', json: { name: 'Mine' } })
    const { entries } = await (await owner.browser.get('/_fw/org/audit?itemsPerPage=3')).json()
    expect(entries).toMatchObject([
      { action: 'update-organization', userEmail: member.email, outcome: 'denied', errorCode: 'forbidden' },
      { action: 'create-note', userEmail: owner.email, caller: 'http', outcome: 'ok' },
      { action: 'update-organization', userEmail: owner.email, outcome: 'ok', input: '{"name":"Renamed"}' },
    ])
    const file = await owner.browser.get('/_fw/org/audit/export?format=csv')
    expect(file.headers.get('content-disposition')).toBe('attachment; filename="audit-log.csv"')
    expect((await file.text()).split('\r\n')[0]).toContain('at,action,caller')
    expect((await member.browser.get('/_fw/org/audit')).status).toBe(403)
  })

  it('shows title and page of a row to people who may read it, and supports every filter', async () => {
    const { owner, member } = await world.team()
    const made = await send(member, 'POST', '/_fw/actions/create-note', { title: 'Weekly metrics' })
    const { id } = (await made.json()).result.note
    await send(member, 'POST', '/_fw/actions/set-note-visibility', { id, visibility: 'org' })
    await send(member, 'POST', '/_fw/actions/archive-note', { id })
    const find = async (query: string) => (await owner.browser.get(`/_fw/org/audit?${query}`)).json()
    const subject = { type: 'notes', id, title: 'Weekly metrics', path: `/notes/${id}` }
    const { entries, people, actions } = await find(`subject=notes/${id}`)
    expect(entries).toMatchObject([
      { action: 'archive-note', subject },
      { action: 'set-note-visibility', subject },
      { action: 'create-note', subject },
    ])
    expect(people).toMatchObject([{ email: member.email, name: 'Person', image: null }])
    expect(actions).toEqual(expect.arrayContaining(['archive-note', 'invite-member']))
    const filters = {
      email: member.email,
      action: 'archive-note',
      outcome: 'ok',
      caller: 'http',
      from: '2020-01-01T00:00:00Z',
    }
    expect(await find(new URLSearchParams(filters).toString())).toMatchObject({ totalItems: 1 })
    expect(await find('until=2020-01-01T00:00:00Z')).toMatchObject({ totalItems: 0, entries: [] })
    for (const wrong of ['outcome=maybe', 'caller=nobody', 'subject=notes', 'from=soon']) {
      const answer = await owner.browser.get(`/_fw/org/audit?${wrong}`)
      expect([answer.status, (await answer.json()).code]).toEqual([400, 'invalid-input'])
    }
  })

  it('adds new rows to the hash chain within five seconds', async () => {
    const { owner } = await world.team()
    await owner.browser.request('/_fw/org', { method: 'PATCH', json: { name: 'Chained' } })
    await expect
      .poll(() => countRows(server, 'audit_log where seq is null'), {
        timeout: 5000,
      })
      .toBe(0)
  })

  it('hides texts of members from owners and admins unless the row is shared with them', async () => {
    const { owner, admin, member } = await world.team()
    const secret = 'My dismissal by the board'
    const made = await send(member, 'POST', '/_fw/actions/create-note', { title: secret, text: secret, pinned: true })
    const { id } = (await made.json()).result.note
    await send(member, 'POST', '/_fw/actions/update-note', { id, title: secret, text: `${secret}.` })
    await send(member, 'POST', '/_fw/actions/update-note', { id, pinned: secret })
    await send(member, 'POST', '/_fw/actions/share-note', { id, email: admin.email, role: 'viewer' })
    await send(member, 'PUT', '/_fw/vault/my-dismissal', { value: secret })
    await send(member, 'DELETE', '/_fw/vault/my-dismissal')
    const told = await (await owner.browser.get('/_fw/org/audit?itemsPerPage=50')).text()
    const file = await (await owner.browser.get('/_fw/org/audit/export?format=jsonl')).text()
    expect(told + file).not.toMatch(/dismissal/)
    // The person with whom the note is shared also reads its title there.
    expect(await (await admin.browser.get('/_fw/org/audit?itemsPerPage=50')).text()).toContain(secret)
    expect((await rowsOf(member)).slice(-6)).toEqual([
      ['create-note', 'ok', { title: '[text]', text: '[text]', pinned: true }],
      ['update-note', 'ok', { id, title: '[text]', text: '[text]' }],
      ['update-note', 'failed', { id, pinned: '[text]' }],
      ['share-note', 'ok', { id, email: admin.email, role: 'viewer' }],
      ['set-own-credential', 'ok', {}],
      ['delete-own-credential', 'ok', {}],
    ])
  })

  it('records whose role was changed and by whom', async () => {
    const { owner, member } = await world.team()
    await send(owner, 'PATCH', `/_fw/org/members/${member.email}`, { role: 'admin' })
    await send(owner, 'POST', '/_fw/actions/change-member-role', { email: member.email, role: 'member' })
    expect((await rowsOf(owner)).slice(-2)).toEqual([
      ['change-member-role', 'ok', { $changes: { role: ['member', 'admin'] }, email: member.email, role: 'admin' }],
      ['change-member-role', 'ok', { $changes: { role: ['admin', 'member'] }, email: member.email, role: 'member' }],
    ])
  })

  it('records a change of the sign-in rule but not its dry run', async () => {
    const owner = await world.person()
    const path = '/_fw/org/auth-provider'
    expect((await send(owner, 'PUT', `${path}?dryRun=true`, { provider: null })).status).toBe(200)
    expect(await rowsOf(owner)).toEqual([])
    expect((await send(owner, 'PUT', path, { provider: null })).status).toBe(200)
    expect(await rowsOf(owner)).toEqual([['set-auth-provider', 'ok', { provider: null, confirm: false }]])
  })

  it('records a requested confirmation as asked and hides it from the organization when nothing is created', async () => {
    const owner = await world.person()
    expect((await send(owner, 'POST', '/_fw/org', { name: 'Second' })).status).toBe(409)
    expect(await rowsOf(owner)).toEqual([['create-organization', 'asked', { name: 'Second', confirm: false }]])
    const { entries } = await (await owner.browser.get('/_fw/org/audit?outcome=asked')).json()
    expect(entries).toEqual([])
  })

  it('counts calls without a session in the metrics instead of storing rows', async () => {
    const before = await countRows(server, 'audit_log')
    const anonymous = createBrowser(server.origin)
    const json = { title: 'x'.repeat(10_000) }
    for (let again = 0; again < 10; again++) {
      expect((await anonymous.post('/_fw/actions/create-note', { json })).status).toBe(401)
      expect((await anonymous.request('/_fw/org', { method: 'PATCH', json })).status).toBe(401)
    }
    expect(await countRows(server, 'audit_log')).toBe(before)
    const counted = (action: string) =>
      `fairway_calls_without_session_total{action="${action}",caller="http",outcome="denied"} 10`
    const text = await metrics()
    for (const action of ['create-note', 'update-organization']) expect(text).toContain(counted(action))
  })
})

describe('Audit log entries', () => {
  it('records that organization credentials are set and deleted, with their names', async () => {
    const owner = await world.person()
    await send(owner, 'PUT', '/_fw/org/vault/openai', { value: 'sk-live-0123456789' })
    await send(owner, 'DELETE', '/_fw/org/vault/openai')
    await send(owner, 'DELETE', '/_fw/org/vault/openai')
    expect(await rowsOf(owner)).toEqual([
      ['set-credential', 'ok', { key: 'openai' }],
      ['delete-credential', 'ok', { key: 'openai' }],
      ['delete-credential', 'failed', { key: 'openai' }],
    ])
  })

  it('records calls with input that is nested too deeply, denied or not', async () => {
    const { member } = await world.team()
    const before = (await rowsOf(member)).length
    const deep = '['.repeat(20_000) + ']'.repeat(20_000)
    const headers = { cookie: member.browser.cookieHeader(), origin: server.origin, 'content-type': 'application/json' }
    const post = (path: string, body: string) => fetch(server.origin + path, { method: 'POST', headers, body })
    expect((await post('/_fw/actions/create-note', `{"title":${deep}}`)).status).toBe(400)
    expect((await post('/_fw/actions/purge-archive', `{"dryRun":${deep}}`)).status).toBe(403)
    expect((await post('/_fw/org', `{"name":${deep}}`)).status).toBe(400)
    const cut = [[[[[['[deep]']]]]]]
    expect((await rowsOf(member)).slice(before)).toEqual([
      ['create-note', 'failed', { title: cut }],
      ['purge-archive', 'denied', { dryRun: cut }],
      ['create-organization', 'failed', {}],
    ])
  })

  it('records exports of the audit log and of security events', async () => {
    const { owner, member } = await world.team()
    const path = '/_fw/org/audit/export?format=jsonl&outcome=ok&from=2026-01-01T00:00:00Z'
    expect(await (await owner.browser.get(path)).text()).toContain('"action":"export-audit-log"')
    expect((await member.browser.get(path)).status).toBe(403)
    const asked = { format: 'jsonl', outcome: 'ok', from: '2026-01-01T00:00:00.000Z' }
    expect((await rowsOf(owner)).at(-1)).toEqual(['export-audit-log', 'ok', asked])
    // The server checks the role before it reads the query.
    expect((await rowsOf(member)).at(-1)).toEqual(['export-audit-log', 'denied', {}])

    const operator = await world.person({ email: OPERATOR })
    const events = '/_fw/security-events/export?subject=ada@example.test'
    expect((await operator.browser.get(events)).status).toBe(200)
    expect(await rowsOf(operator)).toEqual([['export-security-events', 'ok', { format: 'csv' }]])
    expect((await member.browser.get(events)).status).toBe(404)
    expect((await rowsOf(member)).at(-1)?.[0]).toBe('export-audit-log')
  })
})

describe('Audit log across organizations', () => {
  /** A person's rows: action, outcome and the organization that the row belongs to. */
  async function placesOf({ userId }: TeamPerson) {
    const rows = await query(server, 'select * from audit_log where user_id = ? order by id', [userId])
    return rows.map(row => [row.action, row.outcome, row.org_id])
  }
  const invited = async (owner: TeamPerson, email: string, role = 'member') => {
    await send(owner, 'POST', '/_fw/org/invitations', { email, role })
    return world.linkFor(email)
  }

  it('shows an action only in the feed, log, export and stream of the organization it concerns', async () => {
    const here = await world.team()
    const there = await world.team()
    const third = await world.person({ email: 'owner@harbour-works.test' })
    const { orgId: thirdId } = await sessionOf(third.browser)
    await send(third, 'PATCH', '/_fw/org', { allowedDomain: 'harbour-works.test' })
    const traveler = await world.join(here.owner, 'member', await world.person({ email: 'anna@harbour-works.test' }))
    const stream = await listenToChanges(server.origin, here.owner.browser)
    const before = (await placesOf(traveler)).length

    await send(traveler, 'POST', '/_fw/org', { name: 'Quay Works' })
    const quay = await (await send(traveler, 'POST', '/_fw/org', { name: 'Quay Works', confirm: true })).json()
    await send(traveler, 'PUT', '/_fw/org/active', { orgId: here.orgId })
    await send(traveler, 'PUT', '/_fw/org/active', { orgId: here.orgId, confirm: true })
    await send(traveler, 'POST', '/_fw/org/join', { orgId: thirdId })
    const first = await invited(there.owner, traveler.email)
    await send(traveler, 'POST', `/_fw/org/invitations/${first.id}/decline`, { token: first.token })
    const second = await invited(there.owner, traveler.email, 'admin')
    await send(traveler, 'POST', `/_fw/org/invitations/${second.id}/accept`, { token: second.token })
    await send(traveler, 'POST', '/_fw/org/invitations/none/accept', {})
    await send(traveler, 'PUT', '/_fw/org/active', { orgId: 'none', confirm: true })
    await send(traveler, 'PUT', '/_fw/org/active', { orgId: null, confirm: true })
    await send(traveler, 'PUT', '/_fw/org/active', { orgId: there.orgId, confirm: true })
    await send(traveler, 'POST', '/_fw/org/leave')
    expect((await placesOf(traveler)).slice(before)).toEqual([
      ['create-organization', 'asked', null],
      ['create-organization', 'ok', quay.id],
      ['switch-organization', 'asked', null],
      ['switch-organization', 'ok', here.orgId],
      ['join-organization', 'ok', thirdId],
      ['decline-invitation', 'ok', there.orgId],
      ['accept-invitation', 'ok', there.orgId],
      ['accept-invitation', 'failed', null],
      ['switch-organization', 'denied', null],
      ['switch-organization', 'ok', null],
      ['switch-organization', 'ok', there.orgId],
      ['leave-organization', 'ok', there.orgId],
    ])

    await send(here.owner, 'PATCH', '/_fw/org', { name: 'Here' })
    await stream.until(({ data }) => data.action === 'update-organization')
    stream.close()
    const feedOf = async (who: TeamPerson) =>
      (await (await who.browser.get('/_fw/activity')).json()).entries
        .filter(({ userEmail }: { userEmail: string }) => userEmail === traveler.email)
        .map(({ action }: { action: string }) => action)
    expect(await feedOf(there.owner)).toEqual(['leave-organization', 'accept-invitation'])
    expect(await feedOf(third)).toEqual(['join-organization'])
    expect(await feedOf(here.owner)).toEqual(['accept-invitation'])
    expect(stream.changes().map(({ action }) => action)).toEqual(['update-organization'])
    const log = `/_fw/org/audit?email=${traveler.email}`
    const told = await (await here.owner.browser.get(log)).text()
    const file = await (await here.owner.browser.get('/_fw/org/audit/export?format=jsonl')).text()
    expect(told).toContain('switch-organization')
    for (const foreign of [quay.id, 'Quay Works', there.orgId, String(thirdId), first.id, second.id])
      expect(told + file).not.toContain(foreign)

    // Webhooks follow the chain of their organization.
    await expect.poll(() => countRows(server, 'audit_log where seq is null and open_until is null')).toBe(0)
    expect(await countRows(server, `audit_log where seq is not null and chain <> coalesce(org_id, 'none')`)).toBe(0)
  })

  it('assigns platform actions of an agent to the organization of its grant', async () => {
    const here = await world.team()
    const { orgId: ownId } = await sessionOf(here.outsider.browser)
    const invitation = await invited(here.owner, here.outsider.email, 'admin')
    await send(here.outsider, 'POST', `/_fw/org/invitations/${invitation.id}/accept`, { ...invitation, confirm: true })
    const grant = { name: 'Agent', scopes: ['mcp:read', 'mcp:write'], expiresInDays: 30 }
    const { token } = await (await send(here.outsider, 'POST', '/_fw/tokens', grant)).json()
    await send(here.outsider, 'PUT', '/_fw/org/active', { orgId: ownId, confirm: true })
    const before = (await placesOf(here.outsider)).length
    const host = await connectHost(server.origin, token)
    const change = { email: here.member.email, role: 'admin' }
    await host.callTool({ name: 'change-member-role', arguments: change })
    await host.callTool({ name: 'invite-member', arguments: { email: 'new@quay.test' } })
    await host.close()
    expect((await placesOf(here.outsider)).slice(before)).toEqual([
      ['change-member-role', 'ok', here.orgId],
      ['invite-member', 'ok', here.orgId],
    ])
  })
})
