import { beforeEach, describe, expect, it } from 'vitest'
import {
  assignAppRole,
  defineAppRoles,
  listAppRoles,
  removeMember,
  requireOrg,
} from '#fairway/server/domains/organizations'
import type { App } from '#fairway/server/kernel/app-context'
import { withRun } from '#fairway/server/kernel/current-run'
import type { Session } from '#fairway/shared/schemas/session'
import { useTestApp } from '../../../support/use-app'
import { withLatency } from '../../../support/database-slow'
import { addTo, aMember, sessionNow } from '../../../support/members'
import { query } from '../../../support/query'

const roles = defineAppRoles({ appId: 'notes', roles: ['curator', 'reader'], defaultRole: 'reader' })
const test = useTestApp()
let owner: Session
let member: Session

beforeEach(async () => {
  test.app = { ...test.app, config: { ...test.app.config, appRoles: roles } }
  owner = await aMember(test.app)
  const joined = await aMember(test.app)
  await addTo(test.app, owner, joined, 'member')
  await query(test.app, `insert into user_settings values (?, 'active-org-id', ?)`, [joined.userId, owner.orgId])
  member = await sessionNow(test.app, joined)
})

const guarded = (session: Session | null, orgId = session?.orgId ?? null, app: App = test.app) =>
  withRun({ app, session }, () => roles.requireAny('curator')({ session, orgId }))
const resolved = (identity: Parameters<typeof roles.resolve>[0], session: Session | null = member) =>
  withRun({ app: test.app, session }, () => roles.resolve(identity))

describe('app role guard', () => {
  it('allows only an explicit assignment, and denies owners, the default role and other roles', async () => {
    await expect(guarded(owner)).rejects.toMatchObject({
      code: 'forbidden',
      detail: expect.stringContaining('curator'),
    })
    await expect(guarded(member)).rejects.toMatchObject({ code: 'forbidden' })
    await assignAppRole(test.app, requireOrg(owner, 'assign-app-role'), { email: member.email, role: 'reader' })
    await expect(guarded(member)).rejects.toMatchObject({
      detail: 'Your role here is reader. This requires the curator role.',
    })
    await assignAppRole(test.app, requireOrg(owner, 'assign-app-role'), { email: member.email, role: 'curator' })
    expect(await guarded(member)).toBe(true)
    await assignAppRole(test.app, requireOrg(owner, 'assign-app-role'), { email: member.email, role: null })
    await expect(guarded(member)).rejects.toMatchObject({ code: 'forbidden' })
  })

  it('ignores the stored role of a removed member', async () => {
    await assignAppRole(test.app, requireOrg(owner, 'assign-app-role'), { email: member.email, role: 'curator' })
    await removeMember(test.app, requireOrg(owner, 'remove-member'), member.email)
    await query(test.app, `insert into app_member_roles values (?, 'notes', ?, 'curator', 'x', 0)`, [
      owner.orgId,
      member.userId,
    ])
    await expect(guarded(member)).rejects.toMatchObject({ code: 'forbidden' })
    expect(await resolved({}, member)).toEqual({ status: 'not-a-member' })
  })

  it('denies a stored role that is no longer declared', async () => {
    await query(test.app, `insert into app_member_roles values (?, 'notes', ?, 'librarian', 'x', 0)`, [
      owner.orgId,
      member.userId,
    ])
    expect(await resolved({})).toEqual({ status: 'unassigned' })
    expect((await listAppRoles(test.app, requireOrg(owner, 'read-app-roles'))).assignments).toEqual([])
  })

  it('passes a database error on instead of denying access', async () => {
    await query(test.app, 'alter table app_member_roles rename to hidden')
    await expect(guarded(member)).rejects.not.toMatchObject({ code: 'forbidden' })
  })
})

describe('roles.resolve', () => {
  it('uses the current run for undefined values, and no identity for null', async () => {
    await assignAppRole(test.app, requireOrg(owner, 'assign-app-role'), { email: member.email, role: 'curator' })
    const curator = { status: 'assigned', role: 'curator' }
    expect(await resolved(undefined)).toEqual(curator)
    expect(await resolved({})).toEqual(curator)
    expect(await resolved({ userEmail: null })).toEqual({ status: 'no-identity' })
    expect(await resolved({ orgId: null })).toEqual({ status: 'no-org' })
    expect(await resolved({ userEmail: member.email, orgId: owner.orgId }, null)).toEqual(curator)
    expect(await resolved({ userEmail: member.email, orgId: 'another' })).toEqual({ status: 'not-a-member' })
    expect(await resolved({}, null)).toEqual({ status: 'no-identity' })
  })
})

describe('invalid app roles throw at load', () => {
  it.each<[string, () => unknown]>([
    ['no roles', () => defineAppRoles({ appId: 'notes', roles: [] })],
    ['an empty role', () => defineAppRoles({ appId: 'notes', roles: [' '] })],
    ['an appId that is none', () => defineAppRoles({ appId: 'My App', roles: ['a'] })],
    [
      'a default role that is not declared',
      () => defineAppRoles({ appId: 'notes', roles: ['a'], defaultRole: 'b' as 'a' }),
    ],
    ['a guard without roles', () => roles.requireAny()],
    ['a guard with an undeclared role', () => roles.requireAny('librarian' as 'curator')],
  ])('%s', (_name, declare) => {
    expect(declare).toThrow(/app roles/)
  })
})

describe('assignAppRole', () => {
  it('requires an owner or admin, a member as the target, and a declared role and app', async () => {
    const stranger = await aMember(test.app)
    const attempt = async (session: Session, email: string, role: string, appId?: string) =>
      assignAppRole(test.app, requireOrg(session, 'assign-app-role'), { email, role, ...(appId ? { appId } : {}) })
    await expect(attempt(member, member.email, 'curator')).rejects.toMatchObject({ code: 'forbidden' })
    await expect(attempt(owner, stranger.email, 'curator')).rejects.toMatchObject({ code: 'not-found' })
    await expect(attempt(owner, member.email, 'librarian')).rejects.toMatchObject({ code: 'unknown-role' })
    await expect(attempt(owner, member.email, 'curator', 'other')).rejects.toMatchObject({ code: 'unknown-app' })
    expect(await query(test.app, 'select 1 from app_member_roles')).toEqual([])
  })

  it('leaves one row after concurrent assignments of two roles', async () => {
    const slow = withLatency(test.app)
    await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        assignAppRole(slow, requireOrg(owner, 'assign-app-role'), {
          email: member.email,
          role: index % 2 ? 'curator' : 'reader',
        }),
      ),
    )
    expect(await query(test.app, 'select role from app_member_roles')).toHaveLength(1)
    expect(await listAppRoles(test.app, requireOrg(member, 'read-app-roles'))).toMatchObject({
      appId: 'notes',
      roles: ['curator', 'reader'],
      defaultRole: 'reader',
      canAssign: false,
    })
  })
})
