import { defineEventHandler } from 'h3'
import { catalog } from '#fw/collections'
import { answerCollectionRequest } from '#fairway/server/domains/collections'
import { withPersonalToken } from '#fairway/server/domains/mcp'

/** Serves every declared collection and its items, for sessions and API tokens; the build mounts it at their exact paths. */
export default defineEventHandler(event =>
  withPersonalToken(event, 'mcp:read', session => answerCollectionRequest(event, catalog, session)),
)
