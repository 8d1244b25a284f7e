import { z } from 'zod'
import { defineOperations, operation } from '#fairway/server/domains/actions'
import { nameSchema } from '#fairway/shared/schemas/name'
import { assignedRoleSchema, organizationRolesSchema, rolePlanSchema } from '#fairway/shared/schemas/organization-role'
import { forOneTeam, listMet } from './permissions'
import { assignRole, unassignRole } from './roles/assignments'
import { changeRole, createRole, deleteRole, listRoles, planRole, planRoleDeletion, roleForAudit } from './roles/roles'

const id = z.string().max(64)
const name = nameSchema(60)
const permissions = z.array(z.string().max(64)).min(1, 'Choose a permission.').max(100)
const member = z.object({
  id,
  email: z.string().max(320).describe('The address of a member, or the ID of a service account.'),
  teamId: id.optional().describe('The role counts for rows of this team only. They must be in it.'),
})

export default defineOperations({
  'list-own-permissions': operation({
    description: 'Lists the permissions that you hold in the organization that you work in.',
    method: 'GET',
    path: '/_fw/org/permissions',
    openIn: ['view'],
    output: z.object({
      permissions: z.array(z.string()),
      forTeams: z.array(z.string()).describe('Those that you hold for all rows or for the rows of a team.'),
    }),
    async run(_input, { app, session }) {
      const met = await listMet(app, session)
      const { names } = app.config.permissions
      return {
        permissions: names.filter(each => met.includes(each)),
        forTeams: names.filter(each => met.includes(forOneTeam(each))),
      }
    },
  }),
  'list-roles': operation({
    description: 'Lists the permissions of the application and the roles that your organization has made of them.',
    method: 'GET',
    path: '/_fw/org/roles',
    openIn: ['view'],
    permission: 'read-organization',
    output: organizationRolesSchema,
    run: (_input, { app, actor }) => listRoles(app, actor),
  }),
  'create-role': operation({
    description: 'Creates a role from permissions of the application.',
    method: 'POST',
    path: '/_fw/org/roles',
    permission: 'manage-roles',
    input: z.object({ name, permissions }),
    output: z.object({ id: z.string() }),
    status: 201,
    audit: ['id', 'name', 'permissions'],
    run: (input, { app, actor }) => createRole(app, actor, input),
  }),
  'change-role': operation({
    description: 'Changes the name or the permissions of a role. A dry run lists who would lose which permissions.',
    method: 'PATCH',
    path: '/_fw/org/roles/:id',
    permission: 'manage-roles',
    input: z.object({ id, name: name.optional(), permissions: permissions.optional() }),
    output: rolePlanSchema,
    audit: {
      keep: ['id', 'name'],
      changes: ['name', 'permissions'],
      read: ({ id: role }, { app, actor }) => roleForAudit(app, actor.orgId, role),
    },
    dryRun: true,
    run: ({ id: role, ...changes }, { app, actor, isDryRun }) =>
      isDryRun ? planRole(app, actor, role, changes) : changeRole(app, actor, role, changes),
  }),
  'delete-role': operation({
    description:
      'Deletes a role. One with holders requires `confirm`. A dry run lists who would lose which permissions.',
    method: 'DELETE',
    path: '/_fw/org/roles/:id',
    permission: 'manage-roles',
    input: z.object({ id, confirm: z.boolean().default(false) }),
    output: rolePlanSchema,
    audit: ['id', 'name', 'confirm'],
    dryRun: true,
    run: (input, { app, actor, isDryRun }) =>
      isDryRun ? planRoleDeletion(app, actor, input.id) : deleteRole(app, actor, input),
  }),
  'assign-role': operation({
    description: 'Gives a role to a member or a service account.',
    method: 'PUT',
    path: '/_fw/org/roles/:id/members/:email',
    permission: 'manage-roles',
    input: member,
    output: assignedRoleSchema,
    audit: ['id', 'name', 'email', 'account', 'team'],
    run: ({ id: role, email, teamId }, { app, actor }) => assignRole(app, actor, role, email, teamId),
  }),
  'unassign-role': operation({
    description: 'Takes a role from a member or a service account.',
    method: 'DELETE',
    path: '/_fw/org/roles/:id/members/:email',
    permission: 'manage-roles',
    input: member,
    output: assignedRoleSchema,
    audit: ['id', 'name', 'email', 'account', 'team'],
    run: ({ id: role, email, teamId }, { app, actor }) => unassignRole(app, actor, role, email, teamId),
  }),
})
