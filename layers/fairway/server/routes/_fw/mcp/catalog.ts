import { catalog } from '#fw/actions'
import { catalog as collections } from '#fw/collections'
import { apps, prompts, resources } from '#fw/mcp'
import { searchableCollections } from '#fairway/server/domains/collections'
import { toolCatalog } from '#fairway/server/domains/mcp'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { signedIn } from '#fairway/server/signed-in'

const declared = { actions: catalog, resources, prompts, apps }

/** What the pages of tools and the palette are made of. */
export default defineMethods({
  GET: signedIn(({ app }) => ({
    ...toolCatalog(app, declared),
    collections: searchableCollections(app, collections),
  })),
})
