import { z } from 'zod'
import { audited } from '#fairway/server/domains/audit'
import { eventFilterShape, exportSecurityEvents, requireOperator } from '#fairway/server/domains/security-events'
import { requireSession } from '#fairway/server/domains/sessions'
import { getApp } from '#fairway/server/foundation/app-context'
import { defineMethods } from '#fairway/server/foundation/http/methods'
import { readQuery } from '#fairway/server/foundation/http/read-input'
import { sendExport } from '#fairway/server/foundation/export/send-export'

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
