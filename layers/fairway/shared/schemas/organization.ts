import { z } from 'zod'
import { ORG_ROLES } from '../roles'
import { shownPersonSchema } from './person'
import { totalShape } from './total'

const roleSchema = z.enum(ORG_ROLES)

/** One organization in a member's lists. */
export const organizationEntrySchema = z.object({
  id: z.string(),
  name: z.string(),
  /** Its address: `/o/<slug>/…`. */
  slug: z.nullable(z.string()),
  role: roleSchema,
})
export type OrganizationEntry = z.infer<typeof organizationEntrySchema>

/** The person who invited; null once that account is deleted. */
const inviterSchema = z.nullable(shownPersonSchema)

/** An invitation as the invited person sees it. */
export const receivedInvitationSchema = z.object({
  id: z.string(),
  orgName: z.string(),
  role: roleSchema,
  /** The name of the inviter. */
  invitedBy: z.string(),
  inviter: inviterSchema,
  expiresAt: z.string(),
})
export type ReceivedInvitation = z.infer<typeof receivedInvitationSchema>

export const organizationDetailsSchema = z.object({
  id: z.string(),
  name: z.string(),
  slug: z.nullable(z.string()),
  allowedDomain: z.nullable(z.string()),
  requiredAuthProvider: z.nullable(z.string()),
  requiredAuthDomain: z.nullable(z.string()),
  /** Since when every member needs a second factor, and the days of grace; null without that policy. */
  secondFactorSince: z.nullable(z.string()),
  secondFactorGraceDays: z.nullable(z.number()),
  /** Whether connected apps and personal tokens may only read here. */
  agentsReadOnly: z.boolean(),
  createdAt: z.string(),
  memberCount: z.int(),
  /** Whether I am its only owner, who cannot leave. */
  isLastOwner: z.boolean(),
  role: roleSchema,
})
export type OrganizationDetails = z.infer<typeof organizationDetailsSchema>

/** A credential that only one organization can read. */
const orphanedCredentialSchema = z.object({ key: z.string() })
export type OrphanedCredential = z.infer<typeof orphanedCredentialSchema>

/** An organization that I deleted as one of its owners and can restore, until `purgeAt`. */
const deletedOrganizationSchema = z.object({ id: z.string(), name: z.string(), purgeAt: z.string() })
export type DeletedOrganization = z.infer<typeof deletedOrganizationSchema>

/** My organizations, the active one, and what is waiting for my decision. */
export const organizationOverviewSchema = z.object({
  orgs: z.array(organizationEntrySchema),
  activeOrgId: z.nullable(z.string()),
  /** The active organization's settings; null when there is none. */
  active: z.nullable(organizationDetailsSchema),
  /** Credentials that become unreadable once I work elsewhere. */
  orphanedCredentials: z.array(orphanedCredentialSchema),
  invitations: z.array(receivedInvitationSchema),
  /** True when there are invitations that require a confirmed address. */
  needsVerifiedEmail: z.boolean(),
  /** Organizations that people of my verified address may join. */
  domainMatches: z.array(z.object({ id: z.string(), name: z.string() })),
  /** True when there is such an organization, and my address must be confirmed first. */
  hasUnconfirmedMatch: z.boolean(),
  deleted: z.array(deletedOrganizationSchema),
})
export type OrganizationOverview = z.infer<typeof organizationOverviewSchema>

export const organizationMemberSchema = z.object({
  userId: z.string(),
  email: z.string(),
  name: z.string(),
  /** The address of the person's picture; null without one. */
  image: z.nullable(z.string()),
  role: roleSchema,
  joinedAt: z.string(),
  lastActiveAt: z
    .nullable(z.string())
    .describe(
      'The latest use of one of their sessions, to some minutes. Null when they are signed out, or where you may not see it.',
    ),
})
export type OrganizationMember = z.infer<typeof organizationMemberSchema>

/** The rows that a leaving member hands over, or would: by table. `receivedBy` is null where no member stays. */
export const handOverSchema = z.object({
  rows: z.array(z.object({ table: z.string(), rows: z.int() })),
  receivedBy: z.nullable(shownPersonSchema),
})
export type HandOver = z.infer<typeof handOverSchema>

/** The rows that deleting an organization removes, or would, by table. Until `purgeAt`, an owner can restore it. */
export const organizationDeletionSchema = z.object({
  rows: z.array(z.object({ table: z.string(), rows: z.int() })),
  members: z.int(),
  purgeAt: z.string(),
  /** The organization that I work in after that. */
  nextOrgId: z.nullable(z.string()),
})
export type OrganizationDeletion = z.infer<typeof organizationDeletionSchema>

/** One page of members. */
export const memberPageSchema = z.object({ members: z.array(organizationMemberSchema), ...totalShape })
export type MemberPage = z.infer<typeof memberPageSchema>

/** A pending invitation as owners and admins see it. */
const pendingInvitationSchema = z.object({
  id: z.string(),
  email: z.string(),
  role: roleSchema,
  invitedBy: z.string(),
  inviter: inviterSchema,
  expiresAt: z.string(),
  /**
   * The link to pass on by hand. It works only for the invited address; where no mail can be sent, that address needs no
   * confirmation.
   */
  link: z.string(),
})

const listedInvitationSchema = z.object({
  ...pendingInvitationSchema.shape,
  /** `none`: no mail can be sent, so the link must be passed on. `failed`: sending was given up. */
  mailState: z.enum(['sent', 'waiting', 'failed', 'none']),
  /** Why sending was given up, in the words of the mail server. */
  mailFault: z.nullable(z.string()),
})
export type ListedInvitation = z.infer<typeof listedInvitationSchema>

export const pendingInvitationsSchema = z.object({
  invitations: z.array(listedInvitationSchema),
  /** True when I must confirm my own address before I can invite. */
  needsVerifiedEmail: z.boolean(),
})

export const invitationResultSchema = z.object({
  invited: z.array(
    z.object({
      ...pendingInvitationSchema.shape,
      emailSent: z.boolean(),
      emailError: z.optional(z.string()),
    }),
  ),
  /** Addresses that could not be invited, with the code of the error. */
  failed: z.array(z.object({ email: z.string(), code: z.string() })),
})
export type InvitationResult = z.infer<typeof invitationResultSchema>

/** The data for the page behind an invitation link. */
export const invitationViewSchema = z.object({
  id: z.string(),
  orgName: z.string(),
  role: roleSchema,
  email: z.string(),
  /** `ended` when the inviter may no longer assign that role. */
  status: z.enum(['pending', 'accepted', 'declined', 'revoked', 'expired', 'ended']),
  /** False when a different account than the invited one is signed in. */
  isForYou: z.boolean(),
  invitedBy: z.string(),
  /** Also null where the invitation is not for you. */
  inviter: inviterSchema,
  expiresAt: z.string(),
})
export type InvitationView = z.infer<typeof invitationViewSchema>

/** The response to joining; repeated requests return the same. */
export const joinedOrganizationSchema = z.object({
  joined: organizationEntrySchema,
  /** Where I work now: in `joined` when it is my first organization or with `confirm`, else where I worked before. */
  active: z.nullable(z.object({ id: z.string(), name: z.string() })),
  /** Credentials that become unreadable once I switch from there to `joined`. */
  orphanedCredentials: z.array(orphanedCredentialSchema),
})
export type JoinedOrganization = z.infer<typeof joinedOrganizationSchema>

/** How members must sign in, and the providers that can be required. */
export const authProviderSchema = z.object({
  provider: z.nullable(z.string()),
  domain: z.nullable(z.string()),
  /** Whether members outside the proved domains keep their other ways in; only for a connection. */
  guests: z.optional(z.boolean()),
  providers: z.array(z.object({ id: z.string(), name: z.string() })),
})

/** The effect of a sign-in rule, applied or as a preview. */
export const authProviderResultSchema = z.object({
  provider: z.nullable(z.string()),
  /** The domain or tenant that the account there must belong to; null for any account. */
  domain: z.nullable(z.string()),
  guests: z.optional(z.boolean()),
  revokedSessions: z.int(),
  revokedGrants: z.int(),
  /** Only in a dry run: the people who would be signed out, and whether they have ever signed in with that provider. */
  affected: z.optional(z.array(z.object({ ...shownPersonSchema.shape, sessions: z.int(), hasProvider: z.boolean() }))),
})
export type AuthProviderResult = z.infer<typeof authProviderResultSchema>

/** The members without a second factor. */
export const secondFactorPolicySchema = z.object({ missing: z.array(shownPersonSchema) })

/** The declared roles of the application, and the people with each. */
export const appRolesSchema = z.object({
  appId: z.string(),
  roles: z.array(z.string()),
  /** For display only; it grants no permission. */
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
