import { z } from 'zod'
import { defineOperations, operation } from '#fairway/server/domains/actions'
import {
  addServiceAccount,
  changeServiceAccount,
  endServiceAccount,
  endServiceKey,
  listServiceAccounts,
  makeServiceKey,
  serviceAccountForAudit,
  serviceAccountShape,
  serviceKeyInput,
} from '#fairway/server/domains/organizations'
import { emailSchema } from '#fairway/shared/schemas/email'
import { serviceAccountSchema } from '#fairway/shared/schemas/service-account'
import { keySetSchema } from './clients/client-signing'

const id = z.string().max(64)
const jwks = keySetSchema.refine(({ keys }) => keys.length > 0, 'jwks has one key at least.')
const { appRoles, readOnly, destructive, ...required } = serviceAccountShape

export default defineOperations({
  'list-service-accounts': operation({
    description: 'Lists the service accounts of your organization with their live keys. It never returns a key itself.',
    method: 'GET',
    path: '/_fw/org/service-accounts',
    openIn: ['view'],
    permission: 'manage-service-accounts',
    output: z.object({ accounts: z.array(serviceAccountSchema) }),
    run: async (_input, { app, actor }) => ({ accounts: await listServiceAccounts(app, actor.orgId) }),
  }),
  'add-service-account': operation({
    description: 'Makes a service account. You become its owner of record.',
    method: 'POST',
    path: '/_fw/org/service-accounts',
    permission: 'manage-service-accounts',
    // Public keys are a credential.
    recentSignIn: ({ jwks: keys }) => keys !== undefined,
    input: z.object({
      ...required,
      appRoles: appRoles.default([]),
      readOnly: readOnly.default(false),
      destructive: destructive.default(false),
      jwks: jwks.optional(),
    }),
    output: z.object({ id: z.string() }),
    status: 201,
    audit: ['name', 'role', 'appRoles', 'scopes', 'readOnly', 'destructive', 'id'],
    run: (input, { app, actor }) => addServiceAccount(app, actor, input),
  }),
  'change-service-account': operation({
    description: 'Changes a service account, its public keys (`jwks`) or its owner of record (`owner`, an address).',
    method: 'PATCH',
    path: '/_fw/org/service-accounts/:id',
    permission: 'manage-service-accounts',
    recentSignIn: ({ jwks: keys }) => keys !== undefined && keys !== null,
    input: z.object({
      id,
      ...z.object(serviceAccountShape).partial().shape,
      jwks: jwks.nullable().optional(),
      owner: emailSchema.optional(),
    }),
    audit: {
      keep: ['id', 'owner'],
      changes: ['name', 'role', 'appRoles', 'scopes', 'readOnly', 'destructive'],
      read: ({ id: account }, { app, actor }) => serviceAccountForAudit(app, actor.orgId, account),
    },
    run: ({ id: account, ...changes }, { app, actor }) => changeServiceAccount(app, actor, account, changes),
  }),
  'end-service-account': operation({
    description: 'Deletes a service account with its keys. Its next call fails.',
    method: 'DELETE',
    path: '/_fw/org/service-accounts/:id',
    permission: 'manage-service-accounts',
    input: z.object({ id }),
    audit: ['id'],
    run: ({ id: account }, { app, actor }) => endServiceAccount(app, actor, account),
  }),
  'make-service-key': operation({
    description:
      'Makes a key of a service account and returns it once. Two keys can be live, so that they can be rotated.',
    method: 'POST',
    path: '/_fw/org/service-accounts/:id/keys',
    permission: 'manage-service-accounts',
    recentSignIn: true,
    input: serviceKeyInput.extend({ id }),
    output: z.object({ key: z.string(), id: z.string() }),
    status: 201,
    audit: ['id', 'expiresInDays'],
    run: (input, { app, actor }) => makeServiceKey(app, actor, input),
  }),
  'end-service-key': operation({
    description: 'Revokes a key of a service account. The next call with it fails.',
    method: 'DELETE',
    path: '/_fw/org/service-accounts/:id/keys/:keyId',
    permission: 'manage-service-accounts',
    input: z.object({ id, keyId: id }),
    audit: ['id', 'keyId'],
    run: (input, { app, actor }) => endServiceKey(app, actor, input),
  }),
})
