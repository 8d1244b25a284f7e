/** The roles of a person in an organization. App roles and share roles are independent of them. */
export const ORG_ROLES = ['owner', 'admin', 'member'] as const
export type OrgRole = (typeof ORG_ROLES)[number]

/** The permissions in an organization by role: enforced by the server, read by the pages, walked by a test. */
export const ORG_PERMISSIONS = {
  'read-organization': ['owner', 'admin', 'member'],
  'list-members': ['owner', 'admin', 'member'],
  'read-app-roles': ['owner', 'admin', 'member'],
  'read-member-activity': ['owner', 'admin'],
  'export-members': ['owner', 'admin'],
  'list-invitations': ['owner', 'admin'],
  'invite-member': ['owner', 'admin'],
  'revoke-invitation': ['owner', 'admin'],
  'change-member-role': ['owner', 'admin'],
  'remove-member': ['owner', 'admin'],
  'rename-organization': ['owner', 'admin'],
  'set-auth-provider': ['owner', 'admin'],
  'limit-agents': ['owner', 'admin'],
  'list-grants': ['owner', 'admin'],
  'revoke-grant': ['owner', 'admin'],
  'manage-service-accounts': ['owner', 'admin'],
  'manage-teams': ['owner', 'admin'],
  'assign-app-role': ['owner', 'admin'],
  'manage-roles': ['owner', 'admin'],
  'manage-credentials': ['owner', 'admin'],
  'read-audit-log': ['owner', 'admin'],
  'manage-webhooks': ['owner', 'admin'],
  'decide-sign-in': ['owner'],
  'set-address': ['owner'],
  'set-domain': ['owner'],
  'transfer-ownership': ['owner'],
  'delete-organization': ['owner'],
} as const satisfies Record<string, readonly OrgRole[]>

export type OrgPermission = keyof typeof ORG_PERMISSIONS

/** The roles that each role may invite, change and remove: from one of these roles, to one of these roles. Never oneself. */
export const MANAGED_ROLES = {
  owner: ['owner', 'admin', 'member'],
  admin: ['admin', 'member'],
  member: [],
} as const satisfies Record<OrgRole, readonly OrgRole[]>

/** Returns true when a role has this permission in its organization. */
export const mayInOrg = (role: OrgRole | null | undefined, permission: OrgPermission): boolean =>
  role !== null && role !== undefined && (ORG_PERMISSIONS[permission] as readonly OrgRole[]).includes(role)

/** The lower of two roles. */
export const lowerRole = (one: OrgRole, other: OrgRole): OrgRole =>
  ORG_ROLES[Math.max(ORG_ROLES.indexOf(one), ORG_ROLES.indexOf(other))] ?? 'member'

/** Returns true when `actor` may assign, change or remove `role`. */
export const managesRole = (actor: OrgRole | null | undefined, role: OrgRole): boolean =>
  actor !== null && actor !== undefined && (MANAGED_ROLES[actor] as readonly OrgRole[]).includes(role)
