import { z } from 'zod'
import { eventFilterShape, exportSecurityEvents, requireOperator } from '#server/domains/security-events'
import { requireSession } from '#server/domains/sessions'
import { getApp } from '#server/foundation/app-context'
import { defineMethods } from '#server/foundation/http/methods'
import { readQuery } from '#server/foundation/http/read-input'
import { sendExport } from '#server/foundation/export/send-export'

const querySchema = z.object({ ...eventFilterShape, format: z.enum(['csv', 'jsonl']).default('csv') })

export default defineMethods({
  async GET(event) {
    const app = getApp(event)
    requireOperator(app, await requireSession(event))
    const { format, ...filter } = readQuery(event, querySchema)
    return sendExport(event, exportSecurityEvents(app, filter, format), { name: 'security-events', format })
  },
})
