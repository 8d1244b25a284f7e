import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listenToChanges } from '../support/changes'
import { statusAndCode } from '../support/error-code'
import { createBrowser, sessionOf } from '../support/http'
import { newestMail } from '../support/mail'
import { query } from '../support/query'
import { borrowServer, type TestServer } from '../support/server'
import { createTeamWorld, PASSWORD, type TeamPerson } from '../support/team'

const OPERATOR = 'operator@example.test'
const REASON = 'Ticket 4711: notes are missing'
let server: TestServer
let world: ReturnType<typeof createTeamWorld>
let operator: TeamPerson
let second: TeamPerson
let ada: TeamPerson

beforeAll(async () => {
  server = await borrowServer({ env: { FW_OPERATORS: `${OPERATOR},second@example.test`, FW_RATE_LIMITS: 'off' } })
  world = createTeamWorld(server)
  operator = await world.person({ email: OPERATOR })
  second = await world.person({ email: 'second@example.test' })
  ada = await world.person()
})
afterAll(() => server.stop())

const view = ({ userId }: TeamPerson, by = operator, json: object = { reason: REASON }) =>
  by.browser.post(`/_fw/operator/people/${userId}/view`, { json })
const end = () => operator.browser.request('/_fw/view', { method: 'DELETE' })
const noteTitles = async (who: TeamPerson) => {
  const { result } = await (await who.browser.post('/_fw/actions/list-notes', { json: {} })).json()
  return result.notes.map(({ title }: { title: string }) => title)
}
const addNote = (who: TeamPerson, title: string) => who.browser.post('/_fw/actions/create-note', { json: { title } })

describe('viewing as a person', () => {
  it('shows what the person sees, names the operator and end time, and restores the operator’s session', async () => {
    await addNote(ada, 'Of Ada')
    await addNote(operator, 'Of the operator')
    const answer = await view(ada)
    expect(answer.status).toBe(200)
    const { until } = await answer.json()
    expect(Date.parse(until) - Date.now()).toBeGreaterThan(29 * 60_000)
    expect(Date.parse(until) - Date.now()).toBeLessThanOrEqual(30 * 60_000)

    const seen = await sessionOf(operator.browser)
    const own = await sessionOf(ada.browser)
    expect(seen).toMatchObject({ userId: ada.userId, orgId: own?.orgId, orgRole: own?.orgRole })
    expect(seen?.viewedBy).toEqual({ userId: operator.userId, email: OPERATOR, until })
    expect(own).not.toHaveProperty('viewedBy')
    expect(await noteTitles(operator)).toEqual(['Of Ada'])

    expect((await end()).status).toBe(204)
    expect((await sessionOf(operator.browser))?.userId).toBe(operator.userId)
    expect(await noteTitles(operator)).toEqual(['Of the operator'])
  })

  it('blocks changes, full downloads and access for other apps', async () => {
    await view(ada)
    const refused = await Promise.all([
      addNote(operator, 'In her name'),
      operator.browser.request('/_fw/account', { method: 'DELETE', json: {} }),
      operator.browser.post('/_fw/tokens', { json: { name: 'Key', scopes: ['mcp:read'], expiresInDays: 1 } }),
      operator.browser.post('/_fw/auth/change-password', { json: {} }),
      operator.browser.get('/_fw/account/export'),
      operator.browser.get('/_fw/org/members/export'),
      operator.browser.get('/_fw/claim'),
      // Views cannot be nested, whichever person is requested.
      view(ada),
    ])
    for (const answer of refused) expect(await statusAndCode(answer)).toEqual([403, 'view-only'])
    expect((await operator.browser.get('/mcp/oauth/authorize')).status).toBe(403)
    expect(await noteTitles(ada)).toEqual(['Of Ada'])
    const { tokens } = await (await ada.browser.get('/_fw/tokens')).json()
    expect(tokens).toEqual([])
    await end()
    expect(
      await query(server, `select action from audit_log where user_id = '${ada.userId}' and outcome = 'denied'`),
    ).toEqual([])
  })

  it('notifies the person and is logged on both sides', async () => {
    await view(ada)
    await end()
    await expect.poll(() => newestMail(server.dataDir, ada.email).text).toContain(REASON)
    const { events } = await (await ada.browser.get('/_fw/security-events/mine')).json()
    expect(events.map(({ kind }: { kind: string }) => kind)).toContain('account-viewed')
    const rows = await query(
      server,
      `select distinct org_id as orgId, user_email as by from audit_log where action = 'view-person' and outcome = 'ok'`,
    )
    const orgIds = [(await sessionOf(operator.browser))?.orgId, (await sessionOf(ada.browser))?.orgId]
    expect(rows.toSorted((a, b) => String(a.orgId).localeCompare(String(b.orgId)))).toEqual(
      orgIds.toSorted().map(orgId => ({ orgId, by: OPERATOR })),
    )
  })

  it('requires a reason, a recent sign-in and a person who is not suspended and not an operator', async () => {
    expect(await statusAndCode(await view(operator))).toEqual([409, 'cannot-view'])
    expect(await statusAndCode(await view(second))).toEqual([409, 'cannot-view'])
    expect(await statusAndCode(await view({ ...ada, userId: 'nobody' }))).toEqual([404, 'not-found'])
    expect(await statusAndCode(await view(ada, operator, { reason: ' ' }))).toEqual([400, 'invalid-input'])
    expect(await statusAndCode(await view(operator, ada))).toEqual([404, 'not-found'])
    const eve = await world.person()
    await operator.browser.post(`/_fw/operator/people/${eve.userId}/suspension`, { json: { reason: 'Spam' } })
    expect(await statusAndCode(await view(eve))).toEqual([409, 'cannot-view'])
    await query(server, `update sessions set created_at = created_at - 1000000 where user_id = ?`, [operator.userId])
    expect(await statusAndCode(await view(ada))).toEqual([403, 'fresh-session-required'])
    await query(server, `update sessions set created_at = created_at + 1000000 where user_id = ?`, [operator.userId])
  })

  it('has a cookie that works only in its session, and ends the change stream when the person is suspended', async () => {
    const before = operator.browser.cookieHeader()
    await view(ada)
    const cookie = operator.browser.cookieHeader()
    const viewCookie = cookie.split('; ').find(part => part.startsWith('fw.view='))!
    const ofOther = `${ada.browser.cookieHeader()}; ${viewCookie}`
    const answers = [viewCookie, ofOther, `${before}; fw.view=forged`]
    const sessions = await Promise.all(
      answers.map(
        async header =>
          (await (await fetch(`${server.origin}/_fw/session`, { headers: { cookie: header } })).json()).session
            ?.userId ?? null,
      ),
    )
    expect(sessions).toEqual([null, ada.userId, operator.userId])

    const stream = await listenToChanges(server.origin, operator.browser)
    const suspension = `/_fw/operator/people/${ada.userId}/suspension`
    await second.browser.post(suspension, { json: { reason: 'Unusual activity' } })
    await stream.until(({ event }) => event === 'end')
    expect(await statusAndCode(await operator.browser.get('/_fw/org'))).toEqual([403, 'account-suspended'])
    await second.browser.request(suspension, { method: 'DELETE' })
    // Another session of the operator does not continue the view.
    const again = createBrowser(server.origin)
    await again.post('/_fw/auth/sign-in/email', { json: { email: OPERATOR, password: PASSWORD } })
    const both = `${again.cookieHeader()}; ${viewCookie}`
    const answer = await fetch(`${server.origin}/_fw/session`, { headers: { cookie: both } })
    expect((await answer.json()).session.userId).toBe(operator.userId)
    await end()
  })
})
