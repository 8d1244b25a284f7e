// The people of an installation.
import { z } from 'zod'
import { defineOperations, operation, recordWithin } from '#fairway/server/domains/actions'
import { listMembershipsOf, organizationNamesOf } from '#fairway/server/domains/organizations'
import {
  endSessionsOf,
  findPersonDetails,
  listPeople,
  reactivatePerson,
  suspendPerson,
} from '#fairway/server/domains/people'
import { startView } from '#fairway/server/domains/sessions'
import { listPasskeys, resetTwoFactor, twoFactorState } from '#fairway/server/domains/sign-in'
import type { App } from '#fairway/server/kernel/app-context'
import { countedShape } from '#fairway/server/kernel/database/read-sorted'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { listSecurityEvents } from '#fairway/server/kernel/security-events/list-security-events'
import {
  PERSON_ORDERS,
  type PersonDetails,
  peoplePageSchema,
  personDetailsSchema,
} from '#fairway/shared/schemas/operator'

const personInput = z.object({ personId: z.string().max(64) })
const reasonSchema = z.string().trim().min(1).max(500)

async function showPerson(app: App, personId: string): Promise<PersonDetails> {
  const details = await findPersonDetails(app, personId)
  if (!details) throw new AppError('not-found')
  const exported = { kind: 'account-exported', userId: personId, page: 1, itemsPerPage: 1 }
  const [organizations, twoFactor, passkeys, { events }] = await Promise.all([
    listMembershipsOf(app, personId),
    twoFactorState(app, personId),
    listPasskeys(app, personId),
    listSecurityEvents(app, exported),
  ])
  return {
    ...details,
    organizations,
    secondFactor: {
      since: twoFactor.activeSince,
      backupCodesLeft: twoFactor.backupCodesLeft,
      passkeys: passkeys.length,
    },
    lastExportAt: events[0]?.at ?? null,
  }
}

export default defineOperations({
  'list-people': operation({
    description: 'Lists the accounts of the installation, by default newest first, 50 a page.',
    method: 'GET',
    path: '/_fw/operator/people',
    permission: 'operator',
    tokens: true,
    input: z.object({
      search: z.string().max(200).optional(),
      suspended: z.stringbool().optional(),
      ...countedShape(PERSON_ORDERS),
    }),
    output: peoplePageSchema,
    async run(query, { app }) {
      const { people, ...page } = await listPeople(app, query)
      const names = await organizationNamesOf(
        app,
        people.map(({ id }) => id),
      )
      return { people: people.map(person => ({ ...person, organizations: names.get(person.id) ?? [] })), ...page }
    },
  }),
  'show-person': operation({
    description: 'Returns one account: sign-in methods, sessions, organizations, suspension and second factor.',
    method: 'GET',
    path: '/_fw/operator/people/:personId',
    permission: 'operator',
    input: personInput,
    output: personDetailsSchema,
    run: ({ personId }, { app }) => showPerson(app, personId),
  }),
  'suspend-person': operation({
    description: 'Suspends an account, with a reason for the person and an optional end.',
    method: 'POST',
    path: '/_fw/operator/people/:personId/suspension',
    permission: 'operator',
    tokens: true,
    input: z.object({
      ...personInput.shape,
      reason: reasonSchema,
      /** ISO 8601. Default: the suspension continues until an operator reactivates the account. */
      until: z.iso.datetime({ offset: true }).optional(),
    }),
    audit: ['personId', 'reason', 'until'],
    run: ({ personId: userId, reason, until }, { app, session }) =>
      suspendPerson(app, { userId, by: session.userId, reason, until: until === undefined ? null : new Date(until) }),
  }),
  'view-person': operation({
    description:
      'Shows you the application as a person sees it, for 30 minutes and without changing anything. The person gets the reason by email.',
    method: 'POST',
    path: '/_fw/operator/people/:personId/view',
    permission: 'operator',
    recentSignIn: true,
    input: z.object({ ...personInput.shape, reason: reasonSchema }),
    output: z.object({ until: z.string() }),
    audit: ['personId', 'reason'],
    async run({ personId, reason }, { app, event, session }) {
      const { until, orgId } = await startView(event, session, { userId: personId, reason })
      // The audit log of the viewed organization records the view too.
      const row = { action: 'view-person', caller: 'http', session, input: { personId, reason } } as const
      if (orgId && orgId !== session.orgId) await recordWithin(app, app.db.orm, { ...row, orgId })
      return { until }
    },
  }),
  'reactivate-person': operation({
    description: 'Ends the suspension of an account.',
    method: 'DELETE',
    path: '/_fw/operator/people/:personId/suspension',
    permission: 'operator',
    tokens: true,
    recentSignIn: true,
    input: personInput,
    audit: ['personId'],
    run: ({ personId }, { app }) => reactivatePerson(app, personId),
  }),
  'reset-second-factor': operation({
    description: 'Turns off two-factor authentication for a person who lost it, and signs them out everywhere.',
    method: 'DELETE',
    path: '/_fw/operator/people/:personId/second-factor',
    permission: 'operator',
    recentSignIn: true,
    input: personInput,
    output: z.object({ wasOn: z.boolean() }),
    audit: ['personId'],
    run: async ({ personId }, { app }) => ({ wasOn: await resetTwoFactor(app, personId) }),
  }),
  'end-person-sessions': operation({
    description: 'Signs a person out everywhere.',
    method: 'POST',
    path: '/_fw/operator/people/:personId/sign-out',
    permission: 'operator',
    tokens: true,
    input: personInput,
    output: z.object({ ended: z.int() }),
    audit: ['personId'],
    run: async ({ personId }, { app }) => ({ ended: await endSessionsOf(app, personId) }),
  }),
})
