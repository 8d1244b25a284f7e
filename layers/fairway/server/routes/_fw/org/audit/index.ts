import { z } from 'zod'
import { auditFilterShape, listAuditLog } from '#fairway/server/domains/actions'
import { requireSession } from '#fairway/server/domains/sessions'
import { getApp } from '#fairway/server/kernel/app-context'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { pagingShape, readQuery } from '#fairway/server/kernel/http/read-input'

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
