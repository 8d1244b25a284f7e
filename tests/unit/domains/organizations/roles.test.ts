import { beforeEach, describe, expect, it } from 'vitest'
import { definePermissions } from '#fw'
import { listMet, removeMember, requireOrg } from '#fairway/server/domains/organizations'
import { assignRole, unassignRole } from '#fairway/server/domains/organizations/roles/assignments'
import {
  changeRole,
  createRole,
  deleteRole,
  listRoles,
  planRole,
  planRoleDeletion,
} from '#fairway/server/domains/organizations/roles/roles'
import type { App } from '#fairway/server/kernel/app-context'
import type { Session } from '#fairway/shared/schemas/session'
import { withInterruption, withLatency } from '../../../support/database-slow'
import { addTo, aMember, sessionNow } from '../../../support/members'
import { countRows, query } from '../../../support/query'
import { addAccount } from '../../../support/service-accounts'
import { useTestApp } from '../../../support/use-app'

const permissions = definePermissions({
  'deals:write': 'Create and change deals',
  'deals:purge': 'Delete deals for good',
})
const test = useTestApp({}, { permissions })
let owner: Session
let member: Session
let other: Session

async function join(): Promise<Session> {
  const joined = await aMember(test.app)
  await addTo(test.app, owner, joined, 'member')
  await query(test.app, `insert into user_settings values (?, 'active-org-id', ?)`, [joined.userId, owner.orgId])
  return sessionNow(test.app, joined)
}
beforeEach(async () => {
  owner = await aMember(test.app)
  member = await join()
  other = await join()
})

const manager = (session = owner) => requireOrg(session, 'manage-roles')
const make = async (name = 'Writers', names = ['deals:write'], app: App = test.app) =>
  (await createRole(app, manager(), { name, permissions: names })).id
const give = (id: string, { email }: { email: string }, app: App = test.app) => assignRole(app, manager(), id, email)
const list = (session = owner) => listRoles(test.app, requireOrg(session, 'read-organization'))

/** The permissions that a person holds for all rows. */
const listHeldBy = async (...[app, session]: Parameters<typeof listMet>) =>
  (await listMet(app, session)).filter(name => !name.endsWith('@team'))

describe('createRole', () => {
  it('stores a role once for each name without case and marks', async () => {
    await make('Ärzte')
    await expect(make('ARZTE')).rejects.toMatchObject({ code: 'role-name-taken' })
    const results = await Promise.allSettled(
      Array.from({ length: 10 }, () => make('Twins', ['deals:write'], withLatency(test.app))),
    )
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    const elsewhere = await aMember(test.app)
    await createRole(test.app, manager(elsewhere), { name: 'Ärzte', permissions: ['deals:write'] })
    expect((await list()).roles.map(({ name }) => name)).toEqual(['Ärzte', 'Twins'])
  })

  it('refuses an undeclared permission, a member, and the fifty-first role', async () => {
    await expect(make('X', ['deals:send'])).rejects.toMatchObject({
      code: 'unknown-permission',
      detail: 'There is no permission deals:send. There are: deals:write, deals:purge.',
    })
    expect(() => manager(member)).toThrow(expect.objectContaining({ code: 'forbidden' }))
    for (let count = 0; count < 50; count++) await make(`Role ${count}`)
    await expect(make('One more')).rejects.toMatchObject({ code: 'role-limit' })
  })

  it('refuses an admin whose role ends before the row is written', async () => {
    const admin = await join()
    await query(test.app, `update org_members set role = 'admin' where user_id = ?`, [admin.userId])
    const actor = manager(await sessionNow(test.app, admin))
    const demote = () => query(test.app, `update org_members set role = 'member' where user_id = ?`, [admin.userId])
    const { app } = withInterruption(test.app, 1, demote)
    await expect(createRole(app, actor, { name: 'Late', permissions: ['deals:write'] })).rejects.toMatchObject({
      code: 'conflict',
    })
    expect(await countRows(test.app, 'fw_org_roles')).toBe(0)
  })
})

describe('listRoles', () => {
  it('shows members the roles and their own, and managers the holders too', async () => {
    const id = await make()
    await give(id, member)
    const { id: account } = await addAccount(test.app, owner, { name: 'Nightly export' })
    await give(id, { email: account })
    const [role] = (await list()).roles
    expect(role).toMatchObject({ id, name: 'Writers', permissions: ['deals:write'], holderCount: 2, isMine: false })
    expect(role?.holders).toEqual([
      expect.objectContaining({ id: member.userId, email: member.email, isAccount: false }),
      { id: account, email: account, name: 'Nightly export', image: null, isAccount: true, team: null },
    ])
    expect(await list(member)).toMatchObject({
      roles: [{ id, holders: null, holderCount: null, isMine: true }],
      mine: ['deals:write'],
      canManage: false,
      permissions: [
        { name: 'deals:write', text: 'Create and change deals', appRoles: [] },
        { name: 'deals:purge', text: 'Delete deals for good', appRoles: [] },
      ],
    })
  })

  it('shows a permission that is no longer declared apart', async () => {
    const id = await make()
    await query(test.app, `update fw_org_roles set permissions = '["deals:gone","deals:write"]' where id = ?`, [id])
    expect((await list()).roles).toMatchObject([{ permissions: ['deals:write'], undeclared: ['deals:gone'] }])
  })
})

describe('changeRole', () => {
  it('takes a permission at once, and its dry run names who loses it and changes nothing', async () => {
    const id = await make('Writers', ['deals:write', 'deals:purge'])
    const spare = await make('Spare', ['deals:purge'])
    const { id: account } = await addAccount(test.app, owner)
    for (const holder of [member, other, owner, { email: account }]) await give(id, holder)
    await give(spare, other)
    const less = { permissions: ['deals:write'] }
    const plan = await planRole(test.app, manager(), id, less)
    expect(plan).toMatchObject({ name: 'Writers', total: 2 })
    // The owner holds everything, and the other role of the third person has the permission too.
    expect(plan.losses.map(({ holder, permissions: names }) => [holder.id, names])).toEqual([
      [member.userId, ['deals:purge']],
      [account, ['deals:purge']],
    ])
    expect(await listHeldBy(test.app, member)).toEqual(['deals:write', 'deals:purge'])
    expect(await changeRole(test.app, manager(), id, { ...less, name: 'Authors' })).toEqual({
      ...plan,
      name: 'Authors',
    })
    expect(await listHeldBy(test.app, member)).toEqual(['deals:write'])
    expect(await listHeldBy(test.app, other)).toEqual(['deals:write', 'deals:purge'])
  })

  it('refuses a name that is taken, an undeclared permission and a role of another organization', async () => {
    await make('First')
    const id = await make('Second')
    await expect(changeRole(test.app, manager(), id, { name: 'FIRST' })).rejects.toMatchObject({
      code: 'role-name-taken',
    })
    await expect(changeRole(test.app, manager(), id, { permissions: ['no:such'] })).rejects.toMatchObject({
      code: 'unknown-permission',
    })
    const stranger = await aMember(test.app)
    for (const attempt of [
      changeRole(test.app, manager(stranger), id, { name: 'Mine' }),
      deleteRole(test.app, manager(stranger), { id, confirm: true }),
      assignRole(test.app, manager(stranger), id, stranger.email),
      unassignRole(test.app, manager(stranger), id, stranger.email),
    ])
      await expect(attempt).rejects.toMatchObject({ code: 'not-found' })
    // A name can change its case.
    await changeRole(test.app, manager(), id, { name: 'SECOND' })
    expect((await list()).roles.map(({ name }) => name)).toEqual(['First', 'SECOND'])
  })
})

describe('deleteRole', () => {
  it('requires a confirmation while somebody holds the role', async () => {
    const id = await make()
    await give(id, member)
    await expect(deleteRole(test.app, manager(), { id, confirm: false })).rejects.toMatchObject({
      code: 'in-use',
      extra: { holderCount: 1, holders: [expect.objectContaining({ email: member.email })] },
    })
    expect(await planRoleDeletion(test.app, manager(), id)).toMatchObject({ total: 1 })
    await deleteRole(test.app, manager(), { id, confirm: true })
    expect(await countRows(test.app, 'fw_org_role_members')).toBe(0)
    expect(await listHeldBy(test.app, member)).toEqual([])
    await expect(deleteRole(test.app, manager(), { id, confirm: true })).rejects.toMatchObject({ code: 'not-found' })
  })

  it('deletes a role without holders at once, and one with a row of a former member', async () => {
    const id = await make()
    await query(test.app, `insert into fw_org_role_members values (?, ?, 'gone', '', 'x', 0)`, [owner.orgId, id])
    await deleteRole(test.app, manager(), { id, confirm: false })
    expect(await countRows(test.app, 'fw_org_role_members')).toBe(0)
  })

  it('leaves nothing behind when people get the role at the same time', async () => {
    const id = await make()
    const slow = withLatency(test.app)
    await Promise.allSettled([
      ...Array.from({ length: 8 }, () => give(id, member, slow)),
      deleteRole(slow, manager(), { id, confirm: true }),
      ...Array.from({ length: 8 }, () => give(id, other, slow)),
    ])
    expect([await countRows(test.app, 'fw_org_roles'), await countRows(test.app, 'fw_org_role_members')]).toEqual([
      0, 0,
    ])
  })
})

describe('assignRole', () => {
  it('gives a role once, and unassignRole takes it', async () => {
    const id = await make()
    await Promise.all(Array.from({ length: 10 }, () => give(id, member, withLatency(test.app))))
    expect(await countRows(test.app, 'fw_org_role_members')).toBe(1)
    await unassignRole(test.app, manager(), id, member.email)
    expect(await listHeldBy(test.app, member)).toEqual([])
    await expect(unassignRole(test.app, manager(), id, member.email)).rejects.toMatchObject({ code: 'not-found' })
  })

  it('refuses people outside, accounts of other organizations, and IDs of nobody', async () => {
    const id = await make()
    const stranger = await aMember(test.app)
    const { id: account } = await addAccount(test.app, stranger)
    for (const named of [stranger.email, account, 'nobody', member.userId])
      await expect(give(id, { email: named })).rejects.toMatchObject({ code: 'not-found' })
  })

  it('leaves no row of a member who is removed at any moment of it', async () => {
    const id = await make()
    for (let at = 0; at < 5; at++) {
      const leaver = await join()
      const { app } = withInterruption(test.app, at, () =>
        removeMember(test.app, requireOrg(owner, 'remove-member'), leaver.email),
      )
      await give(id, leaver, app).catch(() => {})
      await removeMember(test.app, requireOrg(owner, 'remove-member'), leaver.email).catch(() => {})
      expect(await countRows(test.app, 'fw_org_role_members where user_id = ?', [leaver.userId])).toBe(0)
    }
  })
})
