import { z } from 'zod'
import { defineOperations, operation } from '#fairway/server/domains/actions'
import { directoryMappingSchema, directorySchema, mappingPlanSchema } from '#fairway/shared/schemas/directory'
import { PROVISIONED_ROLES } from '#fairway/shared/schemas/identity-connection'
import { connectDirectory, endDirectory, findDirectory } from './directory'
import { getMapping, planMapping, setMapping } from './directory-roles'

const text = z.string().min(1).max(200)
const mappedGroup = z
  .object({
    group: text,
    orgRole: z.enum(PROVISIONED_ROLES).nullable().default(null),
    appId: text.nullable().default(null).describe('Defaults to this application.'),
    role: text.nullable().default(null).describe('A role that the application declares.'),
    isTeam: z.boolean().default(false).describe('Whether the group is a team.'),
  })
  .refine(({ orgRole, role, isTeam }) => isTeam || orgRole !== null || role !== null, 'Name a role, or make it a team.')

export default defineOperations({
  'get-directory': operation({
    description: 'Returns the directory of your organization; it never returns its token.',
    method: 'GET',
    path: '/_fw/org/directory',
    openIn: ['view'],
    permission: 'set-auth-provider',
    output: z.object({ directory: z.nullable(directorySchema) }),
    run: async (_input, { app, actor }) => ({ directory: await findDirectory(app, actor.orgId) }),
  }),
  'connect-directory': operation({
    description:
      'Connects the directory of your organization (SCIM 2.0), or gives it a new token. The token is returned once.',
    method: 'POST',
    path: '/_fw/org/directory',
    permission: 'decide-sign-in',
    recentSignIn: true,
    output: z.object({ endpoint: z.string(), token: z.string() }),
    status: 201,
    audit: [],
    run: (_input, { app, actor }) => connectDirectory(app, actor),
  }),
  'end-directory': operation({
    description: 'Ends the directory of your organization. Its people stay members.',
    method: 'DELETE',
    path: '/_fw/org/directory',
    permission: 'decide-sign-in',
    recentSignIn: true,
    audit: [],
    run: (_input, { app, actor }) => endDirectory(app, actor.orgId),
  }),
  'get-directory-mapping': operation({
    description: 'Returns the groups of your directory, the roles that they give, and which of them are teams.',
    method: 'GET',
    path: '/_fw/org/directory/mapping',
    openIn: ['view'],
    permission: 'set-auth-provider',
    output: directoryMappingSchema,
    run: (_input, { app, actor }) => getMapping(app, actor.orgId),
  }),
  'set-directory-mapping': operation({
    description:
      'Replaces the roles that the groups of your directory give, and which of them are teams. A dry run lists what would change.',
    method: 'PUT',
    path: '/_fw/org/directory/mapping',
    permission: 'decide-sign-in',
    recentSignIn: true,
    input: z.object({ mapping: z.array(mappedGroup).max(200) }),
    output: mappingPlanSchema,
    audit: ['mapping'],
    dryRun: true,
    run: ({ mapping }, { app, actor, isDryRun }) =>
      isDryRun ? planMapping(app, actor, mapping) : setMapping(app, actor, mapping),
  }),
})
