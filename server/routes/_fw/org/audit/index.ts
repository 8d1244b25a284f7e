import { z } from 'zod'
import { auditFilterShape, listAuditLog } from '#server/domains/audit'
import { requireSession } from '#server/domains/sessions'
import { getApp } from '#server/foundation/app-context'
import { defineMethods } from '#server/foundation/http/methods'
import { pagingShape } from '#server/foundation/http/paging'
import { readQuery } from '#server/foundation/http/read-input'

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
