import { requireSession } from '#server/domains/sessions'
import { getApp } from '#server/foundation/app-context'
import { defineMethods } from '#server/foundation/http/methods'
import { MCP_PATH } from '#shared/paths'

/** Where hosts connect: the exact address that tokens are for, which a page cannot know from its own. */
export default defineMethods({
  GET: async event => {
    await requireSession(event)
    const { baseUrl, mcp } = getApp(event).config
    const hasStaticToken = mcp.staticTokenHashes.length > 0 && mcp.ownerEmail !== null
    return { url: baseUrl + MCP_PATH, hasStaticToken }
  },
})
