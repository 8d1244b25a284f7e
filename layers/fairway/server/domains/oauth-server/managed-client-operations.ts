import { z } from 'zod'
import { defineOperations, operation } from '#fairway/server/domains/actions'
import { managedClientSchema } from '#fairway/shared/schemas/managed-client'
import { addManagedClient, endManagedClient, listManagedClients, managedClientInput } from './clients/managed-clients'

export default defineOperations({
  'list-managed-clients': operation({
    description: 'Lists the managed clients of your organization. It never returns a secret.',
    method: 'GET',
    path: '/_fw/org/managed-clients',
    openIn: ['view'],
    permission: 'set-auth-provider',
    output: z.object({ clients: z.array(managedClientSchema) }),
    run: async (_input, { app, actor }) => ({ clients: await listManagedClients(app, actor.orgId) }),
  }),
  'add-managed-client': operation({
    description: 'Registers an agent that your organization manages. The secret is returned once.',
    method: 'POST',
    path: '/_fw/org/managed-clients',
    permission: 'decide-sign-in',
    recentSignIn: true,
    input: managedClientInput,
    output: z.object({ clientId: z.string(), clientSecret: z.string() }),
    status: 201,
    audit: ['name'],
    run: (input, { app, actor }) => addManagedClient(app, actor, input),
  }),
  'end-managed-client': operation({
    description: 'Deletes a managed client and disconnects it from everybody.',
    method: 'DELETE',
    path: '/_fw/org/managed-clients/:id',
    permission: 'decide-sign-in',
    recentSignIn: true,
    input: z.object({ id: z.string().max(64) }),
    audit: ['id'],
    run: ({ id }, { app, actor }) => endManagedClient(app, actor.orgId, id),
  }),
})
