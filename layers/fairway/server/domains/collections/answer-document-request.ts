import { type H3Event, setResponseHeaders } from 'h3'
import { getApp } from '#fairway/server/kernel/app-context'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { requestPath } from '#fairway/server/kernel/http/request-info'
import { COLLECTIONS_DOCUMENTATION_PATH, COLLECTIONS_ENTRYPOINT_PATH, CONTEXTS_PREFIX } from '#fairway/shared/paths'
import { apiDocumentation } from './documents/api-documentation'
import { entrypoint } from './documents/entrypoint'
import { jsonLdContext } from './documents/json-ld-context'
import { linkHeader } from './formats/link-header'
import { type CollectionEntry, iriPrefix } from './served-collection'
import { servedCollections } from './served-collections'

/** Answers with a document about the collections: a context, the description of all of them, or where to begin. */
export function answerDocumentRequest(event: H3Event, entries: readonly CollectionEntry[]): string {
  const { config } = getApp(event)
  if (event.method !== 'GET' && event.method !== 'HEAD')
    throw new AppError('method-not-allowed', { headers: { allow: 'GET, HEAD' } })
  const document = documentAt(event, entries)
  if (!document) throw new AppError('not-found')
  const prefix = iriPrefix(config.collections.urlGenerationStrategy, config.baseUrl)
  setResponseHeaders(event, {
    'content-type': 'application/ld+json; charset=utf-8',
    'cache-control': 'public, max-age=300',
    'access-control-allow-origin': '*',
    link: linkHeader({}, prefix),
  })
  return JSON.stringify(document)
}

function documentAt(event: H3Event, entries: readonly CollectionEntry[]): object | null {
  const app = getApp(event)
  const { baseUrl, name, collections: settings } = app.config
  const served = servedCollections(app, entries)
  const path = requestPath(event)
  const prefix = iriPrefix(settings.urlGenerationStrategy, baseUrl)
  if (path === COLLECTIONS_ENTRYPOINT_PATH) return entrypoint(served, prefix)
  if (path === COLLECTIONS_DOCUMENTATION_PATH) return apiDocumentation(served, { title: name, iriPrefix: baseUrl })
  const shortName = path.slice(CONTEXTS_PREFIX.length + 1)
  return jsonLdContext(shortName, served, { baseUrl, hydraPrefix: settings.hydraPrefix })
}
