import { z } from 'zod'
import { audited } from '#server/domains/audit'
import { eventFilterShape, exportSecurityEvents, requireOperator } from '#server/domains/security-events'
import { requireSession } from '#server/domains/sessions'
import { getApp } from '#server/foundation/app-context'
import { defineMethods } from '#server/foundation/http/methods'
import { readQuery } from '#server/foundation/http/read-input'
import { sendExport } from '#server/foundation/export/send-export'

const querySchema = z.object({ ...eventFilterShape, format: z.enum(['csv', 'jsonl']).default('csv') })

const send = audited('export-security-events', async event => {
  const { format, ...filter } = readQuery(event, querySchema)
  return sendExport(event, exportSecurityEvents(getApp(event), filter, format), { name: 'security-events', format })
})

export default defineMethods({
  async GET(event) {
    requireOperator(getApp(event), await requireSession(event))
    return send(event)
  },
})
