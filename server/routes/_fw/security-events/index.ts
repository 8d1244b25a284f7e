import { z } from 'zod'
import { eventFilterShape, listSecurityEvents, requireOperator } from '#server/domains/security-events'
import { requireSession } from '#server/domains/sessions'
import { getApp } from '#server/foundation/app-context'
import { defineMethods } from '#server/foundation/http/methods'
import { readQuery } from '#server/foundation/http/read-input'

const querySchema = z.object({
  ...eventFilterShape,
  page: z.coerce.number().int().min(1).max(1_000_000).default(1),
  itemsPerPage: z.coerce.number().int().min(1).max(100).default(30),
})

export default defineMethods({
  async GET(event) {
    const app = getApp(event)
    requireOperator(app, await requireSession(event))
    return listSecurityEvents(app, readQuery(event, querySchema))
  },
})
