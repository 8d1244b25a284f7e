import { z } from 'zod'
import { countGrantCalls, defineOperations, operation } from '#fairway/server/domains/actions'
import type { App } from '#fairway/server/kernel/app-context'
import {
  connectedAppSchema,
  GRANT_PARTS,
  grantActionSchema,
  organizationGrantPageSchema,
  personalTokenSchema,
} from '#fairway/shared/schemas/connection'
import { UNUSED_AFTER_IN_MS } from './grant-use'
import {
  changeGrant,
  disconnectApp,
  disconnectOrgApp,
  type GrantOwner,
  listGrants,
  listPersonalTokens,
  requireGrant,
} from './grants'
import { grantsInput, listGrantPage } from './list-grants'
import { narrowGrant } from './narrow-grant'
import { makePersonalToken, personalTokenInput, revokePersonalToken } from './personal-tokens'

const actionsOutput = z.object({ actions: z.array(grantActionSchema) })
const narrowInput = z.object({ parts: z.array(z.enum(GRANT_PARTS)).min(1).max(GRANT_PARTS.length) })

const actionsOf = async (app: App, id: string, owner: GrantOwner) => ({
  actions: await countGrantCalls(app, await requireGrant(app, id, owner), app.now().getTime() - UNUSED_AFTER_IN_MS),
})

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
  'list-own-grant-actions': operation({
    description: 'Counts what one of your connected apps or API tokens changed in 30 days, by action.',
    method: 'GET',
    path: '/_fw/grants/:id/actions',
    openIn: ['view'],
    output: actionsOutput,
    run: ({ id }, { app, session: { userId } }) => actionsOf(app, id, { userId }),
  }),
  'narrow-own-grant': operation({
    description: 'Removes permissions from a connected app or API token that it did not use for 30 days.',
    method: 'POST',
    path: '/_fw/grants/:id/narrow',
    input: narrowInput,
    audit: ['id', 'parts'],
    run: (input, { app, session: { userId } }) => narrowGrant(app, { userId }, input),
  }),
  'end-own-grant': operation({
    description: 'Disconnects an app. Its next call fails.',
    method: 'DELETE',
    path: '/_fw/grants/:id',
    audit: ['id'],
    run: ({ id }, { app, session }) => disconnectApp(app, session, id),
  }),
  'list-grants': operation({
    description: 'Lists the apps and API tokens of the members of your organization, most recently used first.',
    method: 'GET',
    path: '/_fw/org/grants',
    openIn: ['view'],
    permission: 'list-grants',
    input: grantsInput,
    output: organizationGrantPageSchema,
    run: (query, { app, actor }) => listGrantPage(app, actor.orgId, query),
  }),
  'list-grant-actions': operation({
    description: 'Counts what a connected app or API token of a member changed in 30 days, by action.',
    method: 'GET',
    path: '/_fw/org/grants/:id/actions',
    openIn: ['view'],
    permission: 'list-grants',
    output: actionsOutput,
    run: ({ id }, { app, actor: { orgId } }) => actionsOf(app, id, { orgId }),
  }),
  'narrow-grant': operation({
    description: 'Removes permissions from a member’s connected app or API token that it did not use for 30 days.',
    method: 'POST',
    path: '/_fw/org/grants/:id/narrow',
    permission: 'revoke-grant',
    input: narrowInput,
    audit: ['id', 'parts'],
    run: (input, { app, actor: { orgId } }) => narrowGrant(app, { orgId }, input),
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
