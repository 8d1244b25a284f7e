import { z } from 'zod'
import { defineOperations, operation } from '#fairway/server/domains/actions'
import { connectionSchema } from '#fairway/shared/schemas/connection'
import { disconnect, listConnections } from './stored-connections'

export default defineOperations({
  'list-connections': operation({
    description: 'Lists the providers that you can connect, and your connections. It never returns a token.',
    method: 'GET',
    path: '/_fw/connections',
    openIn: ['view'],
    output: z.object({ connections: z.array(connectionSchema) }),
    run: async (_input, { app, session }) => ({ connections: await listConnections(app, session.userId) }),
  }),
  'end-connection': operation({
    description: 'Ends your connection to a provider, and revokes its tokens there if the provider allows it.',
    method: 'DELETE',
    path: '/_fw/connections/:provider',
    audit: ['provider'],
    output: z.object({ revoked: z.boolean() }),
    run: ({ provider }, { app, session }) => disconnect(app, session.userId, provider),
  }),
})
