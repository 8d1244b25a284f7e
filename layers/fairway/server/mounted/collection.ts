import { catalog } from '#fw/collections'
import { answerCollectionRequest } from '#fairway/server/domains/collections'
import { withPersonalToken } from '#fairway/server/domains/mcp'
import { defineRoute } from '#fairway/server/kernel/http/methods'

/** Serves every declared collection and its items, for sessions and API tokens; the build mounts it at their exact paths. */
export default defineRoute([], event =>
  withPersonalToken(event, { scope: 'mcp:read' }, session => answerCollectionRequest(event, catalog, session)),
)
