export { assignAppRole, checkAppRole, listAppRoles, defineAppRoles } from './app-roles'
export { logMoves, setActiveOrgId } from './active-org'
export { findMembership, switchOrganization } from './switch-organization'
export {
  checkOrgOpens,
  completeOrgContext,
  isUndecided,
  membershipColumns,
  membershipJoin,
  openOrgContext,
  type OrgContextRow,
  orgContextColumns,
  orgContextJoin,
  requireOrg,
  slugJoin,
  type Actor,
} from './org-context'
export { hasSessionPolicy, type SessionTimes } from './session-policy'
export { orgOpensTo } from './sign-in-rule'
export {
  checkInstallationOpens,
  checkSecondFactorSetUp,
  isInGrace,
  loadSecondFactorPolicy,
  setSecondFactorPolicy,
} from './second-factor'
export {
  countPersonalRows,
  findHandedOver,
  findReceiver,
  isInDeleted,
  longestOwner,
  notAMember,
  countHandedOver,
  findReceivers,
  type Receivers,
  rowsRefused,
  writeOwnedRows,
} from './hand-over'
export { BROUGHT_IN, organizationRows, orgsOf, removeBroughtInStatements, MEMBERSHIP_ENDED } from './end-membership'
export { deleteOrganization, listDeleted, planDeletion, purgeOrganizations, restoreOrganization } from './deletion'
export {
  agentsOnlyRead,
  isInUse,
  createOrganization,
  leaveAllStatements,
  listLeaving,
  OPEN_ORGANIZATIONS,
  orgExists,
} from './organization'
export {
  countOrganizations,
  deleteForOwners,
  findOrganization,
  listOrganizations,
  restoreForOwners,
  withOrganizations,
} from './organization-list'
export { checkMayInvite, countInvitation, invite } from './invite'
export { checkSlug, orgUrl, purgeFormerSlugs } from './org-slugs'
export { mailName } from './mail-name'
export { listOpenInvitations } from './overview'
export {
  findOrganizationsNamed,
  findStandings,
  type ImportedMember,
  importMemberStatements,
  importOrganizationStatement,
} from './import-members'
export { joinByDomain, acceptInvitation, findOpenInvitation } from './join'
export { type ClosedMembership, openedOrganizations, refuseClosed } from './opened-organizations'
export { countSeats, SEATS_TABLE, seatsTaken } from './seats'
export {
  checkGuard,
  type GuardContext,
  type InOrganization,
  type Proving,
  requireAll,
  requireOrganization,
  requireOrgRole,
} from './guards'
export {
  exportMembers,
  listAllMembers,
  listEveryone,
  listMembers,
  listMembershipsOf,
  MEMBER_ORDERS,
  memberStatements,
  organizationNamesOf,
  type Somebody,
} from './member-list'
export {
  changeMemberRole,
  findMembers,
  leaveOrganization,
  listManagers,
  removeMember,
  seesPerson,
  transferOwnership,
} from './members'
export {
  addConnection,
  admits,
  assertionIssuersOf,
  changeConnection,
  type ConnectionRow,
  enterByConnection,
  findConnection,
  findConnectionFor,
  listIdentityConnections,
  noteTest,
  openClientSecret,
  orgConnectionSealedColumns,
  requireConnection,
  servesDomain,
  toConnection,
} from './connections'
export {
  activateConnection,
  checkActivation,
  countServed,
  deactivateConnection,
  deleteConnection,
} from './connection-state'
export { type AgentConnection, findAgentConnections, setManagedAgents, vouchesFor } from './managed-agents'
export { directoryRoleStatements, type PlannedRole, planDirectoryRoles } from './directory-roles'
export { belongsOnlyTo, joinByDirectory, leaveByDirectory, letInStatement } from './directory-membership'
export { domainOf, ownsDomain, requireDomain } from './domain-names'
export { checkDomain, checkDueDomains, claimDomain, listDomains } from './proved-domains'
export { getSessionPolicy, planSessionPolicy, policySchema, setSessionPolicy } from './set-session-policy'
export {
  addServiceAccount,
  changeServiceAccount,
  endServiceAccount,
  listServiceAccounts,
  serviceAccountForAudit,
  serviceAccountNames,
  serviceAccountShape,
} from './service-accounts/accounts'
export {
  endServiceKey,
  isWellFormedKey,
  makeServiceKey,
  purgeServiceKeys,
  serviceKeyInput,
  tellEndingKeys,
  tellInheritors,
} from './service-accounts/keys'
export { noteServiceUse, serviceCredential, type ServiceCredentialRow } from './service-accounts/credentials'
export { setSecretEnd, tellEndingSecrets } from './secret-end'
export { setAuthProvider } from './set-auth-provider'
export { setActiveOrgIdOf, team } from './team'
export { findTeams, teamName } from './teams/teams'
export { type ChangedGroupTeam, followGroups, type GroupTeams, planGroupTeams, takenNames } from './teams/group-teams'
export { callerOf, callerPlaceholders, inEachOrganization } from './caller'
export { accessDenied, createCheck, mayCreate, membersMay, requireCreate } from './policy-check'
export { findShown, shownPersonSchema, withPeople } from './people-of-rows'
export { carriedBy, checkGrants, listMet, requirePermission } from './permissions'
export { assignRole } from './roles/assignments'
export { createRole } from './roles/roles'
export { namedIn, personColumn, POLICY_ACTIONS, type PolicyAction, policyOf, ruledTables } from './policy'
export {
  accessibleTo,
  canColumns,
  inOrganization,
  isOpenRow,
  type SharedTable,
  ownedBy,
  SHARE_ROLES,
  type ShareRole,
} from './row-access'
export { asReadBy, columnsFor, EVERYONE, hasReadRule, isForEveryone, openToEveryone } from './readable-columns'
export {
  accessOf,
  findShare,
  forgetSharesSql,
  listShares,
  listTeamShares,
  setVisibility,
  shareRow,
  unshareRow,
} from './sharing'
export { requireCredential, vaultSealedColumns } from './vault'
