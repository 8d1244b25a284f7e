import { describe, expect, it } from 'vitest'
import { query } from '../../../support/query'
import { useServer } from '../../../support/use-server'
import { createTeamWorld, type TeamPerson } from '../../../support/team'

const server = useServer({ env: { GOOGLE_CLIENT_ID: 'id', GOOGLE_CLIENT_SECRET: 'secret' } })
const world = createTeamWorld(server)

async function send(who: TeamPerson, method: string, path: string, json: object): Promise<void> {
  const answer = await who.browser.request(path, { method, json })
  expect(answer.status, `${method} ${path}: ${await answer.clone().text()}`).toBeLessThan(300)
}
const newest = async (who: TeamPerson) => (await (await who.browser.get('/_fw/org/audit')).json()).entries[0]

describe('audit rows of an organization’s settings', () => {
  it('keep the name, the access of connected apps and the policies, before and after', async () => {
    const { owner, orgId } = await world.team()
    const [named] = await query(server, 'select name from organizations where id = ?', [orgId])
    await send(owner, 'PATCH', '/_fw/org', { name: 'Northwind' })
    expect((await newest(owner)).changes).toEqual([{ field: 'name', before: named?.name, after: 'Northwind' }])
    await send(owner, 'PATCH', '/_fw/org', { agentsReadOnly: true })
    expect((await newest(owner)).changes).toEqual([{ field: 'agentsReadOnly', before: false, after: true }])
    await send(owner, 'PUT', '/_fw/org/second-factor', { isRequired: true, graceDays: 14 })
    expect((await newest(owner)).changes).toEqual([
      { field: 'isRequired', before: false, after: true },
      { field: 'graceDays', before: null, after: 14 },
    ])
    await send(owner, 'PUT', '/_fw/org/second-factor', { isRequired: true, graceDays: 14 })
    expect((await newest(owner)).changes).toBeNull()
  })

  it('keep the required provider and its domain', async () => {
    const { owner, orgId } = await world.team()
    await query(server, `update organizations set required_auth_domain = 'old.example' where id = ?`, [orgId])
    await send(owner, 'PUT', '/_fw/org/auth-provider', { provider: null, domain: null })
    expect(await newest(owner)).toMatchObject({
      action: 'set-auth-provider',
      changes: [{ field: 'domain', before: 'old.example', after: null }],
    })
  })

  it('keep the role of a member, also when the action changes it, and nothing of a refused call', async () => {
    const { owner, admin, member } = await world.team()
    await send(owner, 'PATCH', `/_fw/org/members/${member.email}`, { role: 'admin' })
    const change = { field: 'role', before: 'member', after: 'admin' }
    expect(await newest(owner)).toMatchObject({ action: 'change-member-role', changes: [change] })
    await send(owner, 'POST', '/_fw/actions/change-member-role', { email: member.email, role: 'member' })
    const back = { field: 'role', before: 'admin', after: 'member' }
    expect(await newest(owner)).toMatchObject({ action: 'change-member-role', changes: [back] })
    const refused = await admin.browser.request(`/_fw/org/members/${owner.email}`, {
      method: 'PATCH',
      json: { role: 'member' },
    })
    expect(refused.status).toBe(403)
    expect(await newest(owner)).toMatchObject({ outcome: 'denied', changes: null })
  })
})
