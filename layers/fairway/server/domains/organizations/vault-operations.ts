import { z } from 'zod'
import { defineOperations, operation } from '#fairway/server/domains/actions'
import {
  credentialKeySchema,
  credentialTestSchema,
  credentialValueSchema,
  vaultSchema,
} from '#fairway/shared/schemas/vault'
import { deleteCredential, putCredential, readVault, testCredential } from './vault'

const named = z.object({ key: credentialKeySchema })
const entered = z.strictObject({ key: credentialKeySchema, value: credentialValueSchema })

export default defineOperations({
  'list-own-credentials': operation({
    description: 'Lists your credentials and those that the application requires. It never returns a value.',
    method: 'GET',
    path: '/_fw/vault',
    openIn: ['view'],
    output: vaultSchema,
    run: (_input, { app, session: { userId } }) => readVault(app, { userId }),
  }),
  'set-own-credential': operation({
    description: 'Stores one of your credentials and replaces an existing one with this name.',
    method: 'PUT',
    path: '/_fw/vault/:key',
    input: entered,
    audit: [],
    run: ({ key, value }, { app, session: { userId } }) => putCredential(app, { userId }, key, value),
  }),
  'delete-own-credential': operation({
    description: 'Deletes one of your credentials.',
    method: 'DELETE',
    path: '/_fw/vault/:key',
    input: named,
    audit: [],
    run: ({ key }, { app, session: { userId } }) => deleteCredential(app, { userId }, key),
  }),
  'test-own-credential': operation({
    description: 'Checks whether one of your credentials works.',
    method: 'POST',
    path: '/_fw/vault/:key/test',
    input: named,
    output: credentialTestSchema,
    run: ({ key }, { app, session: { userId } }) => testCredential(app, { userId }, key),
  }),
  'list-credentials': operation({
    description: 'Lists the credentials of your organization. It never returns a value.',
    method: 'GET',
    path: '/_fw/org/vault',
    openIn: ['view'],
    permission: 'manage-credentials',
    output: vaultSchema,
    run: (_input, { app, actor: { orgId } }) => readVault(app, { orgId }),
  }),
  'set-credential': operation({
    description: 'Stores a credential of your organization and replaces an existing one with this name.',
    method: 'PUT',
    path: '/_fw/org/vault/:key',
    permission: 'manage-credentials',
    recentSignIn: true,
    input: entered,
    audit: ['key'],
    run: ({ key, value }, { app, actor: { orgId } }) => putCredential(app, { orgId }, key, value),
  }),
  'delete-credential': operation({
    description: 'Deletes a credential of your organization.',
    method: 'DELETE',
    path: '/_fw/org/vault/:key',
    permission: 'manage-credentials',
    input: named,
    audit: ['key'],
    run: ({ key }, { app, actor: { orgId } }) => deleteCredential(app, { orgId }, key),
  }),
  'test-credential': operation({
    description: 'Checks whether a credential of your organization works.',
    method: 'POST',
    path: '/_fw/org/vault/:key/test',
    permission: 'manage-credentials',
    input: named,
    output: credentialTestSchema,
    run: ({ key }, { app, actor: { orgId } }) => testCredential(app, { orgId }, key),
  }),
})
