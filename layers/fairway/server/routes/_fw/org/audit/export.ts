import { z } from 'zod'
import { catalog } from '#fw/actions'
import { audited, auditFilterShape, exportAuditLog, subjectsOf } from '#fairway/server/domains/actions'
import { sendExport } from '#fairway/server/kernel/export-rows'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { readQuery } from '#fairway/server/kernel/http/read-input'
import { signedIn } from '#fairway/server/signed-in'

const querySchema = z.object({ ...auditFilterShape, format: z.enum(['csv', 'jsonl']).default('csv') })

export default defineMethods({
  GET: audited(
    'export-audit-log',
    signedIn(async ({ app, session, event }) => {
      const { format, ...filter } = readQuery(event, querySchema)
      const text = exportAuditLog(app, session, filter, format, subjectsOf(catalog))
      return sendExport(event, text, { name: 'audit-log', format })
    }),
  ),
})
