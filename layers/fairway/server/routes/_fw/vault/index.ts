import { requireSession } from '#fairway/server/domains/sessions'
import { vaultRoutes } from '#fairway/server/domains/organizations'
import { defineMethods } from '#fairway/server/kernel/http/methods'

const { list } = vaultRoutes(async event => ({ userId: (await requireSession(event)).userId }))

export default defineMethods({ GET: list })
