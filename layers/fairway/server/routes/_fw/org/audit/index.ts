import { z } from 'zod'
import { catalog } from '#fw/actions'
import { auditFilterShape, listAuditLog, subjectsOf } from '#fairway/server/domains/actions'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { pagingShape, readQuery } from '#fairway/server/kernel/http/read-input'
import { signedIn } from '#fairway/server/signed-in'
import { withHosts } from '#fairway/server/with-hosts'

const querySchema = z.object({
  ...auditFilterShape,
  ...pagingShape,
})

export default defineMethods({
  GET: signedIn(async ({ app, session, event }) =>
    withHosts(app, await listAuditLog(app, session, readQuery(event, querySchema), subjectsOf(catalog))),
  ),
})
