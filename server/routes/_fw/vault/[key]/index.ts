import { audited } from '#server/domains/audit'
import { requireSession } from '#server/domains/sessions'
import { vaultRoutes } from '#server/domains/vault'
import { defineMethods } from '#server/foundation/http/methods'

const { put, remove } = vaultRoutes(async event => ({ userId: (await requireSession(event)).userId }))

export default defineMethods({
  PUT: audited('set-own-credential', put),
  DELETE: audited('delete-own-credential', remove),
})
