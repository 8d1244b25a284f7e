import { beforeAll, describe, expect, it } from 'vitest'
import { statusAndCode } from '../../../../support/error-code'
import { sessionOf } from '../../../../support/http'
import { useServer } from '../../../../support/use-server'
import { query } from '../../../../support/query'
import { createTeamWorld, type TeamPerson } from '../../../../support/team'

const server = useServer()
const world = createTeamWorld(server)

const request = (by: TeamPerson, method: string, path = '', json?: unknown) =>
  by.browser.request(`/_fw/org/teams${path}`, { method, json })
const add = async (by: TeamPerson, name: string) => String((await (await request(by, 'POST', '', { name })).json()).id)
const setMembers = (by: TeamPerson, id: string, ...people: TeamPerson[]) =>
  request(by, 'PUT', `/${id}/members`, { members: people.map(({ email }) => email) })
const list = async (by: TeamPerson) => (await (await request(by, 'GET')).json()).teams
const errorsOf = async (answer: Response) =>
  ((await answer.json()).errors as { path: string; code: string }[]).map(({ path, code }) => [path, code])
const membersOf = async (id: string) =>
  (await query(server, 'select user_id from fw_team_members where team_id = ? order by user_id', [id])).map(
    ({ user_id: userId }) => userId,
  )

let team: Awaited<ReturnType<typeof world.team>>
beforeAll(async () => {
  team = await world.team()
})

describe('the teams of an organization', () => {
  it('are made by owners and admins, and shown to every member', async () => {
    const { owner, admin, member, outsider } = await world.team()
    const id = await add(admin, 'Sales')
    expect(await (await setMembers(owner, id, member, admin)).json()).toEqual({
      name: 'Sales',
      added: [admin.email, member.email].toSorted(),
      removed: [],
    })
    const [shown] = await list(member)
    expect(shown).toMatchObject({ id, name: 'Sales', isFromDirectory: false, total: 2 })
    expect(shown.people.map(({ email }: { email: string }) => email).toSorted()).toEqual(
      [admin.email, member.email].toSorted(),
    )
    expect(await (await request(member, 'GET', `/${id}`)).json()).toMatchObject({ total: 2, serviceAccounts: [] })
    expect(await list(outsider)).toEqual([])
    expect(await statusAndCode(await request(outsider, 'GET', `/${id}`))).toEqual([404, 'not-found'])
    const refused = [
      await request(member, 'POST', '', { name: 'Mine' }),
      await request(member, 'PATCH', `/${id}`, { name: 'Mine' }),
      await setMembers(member, id),
      await request(member, 'DELETE', `/${id}`, { confirm: true }),
    ]
    expect(await Promise.all(refused.map(statusAndCode))).toEqual(refused.map(() => [403, 'forbidden']))
    const foreign = [
      await request(outsider, 'PATCH', `/${id}`, { name: 'Mine' }),
      await setMembers(outsider, id, outsider),
      await request(outsider, 'DELETE', `/${id}`, { confirm: true }),
    ]
    expect(await Promise.all(foreign.map(statusAndCode))).toEqual(foreign.map(() => [404, 'not-found']))
    expect(await membersOf(id)).toHaveLength(2)
  })

  it('have a plain name each, without regard to case', async () => {
    const { owner } = team
    const id = await add(owner, ' Sales\n')
    const other = await add(owner, 'Support')
    const answers = [
      await request(owner, 'POST', '', { name: 'sALES' }),
      await request(owner, 'PATCH', `/${other}`, { name: 'SALES' }),
    ]
    for (const answer of answers) expect(await errorsOf(answer)).toEqual([['name', 'name-taken']])
    expect((await request(owner, 'PATCH', `/${id}`, { name: 'SALES' })).status).toBe(204)
    for (const name of ['', '\u2800', 'x'.repeat(61)])
      expect((await request(owner, 'POST', '', { name })).status).toBe(400)
    expect((await list(owner)).map(({ name }: { name: string }) => name)).toEqual(['SALES', 'Support'])
  })

  it('are at most 200', async () => {
    const { owner, orgId } = await world.team()
    await query(
      server,
      `insert into fw_teams select 'many-' || value, ?, value, value, null, 'test', 1 from json_each(?)`,
      [orgId, JSON.stringify(Array.from({ length: 199 }, (_, at) => `Team ${at}`))],
    )
    expect((await request(owner, 'POST', '', { name: 'Last' })).status).toBe(201)
    expect(await statusAndCode(await request(owner, 'POST', '', { name: 'One more' }))).toEqual([409, 'team-limit'])
  })
})

describe('the people of a team', () => {
  it('are the whole set, and wrong entries change nothing', async () => {
    const { owner, member, outsider, orgId } = team
    const id = await add(owner, 'Whole')
    await setMembers(owner, id, owner, member)
    const wrong = await request(owner, 'PUT', `/${id}/members`, {
      members: [owner.email, outsider.email, 'nobody@example.test'],
      serviceAccounts: ['unknown'],
    })
    expect(wrong.status).toBe(400)
    expect(await errorsOf(wrong)).toEqual([
      ['members.1', 'no-member'],
      ['members.2', 'no-member'],
      ['serviceAccounts.0', 'no-member'],
    ])
    expect(await membersOf(id)).toEqual([owner.userId, member.userId].toSorted())
    const [before] = await query(server, 'select added_at from fw_team_members where team_id = ? and user_id = ?', [
      id,
      owner.userId,
    ])
    const answer = await request(owner, 'PUT', `/${id}/members`, { members: [owner.email.toUpperCase(), owner.email] })
    expect(await answer.json()).toEqual({ name: 'Whole', added: [], removed: [member.email] })
    expect(await query(server, 'select added_at from fw_team_members where team_id = ?', [id])).toEqual([before])
    const [row] = await query(
      server,
      `select input from audit_log where org_id = ? and action = 'set-team-members' and outcome = 'ok' order by rowid desc limit 1`,
      [orgId],
    )
    expect(JSON.parse(String(row?.input))).toMatchObject({ id, name: 'Whole', added: [], removed: [member.email] })
  })

  it('may be service accounts, which stay unless they are named', async () => {
    const { owner, member } = team
    const id = await add(owner, 'Programs')
    const made = await owner.browser.post('/_fw/org/service-accounts', {
      json: { name: 'Export', role: 'member', scopes: ['mcp:read'] },
    })
    const account = (await made.json()).id
    await request(owner, 'PUT', `/${id}/members`, { members: [member.email], serviceAccounts: [account] })
    await setMembers(owner, id)
    const shown = await (await request(member, 'GET', `/${id}`)).json()
    expect(shown).toMatchObject({ total: 0, people: [], serviceAccounts: [{ id: account, name: 'Export' }] })
    await owner.browser.request(`/_fw/org/service-accounts/${account}`, { method: 'DELETE' })
    expect(await membersOf(id)).toEqual([])
  })

  it('leave with the membership, and stay out when it begins again', async () => {
    const { owner } = team
    const leaver = await world.join(owner, 'member')
    const id = await add(owner, 'Left')
    await setMembers(owner, id, leaver)
    await owner.browser.request(`/_fw/org/members/${leaver.email}`, { method: 'DELETE', json: {} })
    expect(await membersOf(id)).toEqual([])
    await world.join(owner, 'member', leaver)
    expect(await (await request(owner, 'GET', `/${id}`)).json()).toMatchObject({ total: 0, people: [] })
  })

  it('come back with a restored organization', async () => {
    const { owner, member, orgId } = await world.team()
    const id = await add(owner, 'Sales')
    await setMembers(owner, id, member)
    const { orgName } = await sessionOf(owner.browser)
    const deleted = await owner.browser.request('/_fw/org', { method: 'DELETE', json: { name: orgName } })
    expect(deleted.status, await deleted.text()).toBe(200)
    expect((await owner.browser.post('/_fw/org/restore', { json: { orgId } })).status).toBe(200)
    await owner.browser.request('/_fw/org/active', { method: 'PUT', json: { orgId, confirm: true } })
    expect(await (await request(owner, 'GET', `/${id}`)).json()).toMatchObject({ total: 1 })
  })
})

describe('DELETE /_fw/org/teams/:id', () => {
  it('requires confirm for a team that holds something, and takes its shares along', async () => {
    const { owner, member, orgId } = team
    const id = await add(owner, 'Held')
    await setMembers(owner, id, member)
    await query(server, `insert into shares values ('notes', 'n-held', ?, 'viewer', ?, 'test', 1)`, [id, orgId])
    const answer = await request(owner, 'DELETE', `/${id}`)
    expect(answer.status).toBe(409)
    expect(await answer.json()).toMatchObject({
      code: 'in-use',
      holders: { total: 1, people: [{ email: member.email }], shared: [{ table: 'notes', rows: 1 }], rows: [] },
    })
    const planned = await (await request(owner, 'DELETE', `/${id}?dryRun=true`)).json()
    expect(planned).toMatchObject({ name: 'Held', holders: { total: 1, shared: [{ table: 'notes', rows: 1 }] } })
    expect(await membersOf(id)).toEqual([member.userId])
    expect(await (await request(owner, 'DELETE', `/${id}`, { confirm: true })).json()).toEqual(planned)
    expect(await query(server, 'select 1 from shares where user_id = ?', [id])).toEqual([])
    expect(await membersOf(id)).toEqual([])
  })

  it('needs no confirm for an empty one', async () => {
    const id = await add(team.owner, 'Empty')
    expect((await request(team.owner, 'DELETE', `/${id}`)).status).toBe(200)
  })
})
