import { advertisesDocuments, findDocumentOutage } from '#fairway/server/domains/oauth-server'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { signedIn } from '#fairway/server/signed-in'
import { MCP_PATH } from '#fairway/shared/paths'

/** Where hosts connect: the exact address that tokens are for, which a page cannot know from its own, and what hosts may meet with. */
export default defineMethods({
  GET: signedIn(async ({ app }) => {
    const { baseUrl, mcp } = app.config
    const hasStaticToken = mcp.staticTokenHashes.length > 0 && mcp.ownerEmail !== null
    const documents = { isAdvertised: await advertisesDocuments(app), outage: await findDocumentOutage(app) }
    return { url: baseUrl + MCP_PATH, hasStaticToken, documents }
  }),
})
