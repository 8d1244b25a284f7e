import { beforeAll, describe, expect, it } from 'vitest'
import { statusAndCode } from '../../../support/error-code'
import { useServer } from '../../../support/use-server'
import { connectHost } from '../../../support/mcp'
import { countRows, query } from '../../../support/query'
import { createTeamWorld, type TeamPerson } from '../../../support/team'

// The sample declares `notes:purge`, which purge-archive requires. Its app role `curator` carries it.
const server = useServer()
const world = createTeamWorld(server)
const ROLES = '/_fw/org/roles'

const send = (by: TeamPerson, method: string, path: string, json?: unknown) =>
  by.browser.request(path, { method, json })
const create = async (by: TeamPerson, name: string): Promise<string> => {
  const answer = await send(by, 'POST', ROLES, { name, permissions: ['notes:purge'] })
  expect(answer.status).toBe(201)
  return (await answer.json()).id
}
const give = async (by: TeamPerson, id: string, holder: string) =>
  expect((await send(by, 'PUT', `${ROLES}/${id}/members/${holder}`)).status).toBe(200)

/** What one caller may do, on each surface that knows the permission. */
interface Seen {
  call: number
  rehearsal: number
  tool: boolean
  listed: boolean
  own?: boolean
}
const MAY: Seen = { call: 200, rehearsal: 200, tool: true, listed: true, own: true }
const MAY_NOT: Seen = { call: 403, rehearsal: 403, tool: false, listed: false, own: false }

const PURGE = '/_fw/actions/purge-archive'
const bearer = (token: string) => ({ authorization: `Bearer ${token}`, 'content-type': 'application/json' })
const post = async (token: string, path: string) =>
  (await fetch(server.origin + path, { method: 'POST', headers: bearer(token), body: '{}' })).status

async function seenWith(token: string): Promise<Seen> {
  const host = await connectHost(server.origin, token)
  try {
    const { tools } = await host.listTools()
    const called = await host.callTool({ name: 'purge-archive', arguments: {} })
    return {
      call: await post(token, PURGE),
      rehearsal: await post(token, `${PURGE}?rehearse=true`),
      tool: called.isError !== true,
      listed: tools.some(({ name }) => name === 'purge-archive'),
    }
  } finally {
    await host.close()
  }
}

async function tokenOf(person: TeamPerson): Promise<string> {
  const made = await send(person, 'POST', '/_fw/tokens', {
    name: 'Script',
    scopes: ['mcp:read', 'mcp:write'],
    expiresInDays: 7,
  })
  return (await made.json()).token
}
const seenBy = async (person: TeamPerson, token: string): Promise<Seen> => ({
  ...(await seenWith(token)),
  own: (await (await person.browser.get('/_fw/org/permissions')).json()).permissions.includes('notes:purge'),
})

describe('a permission on every surface', () => {
  let owner: TeamPerson
  let member: TeamPerson
  let token: string
  let role: string
  beforeAll(async () => {
    const team = await world.team()
    owner = team.owner
    member = team.member
    token = await tokenOf(member)
    role = await create(owner, 'Archivists')
  })

  it('lets owners and admins in without a role, and no member', async () => {
    const admin = await world.join(owner, 'admin')
    expect(await seenBy(owner, await tokenOf(owner))).toEqual(MAY)
    expect(await seenBy(admin, await tokenOf(admin))).toEqual(MAY)
    expect(await seenBy(member, token)).toEqual(MAY_NOT)
  })

  it('follows a role as it is given, loses the permission, and is taken', async () => {
    await give(owner, role, member.email)
    expect(await seenBy(member, token)).toEqual(MAY)
    await query(server, `update fw_org_roles set permissions = '["notes:other"]' where id = ?`, [role])
    expect(await seenBy(member, token)).toEqual(MAY_NOT)
    expect((await send(owner, 'PATCH', `${ROLES}/${role}`, { permissions: ['notes:purge'] })).status).toBe(200)
    expect(await seenBy(member, token)).toEqual(MAY)
    expect((await send(owner, 'DELETE', `${ROLES}/${role}/members/${member.email}`)).status).toBe(200)
    expect(await seenBy(member, token)).toEqual(MAY_NOT)
  })

  it('follows a role of the application', async () => {
    await send(owner, 'PUT', '/_fw/org/app-roles', { email: member.email, role: 'curator' })
    expect(await seenBy(member, token)).toEqual(MAY)
    await send(owner, 'PUT', '/_fw/org/app-roles', { email: member.email, role: 'reader' })
    expect(await seenBy(member, token)).toEqual(MAY_NOT)
  })

  it('counts for a service account by its own roles', async () => {
    const wanted = { name: 'Cleaner', role: 'member', scopes: ['mcp:read', 'mcp:write'], destructive: true }
    const { id } = await (await send(owner, 'POST', '/_fw/org/service-accounts', wanted)).json()
    const made = await send(owner, 'POST', `/_fw/org/service-accounts/${id}/keys`, { expiresInDays: 30 })
    const { key } = await made.json()
    const { own: _own, ...mayNot } = MAY_NOT
    const { own: _mine, ...may } = MAY
    expect(await seenWith(key)).toEqual(mayNot)
    await give(owner, role, id)
    expect(await seenWith(key)).toEqual(may)
  })

  it('ends with the membership, and comes back with none', async () => {
    const leaver = await world.join(owner, 'member')
    await give(owner, role, leaver.email)
    await send(owner, 'DELETE', `/_fw/org/members/${leaver.email}`)
    expect(await countRows(server, 'fw_org_role_members where user_id = ?', [leaver.userId])).toBe(0)
    await world.join(owner, 'member', leaver)
    await send(leaver, 'PUT', '/_fw/org/active', { orgId: await orgOf(owner), confirm: true })
    expect(await seenBy(leaver, await tokenOf(leaver))).toEqual(MAY_NOT)
  })
})

const orgOf = async (person: TeamPerson): Promise<string> =>
  (await (await person.browser.get('/_fw/session')).json()).session.orgId

describe('roles over HTTP', () => {
  it('answers stable codes, and asks before a role with holders goes', async () => {
    const { owner, member, outsider } = await world.team()
    const id = await create(owner, 'Archivists')
    await give(owner, id, member.email)
    const table: [TeamPerson, string, string, unknown, number, string][] = [
      [owner, 'POST', ROLES, { name: 'archivists', permissions: ['notes:purge'] }, 409, 'role-name-taken'],
      [owner, 'POST', ROLES, { name: 'X', permissions: ['notes:eat'] }, 400, 'unknown-permission'],
      [owner, 'POST', ROLES, { name: 'X', permissions: [] }, 400, 'invalid-input'],
      [owner, 'POST', ROLES, { name: 'x'.repeat(61), permissions: ['notes:purge'] }, 400, 'invalid-input'],
      [owner, 'PUT', `${ROLES}/${id}/members/${outsider.email}`, undefined, 404, 'not-found'],
      [outsider, 'PUT', `${ROLES}/${id}/members/${outsider.email}`, undefined, 404, 'not-found'],
      [outsider, 'DELETE', `${ROLES}/${id}`, { confirm: true }, 404, 'not-found'],
      [member, 'POST', ROLES, { name: 'X', permissions: ['notes:purge'] }, 403, 'forbidden'],
      [member, 'PUT', `${ROLES}/${id}/members/${member.email}`, undefined, 403, 'forbidden'],
      [owner, 'DELETE', `${ROLES}/${id}`, {}, 409, 'in-use'],
    ]
    for (const [by, method, path, json, ...expected] of table)
      expect(await statusAndCode(await send(by, method, path, json)), `${method} ${path}`).toEqual(expected)
    const refused = await (await send(owner, 'DELETE', `${ROLES}/${id}`, {})).json()
    expect(refused).toMatchObject({ holderCount: 1, holders: [{ email: member.email, isAccount: false }] })
    const dry = await send(owner, 'DELETE', `${ROLES}/${id}?dryRun=true`, {})
    expect(await dry.json()).toMatchObject({ total: 1, losses: [{ permissions: ['notes:purge'] }] })
    expect((await send(owner, 'DELETE', `${ROLES}/${id}`, { confirm: true })).status).toBe(200)
  })

  it('leaves audit rows with the names, and none of a dry run', async () => {
    const { owner, member } = await world.team()
    const id = await create(owner, 'Archivists')
    const wanted = { name: 'Cleaner', role: 'member', scopes: ['mcp:read'] }
    const { id: account } = await (await send(owner, 'POST', '/_fw/org/service-accounts', wanted)).json()
    await give(owner, id, member.email)
    await give(owner, id, account)
    await send(owner, 'PATCH', `${ROLES}/${id}?dryRun=true`, { name: 'Keepers' })
    await send(owner, 'PATCH', `${ROLES}/${id}`, { name: 'Keepers' })
    await send(owner, 'DELETE', `${ROLES}/${id}/members/${account}`)
    await send(owner, 'DELETE', `${ROLES}/${id}`, { confirm: true })
    const rows = await query(
      server,
      `select action, input from audit_log where org_id = ? and action like '%-role' order by at, id`,
      [await orgOf(owner)],
    )
    expect(rows.map(({ action, input }) => [action, JSON.parse(String(input))])).toEqual([
      ['create-role', expect.objectContaining({ id, name: 'Archivists', permissions: ['notes:purge'] })],
      ['assign-role', expect.objectContaining({ id, name: 'Archivists', email: member.email, account: null })],
      ['assign-role', expect.objectContaining({ id, name: 'Archivists', email: account, account: 'Cleaner' })],
      ['change-role', expect.objectContaining({ id, name: 'Keepers' })],
      ['unassign-role', expect.objectContaining({ id, name: 'Keepers', email: account, account: 'Cleaner' })],
      ['delete-role', expect.objectContaining({ id, name: 'Keepers', confirm: true })],
    ])
  })

  it('keeps roles and holders while a deleted organization can be restored', async () => {
    const { owner, member } = await world.team()
    const id = await create(owner, 'Archivists')
    await give(owner, id, member.email)
    const orgId = await orgOf(owner)
    const { session } = await (await owner.browser.get('/_fw/session')).json()
    expect((await send(owner, 'DELETE', '/_fw/org', { name: session.orgName })).status).toBe(200)
    const own = async () => (await (await member.browser.get('/_fw/org/permissions')).json()).permissions
    expect(await query(server, 'select count(*) as n from fw_org_role_members where org_id = ?', [orgId])).toEqual([
      { n: 1 },
    ])
    expect((await send(owner, 'POST', '/_fw/org/restore', { orgId })).status).toBe(200)
    await send(member, 'PUT', '/_fw/org/active', { orgId, confirm: true })
    expect(await own()).toEqual(['notes:purge'])
  })

  it('are in the file with a person’s own data', async () => {
    const { owner, member } = await world.team()
    await give(owner, await create(owner, 'Archivists'), member.email)
    const answer = await member.browser.get('/_fw/account/export')
    expect(await answer.json()).toMatchObject({
      account: {
        organizationRoles: [{ organization: await orgOf(owner), name: 'Archivists', permissions: '["notes:purge"]' }],
      },
    })
  })
})
