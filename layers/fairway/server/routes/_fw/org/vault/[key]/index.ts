import { audited } from '#fairway/server/domains/actions'
import { requireOrg, vaultRoutes } from '#fairway/server/domains/organizations'
import { requireSession } from '#fairway/server/domains/sessions'
import { defineMethods } from '#fairway/server/kernel/http/methods'

const { put, remove } = vaultRoutes(async event => ({
  orgId: requireOrg(await requireSession(event), 'manage-credentials').orgId,
}))

export default defineMethods({
  PUT: audited('set-credential', put),
  DELETE: audited('delete-credential', remove),
})
