import { audited } from '#fairway/server/domains/audit'
import { requireOrg } from '#fairway/server/domains/organizations'
import { requireSession } from '#fairway/server/domains/sessions'
import { vaultRoutes } from '#fairway/server/domains/vault'
import { defineMethods } from '#fairway/server/foundation/http/methods'

const { put, remove } = vaultRoutes(async event => ({
  orgId: requireOrg(await requireSession(event), 'manage-credentials').orgId,
}))

export default defineMethods({
  PUT: audited('set-credential', put),
  DELETE: audited('delete-credential', remove),
})
