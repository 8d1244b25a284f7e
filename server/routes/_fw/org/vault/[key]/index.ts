import { audited } from '#server/domains/audit'
import { requireOrg } from '#server/domains/organizations'
import { requireSession } from '#server/domains/sessions'
import { vaultRoutes } from '#server/domains/vault'
import { defineMethods } from '#server/foundation/http/methods'

const { put, remove } = vaultRoutes(async event => ({
  orgId: requireOrg(await requireSession(event), 'manage-credentials').orgId,
}))

export default defineMethods({
  PUT: audited('set-credential', put),
  DELETE: audited('delete-credential', remove),
})
