import { audited } from '#fairway/server/domains/audit'
import { requireSession } from '#fairway/server/domains/sessions'
import { vaultRoutes } from '#fairway/server/domains/vault'
import { defineMethods } from '#fairway/server/foundation/http/methods'

const { put, remove } = vaultRoutes(async event => ({ userId: (await requireSession(event)).userId }))

export default defineMethods({
  PUT: audited('set-own-credential', put),
  DELETE: audited('delete-own-credential', remove),
})
