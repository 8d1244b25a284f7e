import { z } from 'zod'
import { defineOperations, operation } from '#fairway/server/domains/actions'
import { directorySchema } from '#fairway/shared/schemas/directory'
import { connectDirectory, endDirectory, findDirectory } from './directory'

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
})
