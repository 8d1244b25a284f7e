// The connections of an organization to its own OpenID provider. Owners and admins prepare and test; owners decide.
import { z } from 'zod'
import { defineOperations, operation } from '#fairway/server/domains/actions'
import { readIssuer } from '#fairway/server/domains/oauth-client'
import {
  activateConnection,
  addConnection,
  changeConnection,
  checkActivation,
  type ConnectionRow,
  countServed,
  deactivateConnection,
  deleteConnection,
  listIdentityConnections,
  requireConnection,
  requireDomain,
  setManagedAgents,
  setSecretEnd,
  toConnection,
} from '#fairway/server/domains/organizations'
import type { App } from '#fairway/server/kernel/app-context'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { requestInfo } from '#fairway/server/kernel/http/request-info'
import { setCookies } from '#fairway/server/kernel/server-page/send-answer'
import {
  CONNECTION_AUTHS,
  identityConnectionSchema,
  PROVISIONED_ROLES,
} from '#fairway/shared/schemas/identity-connection'
import { mayInOrg, type OrgRole } from '#fairway/shared/roles'
import { nameSchema } from '#fairway/shared/schemas/name'
import { assertionIssuersSchema, checkedIssuers, testConnection } from './connection-sign-in'

const issuer = z.string().trim().max(500).nullable()
const clientId = z.string().trim().min(1).max(500).nullable()

const settingsShape = {
  name: nameSchema(80),
  issuer: issuer.default(null),
  clientId: clientId.default(null),
  clientSecret: z.string().trim().min(1).max(2000).nullable().optional(),
  secretEndsOn: z.iso.date().nullable().optional().describe('The last day of the client secret.'),
  clientAuth: z.enum(CONNECTION_AUTHS).default('secret'),
  domain: z.string().max(300).nullable().default(null),
  provision: z.boolean().default(true),
  defaultRole: z.enum(PROVISIONED_ROLES).default('member'),
}

const newSchema = z.object(settingsShape)
const changeSchema = z.object({
  id: z.string(),
  name: settingsShape.name.optional(),
  issuer: issuer.optional(),
  clientId: clientId.optional(),
  clientSecret: settingsShape.clientSecret,
  secretEndsOn: settingsShape.secretEndsOn,
  clientAuth: z.enum(CONNECTION_AUTHS).optional(),
  domain: z.string().max(300).nullable().optional(),
  provision: z.boolean().optional(),
  defaultRole: z.enum(PROVISIONED_ROLES).optional(),
  managedAgents: z.boolean().optional(),
  /** Null or empty for the connection's own issuer. */
  assertionIssuers: assertionIssuersSchema.nullable().optional(),
})
const named = z.object({ id: z.string().max(64) })
const stateSchema = z.object({ connection: identityConnectionSchema, people: z.int() })

/** The settings as they are stored: an issuer as it names itself, a domain in its plain form. */
async function checked<Settings extends { issuer: string | null; domain: string | null }>(
  app: App,
  settings: Settings,
  before?: ConnectionRow,
): Promise<Settings> {
  const isKnown = !settings.issuer || settings.issuer === before?.issuer
  return {
    ...settings,
    issuer: isKnown ? settings.issuer : await readIssuer(app, settings.issuer ?? ''),
    domain: settings.domain === null ? null : requireDomain(settings.domain, 'domain'),
  }
}

/** While people sign in by a connection, only owners change it: its settings decide who gets in. */
function checkMayChange(role: OrgRole, { state }: ConnectionRow): void {
  if (state === 'active' && !mayInOrg(role, 'decide-sign-in'))
    throw new AppError('forbidden', { detail: 'Ask an owner: this connection is active.' })
}

export default defineOperations({
  'list-identity-connections': operation({
    description: 'Lists the connections of your organization to its own OpenID providers. It never returns a secret.',
    method: 'GET',
    path: '/_fw/org/connections',
    openIn: ['view'],
    permission: 'set-auth-provider',
    output: z.object({ connections: z.array(identityConnectionSchema) }),
    run: async (_input, { app, actor }) => ({ connections: await listIdentityConnections(app, actor.orgId) }),
  }),
  'add-identity-connection': operation({
    description: 'Adds a connection to an OpenID provider as a draft.',
    method: 'POST',
    path: '/_fw/org/connections',
    permission: 'set-auth-provider',
    recentSignIn: true,
    input: newSchema,
    output: identityConnectionSchema,
    status: 201,
    audit: ['id', 'name', 'issuer', 'domain', 'provision', 'defaultRole'],
    async run({ secretEndsOn = null, ...input }, { app, actor }) {
      const row = await addConnection(app, actor, await checked(app, input))
      await setSecretEnd(app, row, secretEndsOn)
      return toConnection(app, await requireConnection(app, actor.orgId, row.id))
    },
  }),
  'change-identity-connection': operation({
    description:
      'Changes a connection. Another issuer or client must be tested again; an active one must be deactivated first.',
    method: 'PATCH',
    path: '/_fw/org/connections/:id',
    permission: 'set-auth-provider',
    recentSignIn: true,
    input: changeSchema,
    output: identityConnectionSchema,
    audit: ['id', 'name', 'issuer', 'domain', 'provision', 'defaultRole', 'managedAgents', 'assertionIssuers'],
    async run({ id, managedAgents, assertionIssuers, secretEndsOn, ...changes }, { app, actor }) {
      const row = await requireConnection(app, actor.orgId, id)
      checkMayChange(actor.role, row)
      const isAboutAgents = managedAgents !== undefined || assertionIssuers !== undefined
      if (isAboutAgents && !mayInOrg(actor.role, 'decide-sign-in'))
        throw new AppError('forbidden', { detail: 'Ask an owner: managed agents are for owners to decide.' })
      const issuers = assertionIssuers && (await checkedIssuers(app, row, assertionIssuers))
      const before = { ...row, provision: row.provision === 1 }
      const sent = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))
      const settings = { ...before, clientSecret: undefined, ...sent }
      const changed = await changeConnection(app, row, await checked(app, settings, row))
      if (isAboutAgents) await setManagedAgents(app, changed, { managedAgents, assertionIssuers: issuers })
      // The end of the former secret says nothing about a new one.
      const endsOn = changes.clientSecret ? (secretEndsOn ?? null) : secretEndsOn
      if (endsOn !== undefined) await setSecretEnd(app, row, endsOn)
      return toConnection(app, await requireConnection(app, actor.orgId, id))
    },
  }),
  'delete-identity-connection': operation({
    description: 'Deletes a connection that is not active.',
    method: 'DELETE',
    path: '/_fw/org/connections/:id',
    permission: 'set-auth-provider',
    recentSignIn: true,
    input: named,
    audit: ['id'],
    run: async ({ id }, { app, actor }) => deleteConnection(app, await requireConnection(app, actor.orgId, id)),
  }),
  'test-identity-connection': operation({
    description: 'Returns the address where you test a connection by signing in at its provider.',
    method: 'POST',
    path: '/_fw/org/connections/:id/test',
    permission: 'set-auth-provider',
    recentSignIn: true,
    input: named,
    output: z.object({ url: z.string() }),
    audit: ['id'],
    async run({ id }, { app, actor, event }) {
      const row = await requireConnection(app, actor.orgId, id)
      const { url, setCookies: cookies } = await testConnection(app, row, {
        ...requestInfo(event),
        testedBy: actor.userId,
      })
      setCookies(event, cookies)
      return { url }
    },
  }),
  'activate-identity-connection': operation({
    description: 'Lets people sign in by a connection. A dry run counts the members whose addresses it serves.',
    method: 'POST',
    path: '/_fw/org/connections/:id/activate',
    permission: 'decide-sign-in',
    recentSignIn: true,
    input: named,
    output: stateSchema,
    audit: ['id'],
    dryRun: true,
    async run({ id }, { app, actor, isDryRun }) {
      const row = await requireConnection(app, actor.orgId, id)
      await (isDryRun ? checkActivation(app, row) : activateConnection(app, row))
      return stateOf(app, actor.orgId, id)
    },
  }),
  'deactivate-identity-connection': operation({
    description: 'Stops sign-ins by a connection. Sessions continue.',
    method: 'POST',
    path: '/_fw/org/connections/:id/deactivate',
    permission: 'decide-sign-in',
    recentSignIn: true,
    input: named,
    output: stateSchema,
    audit: ['id'],
    dryRun: true,
    async run({ id }, { app, actor, isDryRun }) {
      const row = await requireConnection(app, actor.orgId, id)
      if (!isDryRun) await deactivateConnection(app, row)
      return stateOf(app, actor.orgId, id)
    },
  }),
})

async function stateOf(app: App, orgId: string, id: string) {
  const row = await requireConnection(app, orgId, id)
  return { connection: toConnection(app, row), people: await countServed(app, row) }
}
