import { z } from 'zod'
import { eventFilterShape, listSecurityEvents, requireOperator } from '#fairway/server/domains/security-events'
import { requireSession } from '#fairway/server/domains/sessions'
import { getApp } from '#fairway/server/foundation/app-context'
import { defineMethods } from '#fairway/server/foundation/http/methods'
import { pagingShape } from '#fairway/server/foundation/http/paging'
import { readQuery } from '#fairway/server/foundation/http/read-input'

const querySchema = z.object({
  ...eventFilterShape,
  ...pagingShape,
})

export default defineMethods({
  async GET(event) {
    const app = getApp(event)
    requireOperator(app, await requireSession(event))
    return listSecurityEvents(app, readQuery(event, querySchema))
  },
})
