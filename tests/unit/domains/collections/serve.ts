import { type H3Event, defineEventHandler } from 'h3'
import { type Collection, answerCollectionRequest, checkCollections } from '#fairway/server/domains/collections'
import { withPersonalToken } from '#fairway/server/domains/mcp'
import { collectionRoutes } from '#fairway/modules/registry/catalogs'
import type { FwConfigInput } from '#fairway/server/kernel/config/fw-config'
import { createTestApp } from '../../../support/app'
import { freePort } from '../../../support/server'
import { serveHandlers } from '../../../support/web-handlers'

/** Serves declared collections over a real app context. */
export async function serveCollections(
  collections: Record<string, Collection>,
  config: FwConfigInput = {},
  handlers: Record<string, (event: H3Event) => unknown> = {},
  env: Record<string, string> = {},
) {
  const port = await freePort()
  const test = await createTestApp({ FW_BASE_URL: `http://localhost:${port}`, PORT: String(port), ...env }, config)
  const entries = Object.entries(collections).map(([name, collection]) => ({ name, collection }))
  checkCollections(test.app, entries)
  // As server/mounted/collection does.
  const answer = defineEventHandler(event =>
    withPersonalToken(event, { scope: 'mcp:read' }, session => answerCollectionRequest(event, entries, session)),
  )
  const routes = Object.fromEntries(entries.flatMap(({ name }) => collectionRoutes(name).map(path => [path, answer])))
  const extra = Object.fromEntries(
    Object.entries(handlers).map(([path, handler]) => [path, defineEventHandler(handler)]),
  )
  const server = await serveHandlers(test.app, { routes: { ...routes, ...extra } })
  return {
    ...test,
    origin: server.origin,
    get: (path: string, headers: Record<string, string> = {}, method = 'GET') =>
      fetch(server.origin + path, { headers, method }),
    async stop() {
      await server.stop()
      await test.close()
    },
  }
}
