import { audited } from '#fairway/server/domains/actions'
import { requireSession } from '#fairway/server/domains/sessions'
import { vaultRoutes } from '#fairway/server/domains/organizations'
import { defineMethods } from '#fairway/server/kernel/http/methods'

const { put, remove } = vaultRoutes(async event => ({ userId: (await requireSession(event)).userId }))

export default defineMethods({
  PUT: audited('set-own-credential', put),
  DELETE: audited('delete-own-credential', remove),
})
