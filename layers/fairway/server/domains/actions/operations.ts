import { z } from 'zod'
import { catalog } from '#fw/actions'
import { hostNames } from '#fairway/server/domains/oauth-server'
import { serviceAccountNames } from '#fairway/server/domains/organizations'
import type { App } from '#fairway/server/kernel/app-context'
import { pagingShape } from '#fairway/server/kernel/database/read-page'
import { exportShape } from '#fairway/server/kernel/export-rows'
import { limits } from '#fairway/server/kernel/limits/limits'
import { rateLimit } from '#fairway/server/kernel/limits/rate-limit'
import { activityPageSchema, type AuditEntry, auditPageSchema } from '#fairway/shared/schemas/audit'
import { listActivity } from './audit/activity'
import { auditFilterShape, exportAuditLog, listAuditLog } from './audit/audit-log'
import { subjectsOf } from './audit/audit-subject'
import { defineOperations, operation } from './operation'

/** Adds the names of the MCP hosts and of service accounts to an answer with audit rows, because the log has only their ids. */
async function withHosts<Answer extends { entries: readonly AuditEntry[] }>(app: App, answer: Answer) {
  const viaOf = (entries: readonly AuditEntry[]) => [...new Set(entries.flatMap(({ via }) => via ?? []))]
  const hosts = await hostNames(app, viaOf(answer.entries.filter(({ caller }) => caller === 'mcp')))
  return { ...answer, hosts: { ...hosts, ...(await serviceAccountNames(app, viaOf(answer.entries))) } }
}

export default defineOperations({
  'list-activity': operation({
    description: 'Lists the latest changes you can view, newest first.',
    method: 'GET',
    path: '/_fw/activity',
    openIn: ['view'],
    input: z.object({
      before: z.uuid().optional(),
      itemsPerPage: z.coerce.number().int().min(1).max(50).default(15),
    }),
    output: activityPageSchema,
    async run(query, { app, session }) {
      await rateLimit(app, limits.activityPagesPerAccount, session.userId)
      return withHosts(app, await listActivity(app, session, catalog, query))
    },
  }),
  'list-audit-log': operation({
    description: 'Lists the audit log of your organization, newest first.',
    method: 'GET',
    path: '/_fw/org/audit',
    openIn: ['view'],
    permission: 'read-audit-log',
    input: z.object({ ...auditFilterShape, ...pagingShape }),
    output: auditPageSchema,
    run: async (query, { app, actor }) => withHosts(app, await listAuditLog(app, actor, query, subjectsOf(catalog))),
  }),
  'export-audit-log': operation({
    description: 'Returns the audit log of your organization as a file.',
    method: 'GET',
    path: '/_fw/org/audit/export',
    permission: 'read-audit-log',
    input: z.object({ ...auditFilterShape, ...exportShape }),
    output: 'file',
    audit: ['format', 'action', 'email', 'caller', 'outcome', 'subject', 'search', 'from', 'until'],
    run: (query, { app, actor }) => exportAuditLog(app, actor, query, subjectsOf(catalog)),
  }),
})
