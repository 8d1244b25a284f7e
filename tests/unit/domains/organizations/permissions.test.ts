import { beforeAll, describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import {
  defineAction,
  defineAppRoles,
  defineFwConfig,
  definePermissions,
  requireAll,
  requireOrgRole,
  requirePermission,
} from '#fw'
import { permission } from 'nuxt-fairway/tables'
import { runAction } from '#fairway/server/domains/actions'
import { planMapping } from '#fairway/server/domains/directory/directory-roles'
import {
  assignAppRole,
  carriedBy,
  checkGrants,
  endServiceAccount,
  listMet,
  requireOrg,
} from '#fairway/server/domains/organizations'
import { assignRole } from '#fairway/server/domains/organizations/roles/assignments'
import { changeRole, createRole } from '#fairway/server/domains/organizations/roles/roles'
import { withRun } from '#fairway/server/kernel/current-run'
import type { Session } from '#fairway/shared/schemas/session'
import { addTo, aMember, sessionNow } from '../../../support/members'
import { query } from '../../../support/query'
import { addAccount } from '../../../support/service-accounts'
import { shareTestApp } from '../../../support/use-app'

const permissions = definePermissions({
  'deals:write': 'Create and change deals',
  'deals:purge': 'Delete deals for good',
})
const appRoles = defineAppRoles({
  appId: 'crm',
  roles: ['closer', 'reader'],
  permissions: { closer: ['deals:purge'] },
})

const test = shareTestApp({}, { appRoles, permissions })
let owner: Session
let admin: Session
let member: Session
let writer: Session
let closer: Session
let writers: string

async function join(role: 'admin' | 'member'): Promise<Session> {
  const joined = await aMember(test.app)
  await addTo(test.app, owner, joined, role)
  await query(test.app, `insert into user_settings values (?, 'active-org-id', ?)`, [joined.userId, owner.orgId])
  return sessionNow(test.app, joined)
}

const manager = () => requireOrg(owner, 'manage-roles')

beforeAll(async () => {
  owner = await aMember(test.app)
  admin = await join('admin')
  member = await join('member')
  writer = await join('member')
  closer = await join('member')
  writers = (await createRole(test.app, manager(), { name: 'Writers', permissions: ['deals:write'] })).id
  await assignRole(test.app, manager(), writers, writer.email)
  await assignAppRole(test.app, requireOrg(owner, 'assign-app-role'), { email: closer.email, role: 'closer' })
})

/** The permissions that a person holds for all rows. */
const listHeldBy = async (...[app, session, names]: Parameters<typeof listMet>) =>
  (await listMet(app, session, names)).filter(name => !name.endsWith('@team'))

const asAccount = (id: string): Session => ({ ...owner, serviceAccount: { id, name: 'Script', isOwners: true } })

/** A row that names a role and a person, as a lost race or a restored backup could leave it. */
const leave = (roleId: string, userId: string, teamId = '') =>
  query(test.app, 'insert into fw_org_role_members values (?, ?, ?, ?, ?, 0)', [
    owner.orgId,
    roleId,
    userId,
    teamId,
    owner.userId,
  ])

describe('definePermissions', () => {
  it.each([
    ['no name', {}],
    ['a name without a verb', { deals: 'Deals' }],
    ['capital letters', { 'Deals:write': 'Deals' }],
    ['a name that is too long', { [`deals:${'x'.repeat(60)}`]: 'Deals' }],
    ['an empty text', { 'deals:write': ' ' }],
    ['a text that is too long', { 'deals:write': 'x'.repeat(121) }],
    ['too many names', Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`deals:n${index}`, 'Deals']))],
  ])('throws at load for %s', (_name, texts) => {
    expect(() => definePermissions(texts as Record<string, string>)).toThrow(/definePermissions/)
  })

  it.each([
    ['requirePermission', () => requirePermission('deals:send')],
    ['permission() of a policy', () => permission('deals:send')],
    [
      'defineAppRoles',
      () => defineAppRoles({ appId: 'crm', roles: ['closer'], permissions: { closer: ['deals:send'] } }),
    ],
  ])('makes %s throw at load for an undeclared name, with the names there are', (_name, declare) => {
    expect(declare).toThrow(/"deals:send"; there are: .*deals:write, deals:purge/)
  })

  it('makes defineAppRoles and defineFwConfig throw for roles and permissions that are not declared', () => {
    expect(() =>
      defineAppRoles({ appId: 'crm', roles: ['closer'], permissions: { opener: ['deals:write'] } as never }),
    ).toThrow(/"opener" is not declared; there are: closer/)
    expect(() => defineFwConfig({ appRoles })).toThrow(/carry "deals:purge"; permissions has: none/)
    expect(() => defineFwConfig({ permissions: { 'deals:write': 'x' } as never })).toThrow(
      /must come from definePermissions/,
    )
  })
})

describe('who holds a permission', () => {
  const held = (session: Session) => listHeldBy(test.app, session)
  const all = ['deals:write', 'deals:purge']

  it.each<[string, () => Session, string[]]>([
    ['an owner', () => owner, all],
    ['an admin', () => admin, all],
    ['a member without a role', () => member, []],
    ['a member with a role that owners made', () => writer, ['deals:write']],
    ['a member with a role of the application', () => closer, ['deals:purge']],
    ['somebody without an organization', () => ({ ...owner, orgId: null, orgName: null, orgRole: null }), []],
    ['an owner of another organization', () => ({ ...owner, orgId: 'another' }), []],
  ])('%s', async (_name, session, names) => {
    expect(await held(session())).toEqual(names)
  })

  it('leaves out a former member whose row stayed, and a role of another organization', async () => {
    const stranger = await aMember(test.app)
    await leave(writers, stranger.userId)
    expect(await held({ ...stranger, orgId: owner.orgId })).toEqual([])
    expect(await held(stranger)).toEqual(all)
    const other = await createRole(test.app, requireOrg(stranger, 'manage-roles'), {
      name: 'X',
      permissions: ['deals:write'],
    })
    await leave(other.id, member.userId)
    expect(await held(member)).toEqual([])
  })

  it('leaves out rows for one team, and permissions that are no longer declared', async () => {
    await leave(writers, member.userId, 'a-team')
    expect(await held(member)).toEqual([])
    await query(test.app, `update fw_org_roles set permissions = '["deals:write","deals:gone"]' where id = ?`, [
      writers,
    ])
    expect(await held(writer)).toEqual(['deals:write'])
    expect(await listHeldBy(test.app, owner, ['deals:gone'])).toEqual([])
  })

  it('counts the roles of a service account itself, and its end', async () => {
    const plain = await addAccount(test.app, owner)
    const ofApp = await addAccount(test.app, owner, { appRoles: ['closer'] })
    const high = await addAccount(test.app, owner, { role: 'admin' })
    expect(await held(asAccount(plain.id))).toEqual([])
    expect(await held(asAccount(ofApp.id))).toEqual(['deals:purge'])
    expect(await held(asAccount(high.id))).toEqual(all)
    await assignRole(test.app, manager(), writers, plain.id)
    expect(await held(asAccount(plain.id))).toEqual(['deals:write'])
    // Its role is never above that of its owner of record.
    await query(test.app, 'update fw_service_accounts set owner_id = ? where id = ?', [member.userId, high.id])
    expect(await held(asAccount(high.id))).toEqual([])
    await endServiceAccount(test.app, requireOrg(owner, 'manage-service-accounts'), plain.id)
    expect(await held(asAccount(plain.id))).toEqual([])
    expect(await query(test.app, 'select 1 from fw_org_role_members where user_id = ?', [plain.id])).toEqual([])
  })
})

describe('requirePermission', () => {
  const action = defineAction({
    description: 'Writes a deal.',
    input: z.object({}),
    guard: requirePermission('deals:write'),
    run(_, context) {
      expectTypeOf(context.orgId).toEqualTypeOf<string>()
      return [context.session.orgRole]
    },
  })
  const call = (session: Session | null) =>
    runAction(test.app, {
      name: 'write-deal',
      action: action as never,
      input: {},
      session,
      caller: 'http',
      requestId: 'r',
    })

  it('lets in holders, with the proof of an organization', async () => {
    expect(await call(owner)).toEqual(['owner'])
    expect(await call(writer)).toEqual(['member'])
  })

  it.each<[string, () => Session | null, string]>([
    ['nobody', () => null, 'unauthenticated'],
    [
      'a person without an organization',
      () => ({ ...owner, orgId: null, orgName: null, orgRole: null }),
      'no-organization',
    ],
    ['a member without the permission', () => closer, 'forbidden'],
  ])('refuses %s', async (_name, session, code) => {
    await expect(call(session())).rejects.toMatchObject({ code })
  })

  it('names the permission in the refusal', async () => {
    await expect(call(member)).rejects.toMatchObject({
      detail:
        'This requires the permission deals:write (Create and change deals). An owner or admin can give you a role with it.',
      extra: { permission: 'deals:write' },
    })
  })

  it('lists its permissions, which requireAll collects', () => {
    const all = requireAll(requireOrgRole('admin'), requirePermission('deals:write'), requirePermission('deals:purge'))
    expect({ ...all }).toMatchObject({ orgRoles: ['owner', 'admin'], permissions: ['deals:write', 'deals:purge'] })
  })

  it('lets nobody in where fw.config.ts does not have the permission', async () => {
    const app = { ...test.app, config: { ...test.app.config, permissions: { names: [], texts: {} } } }
    const guarded = withRun({ app, session: owner }, () =>
      requirePermission('deals:write')({ session: owner, orgId: owner.orgId }),
    )
    await expect(guarded).rejects.toMatchObject({ code: 'forbidden' })
  })
})

describe('nobody grants what they lack', () => {
  it('also where somebody below an admin manages roles', async () => {
    const actor = { ...manager(), userId: writer.userId }
    await expect(checkGrants(test.app, actor, ['deals:write'])).resolves.toBeUndefined()
    await expect(checkGrants(test.app, actor, carriedBy(test.app, 'closer'))).rejects.toMatchObject({
      code: 'forbidden',
      detail: 'You do not have this permission yourself: deals:purge.',
    })
    const role = { name: 'Purgers', permissions: ['deals:purge'] }
    await expect(createRole(test.app, actor, role)).rejects.toMatchObject({ code: 'forbidden' })
    await expect(changeRole(test.app, actor, writers, role)).rejects.toMatchObject({ code: 'forbidden' })
    const { id } = await createRole(test.app, manager(), role)
    await expect(assignRole(test.app, actor, id, writer.email)).rejects.toMatchObject({ code: 'forbidden' })
    const group = { group: 'any', orgRole: null, appId: null, role: 'closer', isTeam: false }
    await expect(planMapping(test.app, actor, [group])).rejects.toMatchObject({ code: 'forbidden' })
    const asWriter = { email: member.email, role: 'closer' }
    await expect(assignAppRole(test.app, actor, asWriter)).rejects.toMatchObject({ code: 'forbidden' })
    await expect(
      addAccount(test.app, { ...owner, userId: writer.userId }, { appRoles: ['closer'] }),
    ).rejects.toMatchObject({
      code: 'forbidden',
    })
  })
})
