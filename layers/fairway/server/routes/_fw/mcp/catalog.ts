import { catalog } from '#fw/actions'
import { apps, prompts, resources } from '#fw/mcp'
import { toolCatalog } from '#fairway/server/domains/mcp'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { signedIn } from '#fairway/server/signed-in'

const declared = { actions: catalog, resources, prompts, apps }

export default defineMethods({ GET: signedIn(({ app }) => toolCatalog(app, declared)) })
