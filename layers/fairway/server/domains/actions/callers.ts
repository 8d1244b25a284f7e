// Who may call an action: where it is listed, and for whom.
import type { Session } from '#fairway/shared/schemas/session'
import type { Config } from '#fairway/server/kernel/config/config'
import { ORG_ROLES } from '#fairway/shared/roles'
import type { Proving } from '#fairway/server/domains/organizations'
import type { McpScope } from '#fairway/shared/scopes'
import type { Action, Callers, PlatformRule } from './action'

/** Whether this installation lists the action; always true for actions of authors. */
export const isOffered = ({ platform }: Action, config: Pick<Config, 'builder'>): boolean =>
  platform?.isOffered(config) ?? true

/**
 * Whether the action appears in the lists that a person sees through a host. Actions of authors always do, because only their
 * guard knows who may call them.
 */
export const isOfferedTo = (action: Action, config: Config, session: Session): boolean =>
  isOffered(action, config) && (action.platform === undefined || isAdmitted(action.platform, config, session))

/** The scope that a token needs to call the action. */
export const scopeOfAction = ({ readOnly }: Action): McpScope => (readOnly ? 'mcp:read' : 'mcp:write')

/** The people who may call an action, from its declaration: its rule, its `callers`, or the roles that its guard names. */
export function callersOf({ platform, callers, guard, public: isPublic }: Action, config: Config): Callers {
  if (platform) {
    const { roles, emails } = platform.admits(config)
    if (emails) return { kind: 'named', roles }
    return roles ? { kind: 'org-roles', roles } : { kind: 'operators' }
  }
  if (typeof callers === 'string') return { kind: 'guard', text: callers }
  if (callers) return { kind: 'org-roles', roles: callers }
  if (!guard) return { kind: isPublic ? 'public' : 'signed-in' }
  // The platform's guards list their roles. Other guards could check anything.
  return callersOfGuard(guard, config)
}

function callersOfGuard({ permissions, needs, orgRoles, roles }: Proving<object>, config: Config): Callers {
  const isForSome = orgRoles !== undefined && orgRoles.length < ORG_ROLES.length
  if (permissions) {
    return {
      kind: 'permissions',
      permissions: permissions.map(name => ({
        name,
        text: config.permissions.texts[name] ?? name,
        ...(needs?.includes(name) === false && { forTeam: true }),
      })),
      ...(isForSome && { roles: orgRoles }),
      ...(roles && { appRoles: roles }),
    }
  }
  if (!roles) return orgRoles ? { kind: 'org-roles', roles: orgRoles } : { kind: 'guard' }
  // Application roles require membership in the organization.
  return isForSome ? { kind: 'both-roles', roles: orgRoles, appRoles: roles } : { kind: 'app-roles', roles }
}

/** Whether the rule of an action of the platform admits this person. */
export function isAdmitted({ admits }: PlatformRule, config: Config, session: Session): boolean {
  const { roles, emails } = admits(config)
  // The verification policy may let people sign up with an address that is not theirs, and each of them owns an organization.
  if (!session.emailVerified) return false
  if (!roles && !emails) return session.isOperator === true
  const hasRole = !roles || (session.orgRole !== null && roles.includes(session.orgRole))
  return hasRole && (!emails || (!session.serviceAccount && emails.includes(session.email)))
}
