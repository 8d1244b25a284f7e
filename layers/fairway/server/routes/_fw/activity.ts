import { z } from 'zod'
import { catalog } from '#fw/actions'
import { listActivity } from '#fairway/server/domains/actions'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { readQuery } from '#fairway/server/kernel/http/read-input'
import { limits } from '#fairway/server/kernel/limits/limits'
import { rateLimitLocally } from '#fairway/server/kernel/limits/rate-limit'
import { signedIn } from '#fairway/server/signed-in'
import { withHosts } from '#fairway/server/with-hosts'

const querySchema = z.object({
  before: z.uuid().optional(),
  itemsPerPage: z.coerce.number().int().min(1).max(50).default(15),
})

export default defineMethods({
  GET: signedIn(async ({ app, session, event }) => {
    const query = readQuery(event, querySchema)
    rateLimitLocally(app, limits.activityPagesPerAccount, session.userId)
    return withHosts(app, await listActivity(app, session, catalog, query))
  }),
})
