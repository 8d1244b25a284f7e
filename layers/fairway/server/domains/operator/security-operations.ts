// The security events and alerts of an installation.
import { z } from 'zod'
import { defineOperations, operation } from '#fairway/server/domains/actions'
import { findPersonId, withAccounts } from '#fairway/server/domains/people'
import { pagingShape } from '#fairway/server/kernel/database/read-page'
import { exportShape } from '#fairway/server/kernel/export-rows'
import {
  eventCounts,
  eventFilterShape,
  exportSecurityEvents,
  listAlerts,
  listSecurityEvents,
} from '#fairway/server/kernel/security-events/list-security-events'
import { alertsSchema, eventCountsSchema, securityEventPageSchema } from '#fairway/shared/schemas/security-event'

export default defineOperations({
  'list-security-events': operation({
    description: 'Lists the security events of the installation, newest first.',
    method: 'GET',
    path: '/_fw/security-events',
    permission: 'operator',
    input: z.object({ ...eventFilterShape, ...pagingShape }),
    output: securityEventPageSchema,
    async run({ person, ...filter }, { app }) {
      const userId = await findPersonId(app, person)
      const { events, ...total } = await listSecurityEvents(app, { ...filter, userId })
      const named = await withAccounts(app, events)
      const withNames = named.map(event => ({
        ...event,
        email: event.person?.email ?? null,
        name: event.person?.name ?? null,
      }))
      return { events: withNames, ...total }
    },
  }),
  'count-security-events': operation({
    description: 'Counts the security events of the last hours, by hour and kind.',
    method: 'GET',
    path: '/_fw/security-events/counts',
    permission: 'operator',
    input: z.object({ hours: z.coerce.number().int().min(1).max(720).default(48) }),
    output: eventCountsSchema,
    run: ({ hours }, { app }) => eventCounts(app, hours),
  }),
  'export-security-events': operation({
    description: 'Returns the security events of the installation as a file, oldest first.',
    method: 'GET',
    path: '/_fw/security-events/export',
    permission: 'operator',
    input: z.object({ ...eventFilterShape, ...exportShape }),
    output: 'file',
    audit: ['format', 'from', 'until'],
    run: async ({ person, ...query }, { app }) =>
      exportSecurityEvents(app, { ...query, userId: await findPersonId(app, person) }),
  }),
  'list-alerts': operation({
    description: 'Lists the hours of the last 30 days in which a kind of security event exceeded its threshold.',
    method: 'GET',
    path: '/_fw/alerts',
    permission: 'operator',
    output: alertsSchema,
    run: async (_input, { app }) => ({ alerts: await listAlerts(app) }),
  }),
})
