import { requireSession } from '#server/domains/sessions'
import { vaultRoutes } from '#server/domains/vault'
import { defineMethods } from '#server/foundation/http/methods'

const { list } = vaultRoutes(async event => ({ userId: (await requireSession(event)).userId }))

export default defineMethods({ GET: list })
