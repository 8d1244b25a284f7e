import type { ErrorCode } from '../errors'
import type { OrgRole } from '../roles'

/** One organization as a member sees it in lists. */
export interface OrganizationEntry {
  id: string
  name: string
  role: OrgRole
}

/** An invitation as the invited person sees it. */
export interface ReceivedInvitation {
  id: string
  orgName: string
  role: OrgRole
  /** The name of the person who invited. */
  invitedBy: string
  expiresAt: string
}

/** The answer of `GET /_fw/org`: my organizations, the active one, and what waits for me. */
export interface OrganizationOverview {
  orgs: OrganizationEntry[]
  activeOrgId: string | null
  /** The active organization's settings; null when there is none. */
  active: OrganizationDetails | null
  /** What cannot be read any more once I work elsewhere. */
  orphanedCredentials: OrphanedCredential[]
  invitations: ReceivedInvitation[]
  /** True when there are invitations that only a confirmed address may answer. */
  needsVerifiedEmail: boolean
  /** Organizations that people of my verified address may join. */
  domainMatches: { id: string; name: string }[]
}

export interface OrganizationDetails {
  id: string
  name: string
  role: OrgRole
  memberCount: number
  allowedDomain: string | null
  requiredAuthProvider: string | null
  requiredAuthDomain: string | null
  createdAt: string
}

export interface OrganizationMember {
  userId: string
  email: string
  name: string
  /** The address of the person's picture; null without one. */
  image: string | null
  role: OrgRole
  joinedAt: string
  /** When one of their sessions was last used, exact to some minutes; null when they are signed out everywhere, and for who may not see it. */
  lastActiveAt: string | null
}

/** One page of members. */
export interface MemberPage {
  members: OrganizationMember[]
  totalItems: number
}

/** A pending invitation as owners and admins see it. */
export interface PendingInvitation {
  id: string
  email: string
  role: OrgRole
  invitedBy: string
  expiresAt: string
}

/** The answer of `GET /_fw/org/invitations`. */
export interface PendingInvitations {
  invitations: PendingInvitation[]
  /** True when I cannot invite before my own address is confirmed. */
  needsVerifiedEmail: boolean
}

/** The answer of `POST /_fw/org/invitations`. */
export interface InvitationResult {
  invited: (PendingInvitation & { emailSent: boolean; emailError?: string })[]
  failed: { email: string; code: ErrorCode }[]
}

/** What the page behind an invitation link shows (`POST /_fw/org/invitations/{id}/view`). */
export interface InvitationView {
  id: string
  orgName: string
  role: OrgRole
  invitedBy: string
  email: string
  expiresAt: string
  /** `ended` when the inviter may no longer give that role. */
  status: 'pending' | 'accepted' | 'declined' | 'revoked' | 'expired' | 'ended'
  /** False when another account than the invited one is signed in. */
  isForYou: boolean
}

/** A credential that only one organization can read. */
export interface OrphanedCredential {
  key: string
}

/** The answer of `POST /_fw/org/join` and of accepting an invitation; the same however often it is asked for. */
export interface JoinedOrganization {
  joined: OrganizationEntry
  /** Where I work now: in `joined` when it is my first one or with `confirm`, else where I did. */
  active: { id: string; name: string } | null
  /** What cannot be read any more once I switch from there to `joined`. */
  orphanedCredentials: OrphanedCredential[]
}

/** The answer of `PUT /_fw/org/auth-provider`; with `?dryRun=true` nothing is changed. */
export interface AuthProviderResult {
  provider: string | null
  /** The domain or tenant that the account there has to belong to; null for any account. */
  domain: string | null
  revokedSessions: number
  revokedGrants: number
  /** Only in a dry run: who would be signed out, and whether they have ever signed in with that provider. */
  affected?: { email: string; name: string; sessions: number; hasProvider: boolean }[]
}

/** The answer of `GET /_fw/org/app-roles`. */
export interface AppRolesAnswer {
  appId: string
  roles: string[]
  /** For display only; it grants nothing. */
  defaultRole: string | null
  assignments: { userId: string; email: string; name: string; image: string | null; role: string }[]
  mine: string | null
  canAssign: boolean
}
