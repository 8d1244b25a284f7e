import { z } from 'zod'
import { auditFilterShape, listAuditLog } from '#server/domains/audit'
import { requireSession } from '#server/domains/sessions'
import { getApp } from '#server/foundation/app-context'
import { defineMethods } from '#server/foundation/http/methods'
import { readQuery } from '#server/foundation/http/read-input'

const querySchema = z.object({
  ...auditFilterShape,
  page: z.coerce.number().int().min(1).max(1_000_000).default(1),
  itemsPerPage: z.coerce.number().int().min(1).max(100).default(30),
})

export default defineMethods({
  async GET(event) {
    const session = await requireSession(event)
    return listAuditLog(getApp(event), session, readQuery(event, querySchema))
  },
})
