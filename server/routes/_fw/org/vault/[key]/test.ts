import { requireOrg } from '#server/domains/organizations'
import { requireSession } from '#server/domains/sessions'
import { vaultRoutes } from '#server/domains/vault'

export default vaultRoutes(async event => ({
  orgId: requireOrg(await requireSession(event), 'manage-credentials').orgId,
})).test
