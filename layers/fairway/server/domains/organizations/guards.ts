// Guards by what a person is in their organization: what an action or a collection may ask for before its own code runs.
import { AppError } from '#fairway/server/kernel/http/app-error'
import { ORG_ROLES, type OrgRole } from '#fairway/shared/roles'
import type { Session } from '#fairway/shared/schemas/session'
import { checkOrgOpens } from './org-context'

/** What every guard looks at; null means that there is no session, or no organization. */
export interface GuardContext {
  session: Session | null
  orgId: string | null
}

/**
 * A guard that has been written down with what it proves: the types of the context that runs behind it follow from `proves`, which
 * no guard has when it runs, and lists of who may call take `orgRoles` and `roles`, those of the application.
 */
export interface Proving<Proof> {
  readonly proves?: Proof
  readonly orgRoles?: readonly OrgRole[]
  readonly roles?: readonly string[]
}

/** What runs behind a guard for an organization knows of its caller. */
export interface InOrganization {
  orgId: string
  session: Session & { orgId: string; orgRole: OrgRole }
}

/** Asks a guard: throws what it throws, and `forbidden` unless it gives exactly `true`. */
export async function checkGuard<Context>(guard: (context: Context) => unknown, context: Context): Promise<void> {
  if ((await guard(context)) !== true) throw new AppError('forbidden')
}

type OrganizationGuard = ((context: GuardContext) => true) & Proving<InOrganization>

/**
 * A guard that lets in whoever works in an organization. It throws `unauthenticated` (401) without a session, `provider-required`
 * (403) where the organization is closed to the session, and `no-organization` (400) for a person who works without one.
 */
export const requireOrganization = (): OrganizationGuard =>
  Object.assign(
    (context: GuardContext): true => {
      requireRole(context)
      return true
    },
    { orgRoles: ORG_ROLES },
  )

/**
 * A guard that lets in whoever has at least this role in their organization (owner > admin > member). It throws `forbidden` (403),
 * with a detail that names the role, for a smaller one, and what `requireOrganization` throws; at load for a role that there is not.
 */
export function requireOrgRole(least: OrgRole): OrganizationGuard {
  const orgRoles = ORG_ROLES.slice(0, ORG_ROLES.indexOf(least) + 1)
  if (orgRoles.length === 0)
    throw new Error(`requireOrgRole: there is no role "${String(least)}"; there are: ${ORG_ROLES.join(', ')}`)
  const guard = (context: GuardContext): true => {
    const role = requireRole(context)
    if (orgRoles.includes(role)) return true
    const article = role === 'member' ? 'a' : 'an'
    const wanted = orgRoles.toReversed().join(' or ')
    const detail = `You’re ${article} ${role} of this organization. This requires the ${wanted} role.`
    throw new AppError('forbidden', { detail })
  }
  return Object.assign(guard, { orgRoles: Object.freeze(orgRoles) })
}

function requireRole({ session, orgId }: GuardContext): OrgRole {
  if (!session) throw new AppError('unauthenticated')
  checkOrgOpens(session)
  if (orgId === null || session.orgRole === null) throw new AppError('no-organization')
  return session.orgRole
}

// Methods are compared both ways, so that a guard may also look at what only an action has in hand.
type GuardLike = { guard(context: GuardContext): unknown }['guard'] & Proving<object>

type Together<T> = (T extends unknown ? (value: T) => void : never) extends (value: infer All) => void ? All : never
type ProofOf<Guard> = Guard extends Proving<infer Proof> ? (unknown extends Proof ? object : Proof) : object
type ContextOf<Guard> = Guard extends (context: infer Context) => unknown ? Context : GuardContext

type AllGuard<Guards extends readonly GuardLike[]> = ((context: Together<ContextOf<Guards[number]>>) => Promise<true>) &
  Proving<Together<ProofOf<Guards[number]>>>

/**
 * A guard that lets in whom all of these let in, asked one after the other. It throws what the first one that refuses throws, and
 * `forbidden` where that one throws nothing itself; at load without a guard.
 */
export function requireAll<const Guards extends readonly GuardLike[]>(...guards: Guards): AllGuard<Guards> {
  if (guards.length === 0) throw new Error('requireAll: needs at least one guard')
  const guard = async (context: GuardContext): Promise<true> => {
    for (const one of guards) await checkGuard(one, context)
    return true
  }
  const orgRoles = inAll(guards.map(one => one.orgRoles))
  const roles = inAll(guards.map(one => one.roles))
  return Object.assign(guard, { ...(orgRoles && { orgRoles }), ...(roles && { roles }) }) as unknown as AllGuard<Guards>
}

// A guard that names no roles of the kind says nothing about them.
function inAll<Role>(lists: readonly (readonly Role[] | undefined)[]): readonly Role[] | undefined {
  const [first, ...others] = lists.filter(list => list !== undefined)
  return first?.filter(role => others.every(list => list.includes(role)))
}
