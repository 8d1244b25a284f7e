import { z } from 'zod'
import { defineOperations, operation } from '#fairway/server/domains/actions'
import { SUPPORTED_SCOPES } from '#fairway/shared/scopes'
import { listPersonalTokens, makePersonalToken, personalTokenInput, revokePersonalToken } from './personal-tokens'

const tokenSchema = z.object({
  id: z.string(),
  name: z.string(),
  orgId: z.string(),
  orgName: z.string(),
  scopes: z.array(z.object({ scope: z.enum(SUPPORTED_SCOPES), description: z.string() })),
  createdAt: z.string(),
  lastUsedAt: z.string().nullable(),
  expiresAt: z.string(),
})

export default defineOperations({
  'list-personal-tokens': operation({
    description: 'Lists your API tokens, newest first. It never returns the tokens themselves.',
    method: 'GET',
    path: '/_fw/tokens',
    output: z.object({ tokens: z.array(tokenSchema) }),
    run: async (_input, { app, session }) => ({ tokens: await listPersonalTokens(app, session) }),
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
})
