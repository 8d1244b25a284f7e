import { z } from 'zod'
import { findPersonId, withAddresses } from '#fairway/server/domains/people'
import { requireSession } from '#fairway/server/domains/sessions'
import { getApp } from '#fairway/server/kernel/app-context'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { pagingShape, readQuery } from '#fairway/server/kernel/http/read-input'
import {
  eventFilterShape,
  listSecurityEvents,
  requireOperator,
} from '../../../kernel/security-events/list-security-events'

const querySchema = z.object({
  ...eventFilterShape,
  ...pagingShape,
})

export default defineMethods({
  async GET(event) {
    const app = getApp(event)
    requireOperator(app, await requireSession(event))
    const { person, ...filter } = readQuery(event, querySchema)
    const userId = await findPersonId(app, person)
    const { events, totalItems } = await listSecurityEvents(app, { ...filter, userId })
    return { events: await withAddresses(app, events), totalItems }
  },
})
