import { z } from 'zod'
import { eventCounts, requireOperator } from '#fairway/server/domains/security-events'
import { requireSession } from '#fairway/server/domains/sessions'
import { getApp } from '#fairway/server/foundation/app-context'
import { defineMethods } from '#fairway/server/foundation/http/methods'
import { readQuery } from '#fairway/server/foundation/http/read-input'

const querySchema = z.object({ hours: z.coerce.number().int().min(1).max(720).default(48) })

export default defineMethods({
  async GET(event) {
    const app = getApp(event)
    requireOperator(app, await requireSession(event))
    return eventCounts(app, readQuery(event, querySchema).hours)
  },
})
