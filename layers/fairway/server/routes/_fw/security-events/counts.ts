import { z } from 'zod'
import { requireSession } from '#fairway/server/domains/sessions'
import { getApp } from '#fairway/server/kernel/app-context'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { readQuery } from '#fairway/server/kernel/http/read-input'
import { eventCounts, requireOperator } from '../../../kernel/security-events/list-security-events'

const querySchema = z.object({ hours: z.coerce.number().int().min(1).max(720).default(48) })

export default defineMethods({
  async GET(event) {
    const app = getApp(event)
    requireOperator(app, await requireSession(event))
    return eventCounts(app, readQuery(event, querySchema).hours)
  },
})
