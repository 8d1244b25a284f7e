import { z } from 'zod'
import { auditFilterShape, listAuditLog } from '#fairway/server/domains/audit'
import { requireSession } from '#fairway/server/domains/sessions'
import { getApp } from '#fairway/server/foundation/app-context'
import { defineMethods } from '#fairway/server/foundation/http/methods'
import { pagingShape } from '#fairway/server/foundation/http/paging'
import { readQuery } from '#fairway/server/foundation/http/read-input'

const querySchema = z.object({
  ...auditFilterShape,
  ...pagingShape,
})

export default defineMethods({
  async GET(event) {
    const session = await requireSession(event)
    return listAuditLog(getApp(event), session, readQuery(event, querySchema))
  },
})
