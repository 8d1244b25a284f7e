import { defineEventHandler } from 'h3'
import { openMethods } from '#fairway/server/domains/oauth-server'
import { getApp } from '#fairway/server/foundation/app-context'
import { checkSameOrigin } from '#fairway/server/foundation/http/same-origin'
import { requestPath } from '#fairway/server/foundation/http/request-path'
import { A2A_PATH, MCP_PATH } from '#fairway/shared/paths'

/** Where nobody is known by anything but a bearer credential; the first two say themselves which pages may call them. */
const isBearerOnly = (path: string): boolean =>
  path === MCP_PATH || path === A2A_PATH || openMethods(path) !== undefined

/** Refuses unsafe requests of other sites, with and without a visitor's cookies. */
export default defineEventHandler(event => {
  if (!isBearerOnly(requestPath(event))) checkSameOrigin(event.node.req, getApp(event).config.baseUrl)
})
