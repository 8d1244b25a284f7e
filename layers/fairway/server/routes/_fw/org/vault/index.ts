import { requireOrg, vaultRoutes } from '#fairway/server/domains/organizations'
import { requireSession } from '#fairway/server/domains/sessions'
import { defineMethods } from '#fairway/server/kernel/http/methods'

const { list } = vaultRoutes(async event => ({
  orgId: requireOrg(await requireSession(event), 'manage-credentials').orgId,
}))

export default defineMethods({ GET: list })
