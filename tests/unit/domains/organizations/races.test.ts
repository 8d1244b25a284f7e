import { beforeEach, describe, expect, it } from 'vitest'
import {
  acceptInvitation,
  changeMemberRole,
  createOrganization,
  invite,
  leaveOrganization,
  removeMember,
  requireOrg,
  setActiveOrgId,
  transferOwnership,
} from '#fairway/server/domains/organizations'
import { findOrgContext } from '#fairway/server/domains/organizations/org-context'
import type { App } from '#fairway/server/kernel/app-context'
import { useTestApp } from '../../../support/use-app'
import { withLatency } from '../../../support/database-slow'
import { addTo, aMember, anotherOrg, sessionNow } from '../../../support/members'
import { countRows, query } from '../../../support/query'

const ROUNDS = 15
const test = useTestApp()
let app: App

beforeEach(() => {
  app = withLatency(test.app)
})

const ownersOf = async (orgId: string | null) =>
  (await query(test.app, `select user_id from org_members where org_id = ? and role = 'owner'`, [orgId])).length

describe('concurrent organization requests', () => {
  it('create one organization for a hundred first requests', async () => {
    await query(
      test.app,
      `insert into users (id, name, email, email_verified, kind, created_at, updated_at) values ('u', 'Ada', 'ada@example.test', 1, 'person', 0, 0)`,
    )
    const person = { userId: 'u', email: 'ada@example.test', name: 'Ada', provider: 'password' }
    const contexts = await Promise.all(Array.from({ length: 100 }, () => findOrgContext(app, person)))
    expect(new Set(contexts.map(context => context.orgId))).toHaveLength(1)
    expect(contexts[0]?.orgId).not.toBeNull()
    expect(await query(test.app, 'select id from organizations')).toHaveLength(1)
  })

  it('of two owners to demote, remove or leave always keep at least one owner', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const first = await aMember(test.app)
      const second = await aMember(test.app)
      await addTo(test.app, first, second, 'owner')
      await setActiveOrgId(test.app, second, first.orgId, 'test')
      const one = requireOrg(first, 'change-member-role')
      const two = requireOrg(await sessionNow(test.app, second), 'change-member-role')
      const work = [
        [
          () => changeMemberRole(app, one, second.email, 'member'),
          () => changeMemberRole(app, two, first.email, 'member'),
        ],
        [() => removeMember(app, one, second.email), () => removeMember(app, two, first.email)],
        [() => leaveOrganization(app, one), () => leaveOrganization(app, two)],
        [() => removeMember(app, one, second.email), () => leaveOrganization(app, one)],
        [() => transferOwnership(app, one, second.email), () => leaveOrganization(app, two)],
      ][round % 5]
      await Promise.allSettled(work?.map(run => run()) ?? [])
      expect(await ownersOf(first.orgId), `round ${round}`).toBeGreaterThan(0)
    }
  })

  it('to invite one email create one pending invitation, and its acceptances create one membership', async () => {
    const owner = await aMember(test.app)
    const results = await Promise.all(
      Array.from({ length: 10 }, () =>
        invite(app, requireOrg(owner, 'invite-member'), [{ email: 'guest@example.test', role: 'member' }]),
      ),
    )
    expect(results.flatMap(result => result.failed)).toEqual([])
    const pending = await query(test.app, `select id from org_invitations where status = 'pending'`)
    expect(pending).toHaveLength(1)
    const guest = await aMember(test.app, { email: 'guest@example.test' })
    const id = String(pending[0]?.id)
    const answers = await Promise.all(Array.from({ length: 10 }, () => acceptInvitation(app, guest, { id })))
    expect(new Set(answers.map(answer => answer.joined.id))).toEqual(new Set([owner.orgId]))
    const members = await query(test.app, 'select role from org_members where user_id = ?', [guest.userId])
    expect(members).toHaveLength(1)
  })

  it('of one account create at most ten organizations and twenty invitations', async () => {
    const owner = await aMember(test.app)
    const made = await Promise.allSettled(
      Array.from({ length: 30 }, (_, index) => createOrganization(app, owner, { name: `Org ${index}`, confirm: true })),
    )
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(10)
    expect(await countRows(test.app, `organizations where name like 'Org %'`)).toBe(10)
    await Promise.allSettled(
      Array.from({ length: 30 }, (_, index) =>
        invite(
          app,
          requireOrg(owner, 'invite-member'),
          [{ email: `guest${index}@example.test`, role: 'member' }],
          `203.0.113.${index}`,
        ),
      ),
    )
    expect(await countRows(test.app, 'org_invitations')).toBe(20)
  })

  it('to accept an invitation and to remove its inviter have one consistent outcome', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const owner = await aMember(test.app)
      const admin = await aMember(test.app)
      await addTo(test.app, owner, admin, 'admin')
      await setActiveOrgId(test.app, admin, owner.orgId, 'test')
      const guest = await aMember(test.app)
      const { invited } = await invite(test.app, requireOrg(await sessionNow(test.app, admin), 'invite-member'), [
        { email: guest.email, role: 'member' },
      ])
      const [accepted] = await Promise.allSettled([
        acceptInvitation(app, guest, { id: invited[0]?.id ?? '' }),
        removeMember(app, requireOrg(owner, 'remove-member'), admin.email),
      ])
      const rows = await query(test.app, 'select 1 from org_members where org_id = ? and user_id = ?', [
        owner.orgId,
        guest.userId,
      ])
      expect(rows.length === 1).toBe(accepted?.status === 'fulfilled')
    }
  })

  it('to switch end in one of the requested organizations', async () => {
    const person = await aMember(test.app)
    const moved = await anotherOrg(test.app, person)
    const targets = [person.orgId, moved.orgId, null]
    await Promise.all(
      Array.from({ length: 30 }, (_, index) => setActiveOrgId(app, person, targets[index % 3] ?? null, 'test')),
    )
    const after = await findOrgContext(test.app, person)
    expect(targets).toContain(after.orgId)
    const settings = await query(test.app, `select value from user_settings where key = 'active-org-id'`)
    expect(settings).toHaveLength(1)
  })
})
