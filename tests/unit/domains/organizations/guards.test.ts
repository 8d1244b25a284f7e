import { beforeEach, describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { type ActionTypeOf, runAction } from '#fairway/server/domains/actions'
import type { ActionCaller } from '#fairway/server/domains/actions/action'
import { assignAppRole, type GuardContext, requireOrg } from '#fairway/server/domains/organizations'
import {
  type ActionContext,
  defineAction,
  defineAppRoles,
  defineCollection,
  requireAll,
  requireOrganization,
  requireOrgRole,
  type Session,
} from '#fw'
import type { OrgRole } from '#fairway/shared/roles'
import { useTestApp } from '../../../support/use-app'
import { addTo, aMember, sessionNow } from '../../../support/members'
import { query } from '../../../support/query'

const roles = defineAppRoles({ appId: 'notes', roles: ['curator', 'reader'] })
const base = { description: 'Says where it runs.', input: z.object({}) }

const test = useTestApp({}, { appRoles: roles })
let owner: Session
beforeEach(async () => {
  owner = await aMember(test.app)
})

async function colleague(role: OrgRole): Promise<Session> {
  const joined = await aMember(test.app)
  await addTo(test.app, owner, joined, role)
  await query(test.app, `insert into user_settings values (?, 'active-org-id', ?)`, [joined.userId, owner.orgId])
  return sessionNow(test.app, joined)
}

const alone = (): Session => ({ ...owner, orgId: null, orgName: null, orgRole: null })
const closed = (): Session => ({
  ...alone(),
  closedOrg: { id: 'o', name: 'Acme', provider: 'p', providerName: 'P', signIn: null, isOwnProvider: true },
})

/** Returns the organization that the action ran in, or the code and detail of the refusal. */
async function outcome(guard: (context: GuardContext) => unknown, session: Session | null, isPublic = false) {
  const action = defineAction({ ...base, public: isPublic, guard, run: (_, { orgId }) => [orgId] })
  return runAction(test.app, {
    name: 'where',
    action: action as never,
    input: {},
    session,
    caller: 'http',
    requestId: 'r',
  }).then(
    result => result as [string],
    (error: { code: string; detail?: string }) => [error.code, error.detail],
  )
}

describe('organization guards', () => {
  it('requireOrganization allows accounts that have an active organization', async () => {
    const guard = requireOrganization()
    expect(await outcome(guard, owner)).toEqual([owner.orgId])
    expect(await outcome(guard, alone())).toEqual(['no-organization', undefined])
    expect((await outcome(guard, closed()))[0]).toBe('provider-required')
    expect(await outcome(guard, null)).toEqual(['unauthenticated', undefined])
    expect(await outcome(guard, null, true)).toEqual(['unauthenticated', undefined])
    // Public actions skip the organization's sign-in rule. This guard still checks it.
    expect((await outcome(guard, closed(), true))[0]).toBe('provider-required')
  })

  it('requireOrgRole allows the role or a higher one, and names the missing role', async () => {
    const people = { owner, admin: await colleague('admin'), member: await colleague('member') }
    const letsIn = async (least: OrgRole) => {
      const answers = await Promise.all(Object.values(people).map(session => outcome(requireOrgRole(least), session)))
      return Object.keys(people).filter((_, index) => answers[index]?.[0] === owner.orgId)
    }
    expect(await letsIn('owner')).toEqual(['owner'])
    expect(await letsIn('admin')).toEqual(['owner', 'admin'])
    expect(await letsIn('member')).toEqual(['owner', 'admin', 'member'])
    expect(await outcome(requireOrgRole('admin'), people.member)).toEqual([
      'forbidden',
      'You’re a member of this organization. This requires the admin or owner role.',
    ])
    expect(await outcome(requireOrgRole('member'), alone())).toEqual(['no-organization', undefined])
    expect(() => requireOrgRole('boss' as 'owner')).toThrow('there is no role "boss"; there are: owner, admin, member')
  })

  it('requireAll allows access when all guards do, and returns the first refusal', async () => {
    const admin = await colleague('admin')
    const member = await colleague('member')
    for (const person of [admin, member])
      await assignAppRole(test.app, requireOrg(owner, 'assign-app-role'), { email: person.email, role: 'curator' })
    const guard = requireAll(requireOrgRole('admin'), roles.requireAny('curator'))
    expect(await outcome(guard, admin)).toEqual([owner.orgId])
    expect((await outcome(guard, member))[1]).toContain('This requires the admin or owner role')
    expect((await outcome(guard, owner))[1]).toContain('This requires the curator role')
    const own = requireAll(requireOrganization(), ({ session }) => session?.email === admin.email)
    expect(await outcome(own, admin)).toEqual([owner.orgId])
    expect(await outcome(own, owner)).toEqual(['forbidden', undefined])
    expect(
      await outcome(
        requireAll(() => 'yes'),
        owner,
      ),
    ).toEqual(['forbidden', undefined])
    expect(() => requireAll()).toThrow('at least one guard')
  })
})

it('guards narrow the types of the context for actions and collections', () => {
  defineAction({
    ...base,
    guard: requireOrganization(),
    run(_, { orgId, session }) {
      expectTypeOf(orgId).toEqualTypeOf<string>()
      expectTypeOf(session.orgId).toEqualTypeOf<string>()
      expectTypeOf(session.orgRole).toEqualTypeOf<OrgRole>()
    },
  })
  defineAction({
    ...base,
    public: true,
    guard: requireAll(
      requireOrgRole('admin'),
      roles.requireAny('curator'),
      (context: ActionContext<Session | null>) => {
        expectTypeOf(context.caller).toEqualTypeOf<ActionCaller>()
        return true
      },
    ),
    run: (_, { orgId, session }) => {
      expectTypeOf(orgId).toEqualTypeOf<string>()
      expectTypeOf(session.email).toEqualTypeOf<string>()
    },
  })
  const plain = defineAction({
    ...base,
    guard: ({ session, caller }) => session.name === caller,
    run: (_, { orgId }) => {
      expectTypeOf(orgId).toEqualTypeOf<string | null>()
      return { orgId }
    },
  })
  expectTypeOf<ActionTypeOf<typeof plain>['output']>().toEqualTypeOf<{ orgId: string | null }>()
  defineCollection({
    description: 'Places.',
    item: z.object({ id: z.string() }),
    guard: roles.requireAny('curator'),
    source: ({ orgId, session }) => {
      expectTypeOf(orgId).toEqualTypeOf<string>()
      return [{ id: session.orgId }]
    },
  })
})
