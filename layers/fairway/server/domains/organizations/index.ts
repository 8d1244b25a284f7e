export { assignAppRole, listAppRoles } from './app-roles/assignments'
export { defineAppRoles } from './app-roles/define-app-roles'
export { logMoves, setActiveOrgId } from './active-org'
export { checkOrgOpens } from './auth-provider-rule'
export { BROUGHT_IN, removeBroughtInStatements } from './brought-in'
export { createOrganization } from './create-organization'
export { deleteOrganization } from './delete-organization'
export { invite, listPendingInvitations, mustConfirmToInvite, resendInvitation, revokeInvitation } from './invite'
export { joinByDomain } from './join-by-domain'
export {
  changeMemberRole,
  leaveOrganization,
  listMembers,
  memberStatements,
  removeMember,
  transferOwnership,
} from './members'
export { completeOrgContext, findOrgContext, openOrgContext, type OrgContext } from './org-context'
export { type OrgContextRow, orgContextColumns, orgContextJoin, orgOpensTo } from './org-context-sql'
export { orgInput } from './org-input'
export { MEMBERSHIP_ENDED } from './end-membership'
export { findDetails, getOverview } from './overview'
export { acceptInvitation, declineInvitation, viewInvitation } from './received-invitation'
export { requireOrg } from './require-org'
export { getAuthProvider, planAuthProvider, setAuthProvider } from './set-auth-provider'
export { switchOrganization } from './switch-organization'
export { setActiveOrgIdOf, team } from './team'
export { updateOrganization } from './update-organization'
export {
  accessibleTo,
  accessOf,
  callerOf,
  callerPlaceholders,
  ownedBy,
  SHARE_ROLES,
  type ShareRole,
} from './sharing/accessible-to'
export { listShares, setVisibility, shareRow, unshareRow } from './sharing/share-row'
export { requireCredential } from './vault/require-credential'
export { vaultSealedColumns } from './vault/sealed-columns'
export { vaultRoutes } from './vault/vault-routes'
