import { z } from 'zod'
import { eventFilterShape, listSecurityEvents, requireOperator } from '#server/domains/security-events'
import { requireSession } from '#server/domains/sessions'
import { getApp } from '#server/foundation/app-context'
import { defineMethods } from '#server/foundation/http/methods'
import { pagingShape } from '#server/foundation/http/paging'
import { readQuery } from '#server/foundation/http/read-input'

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
