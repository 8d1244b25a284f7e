import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createBrowser } from '../../../../support/http'
import { addGrant, query } from '../../../../support/query'
import { borrowServer } from '../../../../support/server'
import { useServer } from '../../../../support/use-server'
import { createTeamWorld, type TeamPerson } from '../../../../support/team'

const server = useServer()
const world = createTeamWorld(server)

const run = async (who: TeamPerson, action: string, json: object) => {
  const answer = await who.browser.post(`/_fw/actions/${action}`, { json })
  if (!answer.ok) throw new Error(await answer.text())
  return (await answer.json()).result
}
const feedOf = async (who: TeamPerson, query = '') => (await who.browser.get(`/_fw/activity?${query}`)).json()

describe('GET /_fw/activity', () => {
  it('shows entries that the person may read, and private notes only to their owner', async () => {
    const { owner, member, outsider } = await world.team()
    const { note: mine } = await run(member, 'create-note', { title: 'My dismissal' })
    const { note: ours } = await run(member, 'create-note', { title: 'Weekly metrics' })
    await run(member, 'set-note-visibility', { id: ours.id, visibility: 'org' })
    const told = await feedOf(owner)
    expect(told.entries[0]).toMatchObject({
      action: 'set-note-visibility',
      subject: { title: 'Weekly metrics', path: `/notes/${ours.id}` },
    })
    expect(JSON.stringify(told)).not.toMatch(new RegExp(`dismissal|${mine.id}`))
    expect(JSON.stringify(await feedOf(member))).toMatch(/My dismissal/)
    expect(JSON.stringify(await feedOf(outsider))).not.toMatch(/metrics|dismissal/)
  })

  it('shows MCP hosts by the names they were connected with', async () => {
    const person = await world.person()
    // The first request creates a person's organization.
    await person.browser.get('/_fw/session')
    await addGrant(server, { email: person.email, clientName: 'Claude' })
    const [grant] = await query(server, 'select client_id, org_id from oauth_grants where user_id = ?', [person.userId])
    const clientId = String(grant?.client_id)
    await query(
      server,
      `insert into audit_log (id, at, action, caller, via, user_id, user_email, org_id, outcome, request_id)
        values (?, ?, 'create-note', 'mcp', ?, ?, ?, ?, 'ok', 'r')`,
      [randomUUID(), Date.now(), clientId, person.userId, person.email, String(grant?.org_id)],
    )
    const { entries, hosts } = await feedOf(person)
    expect([entries[0].via, hosts]).toEqual([clientId, { [clientId]: 'Claude' }])
  })

  it('returns 60 pages per person and minute, then 429 with Retry-After', async () => {
    const limited = await borrowServer({ env: { FW_RATE_LIMITS: 'on' } })
    const { browser } = await createTeamWorld(limited).person()
    const answers = await Promise.all(Array.from({ length: 61 }, () => browser.get('/_fw/activity')))
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([...Array(60).fill(200), 429])
    expect(Number(answers.find(({ status }) => status === 429)?.headers.get('retry-after'))).toBeGreaterThan(0)
    await limited.stop()
  })

  it('returns 400 for invalid paging parameters', async () => {
    const person = await world.person()
    for (const wrong of ['before=x', 'itemsPerPage=51'])
      expect((await person.browser.get(`/_fw/activity?${wrong}`)).status).toBe(400)
  })
})

describe('/_fw/org/checklist', () => {
  it('stores the dismissal separately for each person and each organization', async () => {
    const { owner, member } = await world.team()
    const path = '/_fw/org/checklist'
    const put = (json: unknown) => owner.browser.request(path, { method: 'PUT', json })
    expect(await (await owner.browser.get(path)).json()).toEqual({ isDismissed: false })
    expect(await (await put({ isDismissed: true })).json()).toEqual({ isDismissed: true })
    expect(await (await owner.browser.get(path)).json()).toEqual({ isDismissed: true })
    expect(await (await member.browser.get(path)).json()).toEqual({ isDismissed: false })
    await owner.browser.post('/_fw/org', { json: { name: 'Second', confirm: true } })
    expect(await (await owner.browser.get(path)).json()).toEqual({ isDismissed: false })
    expect((await put({ isDismissed: 'yes' })).status).toBe(400)
    expect((await createBrowser(server.origin).get(path)).status).toBe(401)
  })
})
