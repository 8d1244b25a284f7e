import { z } from 'zod'
import { audited } from '#fairway/server/domains/actions'
import { findPersonId } from '#fairway/server/domains/people'
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
  const app = getApp(event)
  const { format, person, ...filter } = readQuery(event, querySchema)
  const userId = await findPersonId(app, person)
  return sendExport(event, exportSecurityEvents(app, { ...filter, userId }, format), {
    name: 'security-events',
    format,
  })
})

export default defineMethods({
  async GET(event) {
    requireOperator(getApp(event), await requireSession(event))
    return send(event)
  },
})
