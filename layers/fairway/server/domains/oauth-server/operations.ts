import { z } from 'zod'
import { defineOperations, operation } from '#fairway/server/domains/actions'
import { connectedAppSchema, organizationGrantSchema, personalTokenSchema } from '#fairway/shared/schemas/connection'
import { changeGrant, disconnectApp, disconnectOrgApp, listGrants, listOrgGrants, listPersonalTokens } from './grants'
import { makePersonalToken, personalTokenInput, revokePersonalToken } from './personal-tokens'

export default defineOperations({
  'list-personal-tokens': operation({
    description: 'Lists your API tokens, newest first. It never returns the tokens themselves.',
    method: 'GET',
    path: '/_fw/tokens',
    openIn: ['view'],
    output: z.object({ tokens: z.array(personalTokenSchema) }),
    run: async (_input, { app, session }) => ({ tokens: await listPersonalTokens(app, session.userId) }),
  }),
  'make-personal-token': operation({
    description: 'Creates an API token and returns it once.',
    method: 'POST',
    path: '/_fw/tokens',
    recentSignIn: true,
    input: personalTokenInput,
    output: z.object({ token: z.string(), id: z.string() }),
    status: 201,
    audit: [],
    run: (input, { app, session }) => makePersonalToken(app, session, input),
  }),
  'revoke-personal-token': operation({
    description: 'Revokes one of your API tokens.',
    method: 'DELETE',
    path: '/_fw/tokens/:id',
    audit: ['id'],
    run: ({ id }, { app, session }) => revokePersonalToken(app, session, id),
  }),
  'list-own-grants': operation({
    description: 'Lists the apps you have connected, in all organizations.',
    method: 'GET',
    path: '/_fw/grants',
    openIn: ['view'],
    output: z.object({ grants: z.array(connectedAppSchema) }),
    run: async (_input, { app, session }) => ({ grants: await listGrants(app, session) }),
  }),
  'change-own-grant': operation({
    description: 'Sets whether one of your connected apps asks you before it deletes something.',
    method: 'PATCH',
    path: '/_fw/grants/:id',
    input: z.object({ asksFirst: z.boolean() }),
    audit: ['id'],
    run: (input, { app, session }) => changeGrant(app, session, input),
  }),
  'end-own-grant': operation({
    description: 'Disconnects an app. Its next call fails.',
    method: 'DELETE',
    path: '/_fw/grants/:id',
    audit: ['id'],
    run: ({ id }, { app, session }) => disconnectApp(app, session, id),
  }),
  'list-grants': operation({
    description: 'Lists the apps and API tokens of the members of your organization.',
    method: 'GET',
    path: '/_fw/org/grants',
    openIn: ['view'],
    permission: 'list-grants',
    output: z.object({ grants: z.array(organizationGrantSchema) }),
    run: async (_input, { app, actor }) => ({ grants: await listOrgGrants(app, actor.orgId) }),
  }),
  'end-grant': operation({
    description: 'Disconnects an app of a member from your organization.',
    method: 'DELETE',
    path: '/_fw/org/grants/:id',
    permission: 'revoke-grant',
    audit: ['id'],
    run: ({ id }, { app, actor }) => disconnectOrgApp(app, actor, id),
  }),
})
