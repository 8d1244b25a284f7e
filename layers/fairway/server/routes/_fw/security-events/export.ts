import { z } from 'zod'
import { audited } from '#fairway/server/domains/actions'
import { requireSession } from '#fairway/server/domains/sessions'
import { getApp } from '#fairway/server/kernel/app-context'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { readQuery } from '#fairway/server/kernel/http/read-input'
import { sendExport } from '#fairway/server/kernel/export-rows'
import {
  eventFilterShape,
  exportSecurityEvents,
  requireOperator,
} from '../../../kernel/security-events/list-security-events'

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
