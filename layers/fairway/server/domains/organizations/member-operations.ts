import { z } from 'zod'
import { defineOperations, operation } from '#fairway/server/domains/actions'
import { personState } from '#fairway/server/domains/people'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { requestInfo } from '#fairway/server/kernel/http/request-info'
import {
  authProviderResultSchema,
  authProviderSchema,
  secondFactorPolicySchema,
  handOverSchema,
  invitationResultSchema,
  memberPageSchema,
  organizationMemberSchema,
  pendingInvitationsSchema,
} from '#fairway/shared/schemas/organization'
import { roleForAudit, settingsForAudit } from './audited-values'
import { invite, listPendingInvitations, mustConfirmToInvite } from './invite'
import { exportMembers, listMembers } from './member-list'
import { changeMemberRole, removeMember } from './members'
import { orgInput } from './org-input'
import { listWithoutSecondFactor, setSecondFactorPolicy } from './second-factor'
import { getAuthProvider, planAuthProvider, setAuthProvider } from './set-auth-provider'

const CHECKLIST = 'fw:checklist'
const checklistSchema = z.object({ isDismissed: z.boolean() })

export default defineOperations({
  'list-members': operation({
    description: 'Lists the members of your organization, longest-standing first.',
    method: 'GET',
    path: '/_fw/org/members',
    openIn: ['view'],
    permission: 'list-members',
    input: orgInput.members,
    output: memberPageSchema,
    run: ({ role, sort: order, ...query }, { app, actor }) =>
      listMembers(app, actor, { ...query, roles: role && [role], order }),
  }),
  'export-members': operation({
    description: 'Returns the members of your organization as a file.',
    method: 'GET',
    path: '/_fw/org/members/export',
    permission: 'export-members',
    input: orgInput.exportMembers,
    output: 'file',
    audit: ['format', 'search', 'role'],
    run: ({ role, ...query }, { app, actor }) => exportMembers(app, actor.orgId, { ...query, roles: role && [role] }),
  }),
  'change-member-role': operation({
    description: 'Changes a member’s role.',
    method: 'PATCH',
    path: '/_fw/org/members/:email',
    permission: 'change-member-role',
    input: orgInput.changeRole,
    output: z.object({ member: organizationMemberSchema }),
    audit: {
      keep: ['email', 'role'],
      changes: ['role'],
      read: ({ email }, { app, actor }) => roleForAudit(app, actor.orgId, email),
    },
    run: async ({ email, role }, { app, actor }) => ({ member: await changeMemberRole(app, actor, email, role) }),
  }),
  'remove-member': operation({
    description: 'Removes a member from your organization and hands over their rows.',
    method: 'DELETE',
    path: '/_fw/org/members/:email',
    permission: 'remove-member',
    input: orgInput.leave,
    output: handOverSchema,
    audit: ['email', 'receivedBy', 'rows'],
    dryRun: true,
    run: ({ email, receiver }, { app, actor, isDryRun }) => removeMember(app, actor, email, { receiver, isDryRun }),
  }),
  'list-invitations': operation({
    description: 'Lists the pending invitations of your organization.',
    method: 'GET',
    path: '/_fw/org/invitations',
    openIn: ['view'],
    permission: 'list-invitations',
    output: pendingInvitationsSchema,
    run: async (_input, { app, actor }) => ({
      invitations: await listPendingInvitations(app, actor),
      needsVerifiedEmail: mustConfirmToInvite(app, actor.session),
    }),
  }),
  'invite-member': operation({
    description: 'Invites up to 50 addresses. The response names those that failed.',
    method: 'POST',
    path: '/_fw/org/invitations',
    permission: 'invite-member',
    input: orgInput.invite,
    output: invitationResultSchema,
    status: 201,
    audit: ['email', 'role', 'invitations'],
    async run(input, { app, actor, event }) {
      const isOne = 'email' in input
      const result = await invite(app, actor, isOne ? [input] : input.invitations, requestInfo(event).clientAddress)
      if (isOne && result.failed[0]) throw new AppError(result.failed[0].code)
      return result
    },
  }),
  'get-auth-provider': operation({
    description: 'Returns how members of your organization must sign in, and the providers that can be required.',
    method: 'GET',
    path: '/_fw/org/auth-provider',
    openIn: ['view'],
    permission: 'read-organization',
    output: authProviderSchema,
    run: (_input, { app, actor }) => getAuthProvider(app, actor),
  }),
  'set-auth-provider': operation({
    description: 'Sets how members of your organization must sign in. A new rule signs them out.',
    method: 'PUT',
    path: '/_fw/org/auth-provider',
    permission: 'set-auth-provider',
    recentSignIn: true,
    input: orgInput.authProvider,
    output: authProviderResultSchema,
    audit: {
      keep: ['provider', 'confirm'],
      changes: ['provider', 'domain', 'guests'],
      read: (_input, { app, actor }) => settingsForAudit(app, actor.orgId),
    },
    dryRun: true,
    run: (input, { app, actor, isDryRun }) =>
      isDryRun ? planAuthProvider(app, actor, input) : setAuthProvider(app, actor, input),
  }),
  'get-second-factor-policy': operation({
    description: 'Lists the members whom a policy for a second factor would cut off.',
    method: 'GET',
    path: '/_fw/org/second-factor',
    openIn: ['view'],
    permission: 'set-auth-provider',
    output: secondFactorPolicySchema,
    run: async (_input, { app, actor }) => ({ missing: await listWithoutSecondFactor(app, actor) }),
  }),
  'set-second-factor-policy': operation({
    description: 'Sets whether every member of your organization needs a second factor, and after how many days.',
    method: 'PUT',
    path: '/_fw/org/second-factor',
    permission: 'set-auth-provider',
    recentSignIn: true,
    input: orgInput.secondFactor,
    audit: {
      keep: ['isRequired', 'graceDays'],
      changes: ['isRequired', 'graceDays'],
      read: (_input, { app, actor }) => settingsForAudit(app, actor.orgId),
    },
    run: (input, { app, actor }) => setSecondFactorPolicy(app, actor, input),
  }),
  'get-checklist': operation({
    description: 'Returns whether you have dismissed the first steps in this organization.',
    method: 'GET',
    path: '/_fw/org/checklist',
    openIn: ['view'],
    output: checklistSchema,
    run: async (_input, { app, session }) =>
      (await personState(app, () => session).get(CHECKLIST, checklistSchema)) ?? { isDismissed: false },
  }),
  'set-checklist': operation({
    description: 'Dismisses or restores the first steps in this organization.',
    method: 'PUT',
    path: '/_fw/org/checklist',
    input: checklistSchema,
    output: checklistSchema,
    async run(checklist, { app, session }) {
      await personState(app, () => session).set(CHECKLIST, checklist)
      return checklist
    },
  }),
})
