import type { ActionGuardContext, AppRoleGuard } from './guard'
import { requireAssigned } from './guard'
import { type AppRoleIdentity, type AppRoleResolution, resolveAppRole } from './resolve-app-role'

export interface AppRolesInput<Role extends string> {
  appId: string
  /** A set: their order means nothing. */
  roles: readonly Role[]
  /** Shown where nothing is assigned; it grants nothing. */
  defaultRole?: Role
}

export interface AppRoles<Role extends string = string> {
  readonly appId: string
  readonly roles: readonly Role[]
  readonly defaultRole: Role | null
  /** A guard that lets in whoever has one of these roles by an explicit assignment; throws at load for none or an undeclared one. */
  requireAny(...accepted: Role[]): AppRoleGuard
  /** The caller's role in this application, or why there is none; see `AppRoleIdentity` for whose. */
  resolve(identity?: AppRoleIdentity): Promise<AppRoleResolution>
}

const APP_ID = /^[a-z][a-z0-9-]{0,63}$/

/** Declares the roles of this application (SPEC: Application role definition); throws at load when the declaration is not sound. */
export function defineAppRoles<const Role extends string>(input: AppRolesInput<Role>): AppRoles<Role> {
  const { appId, defaultRole = null } = input
  const roles = Object.freeze([...new Set(input.roles)])
  if (!APP_ID.test(appId))
    throw new Error(`app roles: the appId "${appId}" must have lower-case letters, digits and hyphens`)
  if (roles.length === 0) throw new Error(`app roles of ${appId}: declare at least one role`)
  if (roles.some(role => role.trim() === '')) throw new Error(`app roles of ${appId}: a role needs a name`)
  if (defaultRole !== null && !roles.includes(defaultRole)) throw undeclared(appId, defaultRole, roles)
  const resolve = (identity?: AppRoleIdentity) => resolveAppRole({ appId, roles }, identity)
  return Object.freeze({
    appId,
    roles,
    defaultRole,
    resolve,
    requireAny(...accepted: Role[]): AppRoleGuard {
      if (accepted.length === 0) throw new Error(`app roles of ${appId}: requireAny needs at least one role`)
      for (const role of accepted) if (!roles.includes(role)) throw undeclared(appId, role, roles)
      const guard = async ({ session, orgId }: ActionGuardContext) =>
        requireAssigned(await resolve({ userEmail: session?.email ?? null, orgId }), accepted)
      return Object.assign(guard, { roles: Object.freeze([...accepted]) })
    },
  })
}

const undeclared = (appId: string, role: string, roles: readonly string[]): Error =>
  new Error(`app roles of ${appId}: "${role}" is not declared; there are: ${roles.join(', ')}`)
