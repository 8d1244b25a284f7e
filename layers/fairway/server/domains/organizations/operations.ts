import type { H3Event } from 'h3'
import { z } from 'zod'
import { auditIn, defineOperations, operation } from '#fairway/server/domains/actions'
import { freshSession } from '#fairway/server/domains/sessions'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { requestInfo } from '#fairway/server/kernel/http/request-info'
import { requestOrg } from '#fairway/server/kernel/http/request-org'
import {
  appRolesSchema,
  handOverSchema,
  invitationViewSchema,
  joinedOrganizationSchema,
  organizationDetailsSchema,
  organizationEntrySchema,
  organizationDeletionSchema,
  organizationOverviewSchema,
} from '#fairway/shared/schemas/organization'
import { orgContextSchema } from '#fairway/shared/schemas/session'
import { assignAppRole, listAppRoles } from './app-roles'
import { resendInvitation, revokeInvitation } from './invite'
import { acceptInvitation, declineInvitation, joinByDomain, viewInvitation } from './join'
import { leaveOrganization, transferOwnership } from './members'
import { orgInput } from './org-input'
import { deleteOrganization, planDeletion, restoreOrganization } from './deletion'
import { createOrganization, updateOrganization } from './organization'
import { findDetails, getOverview } from './overview'
import { settingsForAudit } from './audited-values'
import { switchOrganization } from './switch-organization'

/** Whether a request names its organization. Then the choice of the person stays as it is. */
const namesOrg = ({ node: { req } }: H3Event): boolean => requestOrg(req) !== undefined

export default defineOperations({
  'get-organizations': operation({
    description: 'Returns your organizations, the one you work in, and your invitations.',
    method: 'GET',
    path: '/_fw/org',
    openIn: ['setup', 'view'],
    output: organizationOverviewSchema,
    run: (_input, { app, session }) => getOverview(app, session),
  }),
  'create-organization': operation({
    description: 'Creates an organization and switches to it.',
    method: 'POST',
    path: '/_fw/org',
    input: orgInput.create,
    output: organizationEntrySchema,
    status: 201,
    audit: ['name', 'confirm'],
    auditsElsewhere: true,
    async run(input, { app, session, event }) {
      const organization = await createOrganization(app, session, { ...input, stays: namesOrg(event) })
      auditIn(event, organization.id)
      return organization
    },
  }),
  'update-organization': operation({
    description:
      'Changes the name, the address or the allowed domain of your organization, or what connected apps may do there. Opening it further requires a recent sign-in.',
    method: 'PATCH',
    path: '/_fw/org',
    // More people may join, or connected apps may write.
    recentSignIn: ({ allowedDomain, agentsReadOnly }) => Boolean(allowedDomain?.trim()) || agentsReadOnly === false,
    input: orgInput.update,
    output: z.nullable(organizationDetailsSchema),
    audit: {
      keep: ['name', 'slug', 'allowedDomain', 'agentsReadOnly'],
      changes: ['name', 'slug', 'allowedDomain', 'agentsReadOnly'],
      read: (_input, { app, session }) => settingsForAudit(app, session.orgId),
    },
    async run(input, { app, session, event }) {
      await updateOrganization(app, session, input)
      return findDetails(app, await freshSession(event))
    },
  }),
  'delete-organization': operation({
    description: 'Deletes your organization. Its name must be typed.',
    method: 'DELETE',
    path: '/_fw/org',
    permission: 'delete-organization',
    recentSignIn: true,
    input: orgInput.remove,
    output: organizationDeletionSchema,
    audit: [],
    dryRun: true,
    run: ({ name }, { app, actor, isDryRun }) =>
      isDryRun ? planDeletion(app, actor, name) : deleteOrganization(app, actor, name),
  }),
  'restore-organization': operation({
    description: 'Restores an organization that an owner deleted, within the grace period. Requires the owner role.',
    method: 'POST',
    path: '/_fw/org/restore',
    recentSignIn: true,
    input: orgInput.restore,
    output: organizationEntrySchema,
    audit: ['orgId'],
    auditsElsewhere: true,
    async run({ orgId }, { app, session, event }) {
      const organization = await restoreOrganization(app, session, orgId)
      auditIn(event, orgId)
      return organization
    },
  }),
  'switch-organization': operation({
    description: 'Changes the organization that you work in.',
    method: 'PUT',
    path: '/_fw/org/active',
    input: orgInput.active,
    output: orgContextSchema,
    audit: ['orgId', 'confirm'],
    auditsElsewhere: true,
    async run(input, { app, session, event }) {
      if (namesOrg(event)) throw new AppError('invalid-request', { detail: 'This request names its organization.' })
      const context = await switchOrganization(app, session, input)
      auditIn(event, input.orgId)
      return context
    },
  }),
  'join-organization': operation({
    description: 'Joins an organization that allows your email domain.',
    method: 'POST',
    path: '/_fw/org/join',
    input: orgInput.join,
    output: joinedOrganizationSchema,
    audit: ['orgId'],
    auditsElsewhere: true,
    async run(input, { app, session, event }) {
      const joined = await joinByDomain(app, session, { ...input, stays: namesOrg(event) })
      auditIn(event, joined.joined.id)
      return joined
    },
  }),
  'leave-organization': operation({
    description: 'Leaves your organization and hands over your rows.',
    method: 'POST',
    path: '/_fw/org/leave',
    permission: 'read-organization',
    input: orgInput.leave,
    output: handOverSchema,
    audit: ['receivedBy', 'rows'],
    dryRun: true,
    run: (input, { app, actor, isDryRun }) => leaveOrganization(app, actor, { ...input, isDryRun }),
  }),
  'transfer-ownership': operation({
    description: 'Transfers ownership of your organization to a member.',
    method: 'POST',
    path: '/_fw/org/transfer',
    permission: 'transfer-ownership',
    recentSignIn: true,
    input: orgInput.transfer,
    audit: ['email'],
    run: ({ email }, { app, actor }) => transferOwnership(app, actor, email),
  }),
  'list-app-roles': operation({
    description: 'Lists the roles in the application and their members in your organization.',
    method: 'GET',
    path: '/_fw/org/app-roles',
    openIn: ['view'],
    permission: 'read-app-roles',
    input: orgInput.appRoles,
    output: appRolesSchema,
    run: ({ appId }, { app, actor }) => listAppRoles(app, actor, appId),
  }),
  'assign-app-role': operation({
    description: 'Assigns a role in the application to a member, or removes it.',
    method: 'PUT',
    path: '/_fw/org/app-roles',
    permission: 'assign-app-role',
    input: orgInput.assignAppRole,
    output: appRolesSchema,
    audit: ['appId', 'email', 'role'],
    async run(input, { app, actor }) {
      await assignAppRole(app, actor, input)
      return listAppRoles(app, actor, input.appId)
    },
  }),
  'revoke-invitation': operation({
    description: 'Revokes an invitation. Its link stops working.',
    method: 'DELETE',
    path: '/_fw/org/invitations/:id',
    permission: 'revoke-invitation',
    audit: ['id'],
    run: ({ id }, { app, actor }) => revokeInvitation(app, actor, id),
  }),
  'resend-invitation': operation({
    description: 'Resends an invitation with a new link.',
    method: 'POST',
    path: '/_fw/org/invitations/:id/resend',
    permission: 'invite-member',
    audit: ['id'],
    run: ({ id }, { app, actor, event }) => resendInvitation(app, actor, id, requestInfo(event).clientAddress),
  }),
  'view-invitation': operation({
    description: 'Returns an invitation, by its link or for your address.',
    method: 'POST',
    path: '/_fw/org/invitations/:id/view',
    input: orgInput.answer,
    output: invitationViewSchema,
    run: (input, { app, session }) => viewInvitation(app, session, input),
  }),
  'accept-invitation': operation({
    description: 'Accepts an invitation.',
    method: 'POST',
    path: '/_fw/org/invitations/:id/accept',
    input: orgInput.accept,
    output: joinedOrganizationSchema,
    audit: ['id'],
    auditsElsewhere: true,
    async run(input, { app, session, event }) {
      const accepted = await acceptInvitation(app, session, {
        ...input,
        sessionId: session.id,
        stays: namesOrg(event),
      })
      auditIn(event, accepted.joined.id)
      return accepted
    },
  }),
  'decline-invitation': operation({
    description: 'Declines an invitation.',
    method: 'POST',
    path: '/_fw/org/invitations/:id/decline',
    input: orgInput.answer,
    audit: ['id'],
    auditsElsewhere: true,
    async run(input, { app, session, event }) {
      auditIn(event, await declineInvitation(app, session, input))
    },
  }),
})
