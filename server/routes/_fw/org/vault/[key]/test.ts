import { requireOrg } from '#server/domains/organizations'
import { requireSession } from '#server/domains/sessions'
import { vaultRoutes } from '#server/domains/vault'
import { defineMethods } from '#server/foundation/http/methods'

const { test } = vaultRoutes(async event => ({
  orgId: requireOrg(await requireSession(event), 'manage-credentials').orgId,
}))

export default defineMethods({ POST: test })
