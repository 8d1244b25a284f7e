import { requireSession } from '#server/domains/sessions'
import { vaultRoutes } from '#server/domains/vault'

export default vaultRoutes(async event => ({ userId: (await requireSession(event)).userId })).credential
