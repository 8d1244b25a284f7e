import { AppError } from '#fairway/server/kernel/http/app-error'
import { mayInOrg, type OrgPermission, type OrgRole } from '#fairway/shared/roles'
import type { Session } from '#fairway/shared/schemas/session'
import { checkOrgOpens } from './auth-provider-rule'

/** Who acts in which organization, as this request's session says. */
export interface Actor {
  userId: string
  orgId: string
  orgName: string
  role: OrgRole
}

/** The organization that a person works in and what they are there; throws `provider-required`, `no-organization`, and `forbidden` when the role may not do this. */
export function requireOrg(session: Session, permission: OrgPermission): Actor {
  checkOrgOpens(session)
  const { userId, orgId, orgName, orgRole } = session
  if (!orgId || !orgRole) throw new AppError('no-organization')
  if (!mayInOrg(orgRole, permission)) {
    throw new AppError('forbidden', { detail: 'Ask an owner or an admin of your organization.' })
  }
  return { userId, orgId, orgName: orgName ?? '', role: orgRole }
}
