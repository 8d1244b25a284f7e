import * as z from 'zod/mini'
import type { ErrorCode } from '../errors'
import { ORG_ROLES, type OrgRole } from '../roles'

const roleSchema = z.enum(ORG_ROLES)

/** One organization as a member sees it in lists. */
export const organizationEntrySchema = z.object({ id: z.string(), name: z.string(), role: roleSchema })
export type OrganizationEntry = z.infer<typeof organizationEntrySchema>

/** An invitation as the invited person sees it. */
const receivedInvitationSchema = z.object({
  id: z.string(),
  orgName: z.string(),
  role: roleSchema,
  /** The name of the person who invited. */
  invitedBy: z.string(),
  expiresAt: z.string(),
})
export type ReceivedInvitation = z.infer<typeof receivedInvitationSchema>

export const organizationDetailsSchema = z.object({
  id: z.string(),
  name: z.string(),
  allowedDomain: z.nullable(z.string()),
  requiredAuthProvider: z.nullable(z.string()),
  requiredAuthDomain: z.nullable(z.string()),
  createdAt: z.string(),
  memberCount: z.int(),
  role: roleSchema,
})
export type OrganizationDetails = z.infer<typeof organizationDetailsSchema>

/** A credential that only one organization can read. */
const orphanedCredentialSchema = z.object({ key: z.string() })
export type OrphanedCredential = z.infer<typeof orphanedCredentialSchema>

/** My organizations, the active one, and what waits for me. */
export const organizationOverviewSchema = z.object({
  orgs: z.array(organizationEntrySchema),
  activeOrgId: z.nullable(z.string()),
  /** The active organization's settings; null when there is none. */
  active: z.nullable(organizationDetailsSchema),
  /** What cannot be read any more once I work elsewhere. */
  orphanedCredentials: z.array(orphanedCredentialSchema),
  invitations: z.array(receivedInvitationSchema),
  /** True when there are invitations that only a confirmed address may answer. */
  needsVerifiedEmail: z.boolean(),
  /** Organizations that people of my verified address may join. */
  domainMatches: z.array(z.object({ id: z.string(), name: z.string() })),
})
export type OrganizationOverview = z.infer<typeof organizationOverviewSchema>

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

/** What the page behind an invitation link shows. */
export const invitationViewSchema = z.object({
  id: z.string(),
  orgName: z.string(),
  role: roleSchema,
  email: z.string(),
  /** `ended` when the inviter may no longer give that role. */
  status: z.enum(['pending', 'accepted', 'declined', 'revoked', 'expired', 'ended']),
  /** False when another account than the invited one is signed in. */
  isForYou: z.boolean(),
  invitedBy: z.string(),
  expiresAt: z.string(),
})
export type InvitationView = z.infer<typeof invitationViewSchema>

/** What joining returns; the same however often it is asked for. */
export const joinedOrganizationSchema = z.object({
  joined: organizationEntrySchema,
  /** Where I work now: in `joined` when it is my first one or with `confirm`, else where I did. */
  active: z.nullable(z.object({ id: z.string(), name: z.string() })),
  /** What cannot be read any more once I switch from there to `joined`. */
  orphanedCredentials: z.array(orphanedCredentialSchema),
})
export type JoinedOrganization = z.infer<typeof joinedOrganizationSchema>

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

/** The declared roles of the application, and who has which. */
export const appRolesSchema = z.object({
  appId: z.string(),
  roles: z.array(z.string()),
  /** For display only; it grants nothing. */
  defaultRole: z.nullable(z.string()),
  assignments: z.array(
    z.object({
      userId: z.string(),
      email: z.string(),
      name: z.string(),
      image: z.nullable(z.string()),
      role: z.string(),
    }),
  ),
  mine: z.nullable(z.string()),
  canAssign: z.boolean(),
})
export type AppRolesAnswer = z.infer<typeof appRolesSchema>
