import { advertisesDocuments, findDocumentOutage } from '#fairway/server/domains/oauth-server'
import { requireSession } from '#fairway/server/domains/sessions'
import { getApp } from '#fairway/server/kernel/app-context'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { MCP_PATH } from '#fairway/shared/paths'

/** Where hosts connect: the exact address that tokens are for, which a page cannot know from its own, and what hosts may meet with. */
export default defineMethods({
  GET: async event => {
    await requireSession(event)
    const app = getApp(event)
    const { baseUrl, mcp } = app.config
    const hasStaticToken = mcp.staticTokenHashes.length > 0 && mcp.ownerEmail !== null
    const documents = { isAdvertised: await advertisesDocuments(app), outage: await findDocumentOutage(app) }
    return { url: baseUrl + MCP_PATH, hasStaticToken, documents }
  },
})
