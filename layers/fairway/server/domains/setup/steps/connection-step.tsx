/** @jsxImportSource vue */
import { z } from 'zod'
import { readIssuer } from '#fairway/server/domains/oauth-client'
import {
  activateConnection,
  addConnection,
  changeConnection,
  checkActivation,
  type ConnectionRow,
  countServed,
  requireConnection,
  setSecretEnd,
  toConnection,
} from '#fairway/server/domains/organizations'
import { testConnection } from '#fairway/server/domains/sign-in'
import type { App } from '#fairway/server/kernel/app-context'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { parseInput } from '#fairway/server/kernel/http/read-input'
import { SETUP_PATH } from '#fairway/shared/paths'
import { CONNECTION_AUTHS } from '#fairway/shared/schemas/identity-connection'
import { nameSchema } from '#fairway/shared/schemas/name'
import { setConnection } from '../links'
import { propose, withdraw } from '../proposals'
import { type DecidingStep, type Waiting, waitingState } from '../step'
import { actorOf, noteChange, type Setup, type SetupVisit } from '../visit'
import { ConnectionBody } from './connection-body'

/** The name by which the round trip of a test knows the contact. */
export const TESTER = 'setup:'

const text = (most: number) =>
  z
    .string()
    .trim()
    .max(most)
    .transform(typed => typed || null)
const settingsSchema = z.object({
  issuer: text(500),
  clientId: text(500),
  clientSecret: text(2000),
  clientAuth: z.enum(CONNECTION_AUTHS),
  secretEndsOn: text(10).pipe(z.iso.date().nullable()).default(null),
})

/** The connection of a link while the contact may change it. */
async function requirePrepared(app: App, { link }: Pick<Setup, 'link'> | SetupVisit): Promise<ConnectionRow> {
  const row = await requireConnection(app, link.orgId, link.connectionId ?? '')
  if (row.state === 'active' || row.state === 'off') throw new AppError('forbidden')
  return row
}

/** A connection to the customer's provider: set up, tested by the contact, then active once an owner confirms it. */
export const connectionStep: DecidingStep = {
  name: 'connection',
  state(setup) {
    const { connection } = setup
    if (!connection) return 'none'
    if (connection.state === 'active') return 'active'
    return waitingState(setup, 'connection') ?? (connection.test ? 'tested' : 'begun')
  },
  body: props => <ConnectionBody {...props} />,
  intents: {
    async 'add-connection'(app, visit, form) {
      const { name } = parseInput(z.object({ name: nameSchema(80) }), { name: form.name })
      const fixed = { clientAuth: 'secret', domain: null, provision: true, defaultRole: 'member' } as const
      const row = await addConnection(app, actorOf(visit.link), { ...fixed, name, issuer: null, clientId: null })
      await setConnection(app, visit.link, row.id)
      const facts = { id: row.id, name }
      await noteChange(app, visit, { action: 'add-identity-connection', facts, told: 'add-connection' })
      return undefined
    },
    async 'save-connection'(app, visit, form) {
      const row = await requirePrepared(app, visit)
      const { issuer, clientSecret, secretEndsOn, ...typed } = parseInput(settingsSchema, form)
      const isKnown = issuer === null || issuer === row.issuer
      const settings = {
        name: row.name,
        domain: row.domain,
        provision: row.provision === 1,
        defaultRole: row.defaultRole,
        ...typed,
        issuer: isKnown ? issuer : await readIssuer(app, issuer),
        clientSecret: clientSecret ?? undefined,
      }
      await changeConnection(app, row, settings)
      await setSecretEnd(app, row, secretEndsOn)
      await withdraw(app, visit.link.id, 'connection')
      const facts = { id: row.id, name: row.name, issuer: settings.issuer }
      await noteChange(app, visit, { action: 'change-identity-connection', facts, told: 'save-connection' })
      return undefined
    },
    async 'test-connection'(app, visit) {
      const row = await requirePrepared(app, visit)
      const { clientAddress, cookieHeader, link } = visit
      const from = { clientAddress, cookieHeader, testedBy: TESTER + link.id, returnPath: SETUP_PATH }
      const { url: location, setCookies } = await testConnection(app, row, from)
      await noteChange(app, visit, { action: 'test-identity-connection', facts: { id: row.id } })
      return { location, setCookies }
    },
    async 'propose-connection'(app, visit) {
      const row = await requirePrepared(app, visit)
      await checkActivation(app, row)
      await propose(app, visit.link.id, 'connection')
      const facts = { step: 'connection', name: row.name }
      await noteChange(app, visit, { action: 'propose-setup-step', facts, told: 'propose-connection' })
      return undefined
    },
  },
  async plan(app, _actor, { setup }) {
    const row = await rowOf(app, setup)
    await checkActivation(app, row)
    return { connection: toConnection(app, row), people: await countServed(app, row) }
  },
  async confirm(app, _actor, waiting: Waiting) {
    await activateConnection(app, await rowOf(app, waiting.setup))
  },
}

const rowOf = (app: App, { link }: Setup) => requireConnection(app, link.orgId, link.connectionId ?? '')
