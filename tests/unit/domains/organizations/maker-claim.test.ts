import { describe, expect, it } from 'vitest'
import { decideClaim } from '#fairway/server/domains/sign-in'
import {
  acceptInvitation,
  changeMemberRole,
  deleteOrganization,
  invite,
  leaveOrganization,
  removeMember,
  requireOrg,
  transferOwnership,
} from '#fairway/server/domains/organizations'
import type { App } from '#fairway/server/kernel/app-context'
import { useTestApp } from '../../../support/use-app'
import { withLatency } from '../../../support/database-slow'
import { refusalOf } from '../../../support/error-code'
import { aMember, sessionNow } from '../../../support/members'
import { countRows, query } from '../../../support/query'
import { ownerArrives, squattedAccount } from '../../../support/squatted-account'

const test = useTestApp({ FW_RATE_LIMITS: 'off' })

const decide = (owner: Awaited<ReturnType<typeof ownerArrives>>, decision: string, app: App = test.app) =>
  decideClaim(app, { ...owner, returnPath: '/notes', language: 'en', form: { decision }, requestId: 'test' })

const membersOf = (orgId: string) =>
  query(test.app, 'select user_id, role from org_members where org_id = ? order by user_id', [orgId])

describe('open claim of an account', () => {
  it('prevents removing or demoting the account, and deleting the organization it created', async () => {
    const account = await squattedAccount(test.app)
    const { email, orgId, accomplice, colleague } = account
    await ownerArrives(test.app, account)
    const actor = requireOrg(await sessionNow(test.app, accomplice), 'delete-organization')
    const own = requireOrg(await sessionNow(test.app, account.stranger), 'delete-organization')
    const before = await membersOf(orgId)
    const tries = {
      remove: () => removeMember(test.app, actor, email),
      lower: () => changeMemberRole(test.app, actor, email, 'member'),
      delete: () => deleteOrganization(test.app, actor, 'Squat'),
      'delete own': () => deleteOrganization(test.app, own, 'Squat'),
      leave: () => leaveOrganization(test.app, own),
      transfer: () => transferOwnership(test.app, own, colleague.email),
    }
    for (const [name, attempt] of Object.entries(tries)) {
      expect([name, await refusalOf(attempt())]).toEqual([name, 'claim-open'])
    }
    expect(await membersOf(orgId)).toEqual(before)
    expect(await countRows(test.app, 'organizations where id = ?', [orgId])).toBe(1)
  })

  it('allows other changes in the organization, and all changes after the owner’s decision', async () => {
    const account = await squattedAccount(test.app)
    const owner = await ownerArrives(test.app, account)
    const actor = requireOrg(await sessionNow(test.app, account.accomplice), 'remove-member')
    await changeMemberRole(test.app, actor, account.friend.email, 'admin')
    await removeMember(test.app, actor, account.friend.email)
    await decide(owner, 'all-mine')
    await removeMember(test.app, actor, account.email)
    expect(await membersOf(account.orgId)).toHaveLength(2)
  })

  it('keeps the owner in the organization when a removal is concurrent with the decision', async () => {
    for (let round = 0; round < 10; round++) {
      const account = await squattedAccount(test.app)
      const owner = await ownerArrives(test.app, account)
      const actor = requireOrg(await sessionNow(test.app, account.accomplice), 'remove-member')
      const slow = withLatency(test.app)
      await Promise.allSettled([
        decide(owner, 'only-me', slow),
        removeMember(slow, actor, account.email),
        deleteOrganization(slow, actor, 'Squat'),
      ])
      expect(await membersOf(account.orgId)).toContainEqual({ user_id: account.userId, role: 'owner' })
    }
  })

  it('keeps out a guest whose acceptance is concurrent with the decision', async () => {
    for (let round = 0; round < 10; round++) {
      const account = await squattedAccount(test.app)
      const owner = await ownerArrives(test.app, account)
      const guest = await aMember(test.app)
      const { invited } = await invite(
        test.app,
        requireOrg(await sessionNow(test.app, account.accomplice), 'invite-member'),
        [{ email: guest.email, role: 'admin' }],
      )
      const slow = withLatency(test.app)
      await Promise.allSettled([
        decide(owner, 'only-me', slow),
        acceptInvitation(slow, guest, { id: invited[0]?.id ?? '' }),
      ])
      expect(await membersOf(account.orgId)).not.toContainEqual(expect.objectContaining({ user_id: guest.userId }))
    }
  })
})
