import { z } from 'zod'
import { audited, auditFilterShape, exportAuditLog } from '#fairway/server/domains/actions'
import { requireSession } from '#fairway/server/domains/sessions'
import { getApp } from '#fairway/server/kernel/app-context'
import { sendExport } from '#fairway/server/kernel/export-rows'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { readQuery } from '#fairway/server/kernel/http/read-input'

const querySchema = z.object({ ...auditFilterShape, format: z.enum(['csv', 'jsonl']).default('csv') })

export default defineMethods({
  GET: audited('export-audit-log', async event => {
    const session = await requireSession(event)
    const { format, ...filter } = readQuery(event, querySchema)
    const text = exportAuditLog(getApp(event), session, filter, format)
    return sendExport(event, text, { name: 'audit-log', format })
  }),
})
