// Guards for a person's role in their organization. Actions and collections check them before their own code runs.
import { AppError } from '#fairway/server/kernel/http/app-error'
import { ORG_ROLES, type OrgRole } from '#fairway/shared/roles'
import type { Session } from '#fairway/shared/schemas/session'
import { checkOrgOpens } from './org-context'

/** The input of every guard; null means that there is no session, or no organization. */
export interface GuardContext {
  session: Session | null
  orgId: string | null
}

/**
 * A guard with a declared proof. `proves` exists only as a type and determines the context type behind the guard. Lists of who
 * may call use `orgRoles`, `roles` (the application's roles) and `permissions`, all of which are required. `needs` says whether a
 * permission is required for all rows or for one team.
 */
export interface Proving<Proof> {
  readonly proves?: Proof
  readonly orgRoles?: readonly OrgRole[]
  readonly roles?: readonly string[]
  readonly permissions?: readonly string[]
  readonly needs?: readonly string[]
}

/** The context behind a guard for an organization. */
export interface InOrganization {
  orgId: string
  session: Session & { orgId: string; orgRole: OrgRole }
}

/** Runs a guard. Passes on its errors, and throws `forbidden` unless it returns exactly `true`. */
export async function checkGuard<Context>(guard: (context: Context) => unknown, context: Context): Promise<void> {
  if ((await guard(context)) !== true) throw new AppError('forbidden')
}

type OrganizationGuard = ((context: GuardContext) => true) & Proving<InOrganization>

/**
 * A guard that requires an organization. It throws `unauthenticated` (401) without a session, and `provider-required` (403) when
 * the organization is closed to the session. It throws `no-organization` (400) for a person who works without one.
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
 * A guard that requires at least this role in the organization (owner > admin > member). It throws `forbidden` (403) for a lower
 * role, with a detail that names the role, and the errors of `requireOrganization`. Throws at load for an unknown role.
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

// Method parameters are bivariant, so a guard may also use properties that only the context of an action has.
type GuardLike = { guard(context: GuardContext): unknown }['guard'] & Proving<object>

type Together<T> = (T extends unknown ? (value: T) => void : never) extends (value: infer All) => void ? All : never
type ProofOf<Guard> = Guard extends Proving<infer Proof> ? (unknown extends Proof ? object : Proof) : object
type ContextOf<Guard> = Guard extends (context: infer Context) => unknown ? Context : GuardContext

type AllGuard<Guards extends readonly GuardLike[]> = ((context: Together<ContextOf<Guards[number]>>) => Promise<true>) &
  Proving<Together<ProofOf<Guards[number]>>>

/**
 * A guard that requires all of these guards, checked in order. It throws the error of the first that refuses, or `forbidden` when
 * that one does not throw. Throws at load without a guard.
 */
export function requireAll<const Guards extends readonly GuardLike[]>(...guards: Guards): AllGuard<Guards> {
  if (guards.length === 0) throw new Error('requireAll: needs at least one guard')
  const guard = async (context: GuardContext): Promise<true> => {
    for (const one of guards) await checkGuard(one, context)
    return true
  }
  const orgRoles = inAll(guards.map(one => one.orgRoles))
  const roles = inAll(guards.map(one => one.roles))
  const permissions = [...new Set(guards.flatMap(one => one.permissions ?? []))]
  const needs = [...new Set(guards.flatMap(one => one.needs ?? []))]
  return Object.assign(guard, {
    ...(orgRoles && { orgRoles }),
    ...(roles && { roles }),
    ...(permissions.length > 0 && { permissions, needs }),
  }) as unknown as AllGuard<Guards>
}

// A guard without a list of roles puts no limit on them.
function inAll<Role>(lists: readonly (readonly Role[] | undefined)[]): readonly Role[] | undefined {
  const [first, ...others] = lists.filter(list => list !== undefined)
  return first?.filter(role => others.every(list => list.includes(role)))
}
