// Answers requests for collections: session and guard, format, query, page, links, headers.
import type { Readable } from 'node:stream'
import { type H3Event, setResponseHeader, setResponseHeaders, setResponseStatus } from 'h3'
import { type App, getApp, getRequestId } from '#fairway/server/kernel/app-context'
import { sha256 } from '#fairway/server/kernel/crypto/hash'
import { decodedText } from '#fairway/server/kernel/declaration'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { openInOf } from '#fairway/server/kernel/http/methods'
import { requestAbort, matchesEtag, requestPath, requestQuery } from '#fairway/server/kernel/http/request-info'
import { withTimeout } from '#fairway/server/kernel/current-run'
import type { Session } from '#fairway/shared/schemas/session'
import { admitted, isAdmitted } from './admission'
import { checkSize, type CollectionQuery, lastPageOf, type Page, type ReadContext } from './collection'
import { answerExport } from './export-collection'
import { negotiate } from './formats/negotiate'
import { linkHeader, viewLinks } from './links'
import { parseQuery, type QueryTree } from './query/query-tree'
import { checkNames } from './query/check-names'
import { readCollectionQuery } from './query/read-query'
import { type CollectionEntry, type ServedCollection, servedCollections } from './served-collection'

interface Answer {
  contentType: string
  body: string
  links: string
  contentRange?: string
}

/**
 * Answers `GET` and `HEAD` of a collection, of one of its items or of its export, depending on the address. `tokenSession` is the
 * session of the request's API token.
 */
export async function answerCollectionRequest(
  event: H3Event,
  entries: readonly CollectionEntry[],
  tokenSession?: Session,
): Promise<string | Readable> {
  const app = getApp(event)
  const { served, id, format } = addressed(event, entries)
  event.context.openIn = openInOf({ reads: format === undefined, isPublic: served.collection.public })
  if (format !== undefined) return answerExport(event, { served, format, tokenSession })
  const session = await admitted(event, served, tokenSession)
  const list = id === undefined ? readList(event, served) : undefined
  const clock = requestAbort(event)
  const context: ReadContext = { app, session, signal: clock.signal, requestId: getRequestId(event) }
  const answer = await withTimeout(app.config.actionTimeoutInSeconds, clock, () =>
    list ? answerList(event, context, served, list) : answerItem(event, context, served, id ?? ''),
  )
  return send(event, served, session, answer)
}

/**
 * Resolves the address of a request to a list, an item by its `id`, or an export by its `format`. Throws `not-found` and
 * `method-not-allowed`.
 */
function addressed(event: H3Event, entries: readonly CollectionEntry[]) {
  const [, name = '', id, format] = requestPath(event).split('/')
  const served = servedCollections(getApp(event), entries).get(name)
  if (!served || (format !== undefined && id !== 'export')) throw new AppError('not-found')
  if (event.method !== 'GET' && event.method !== 'HEAD')
    throw new AppError('method-not-allowed', { headers: { allow: 'GET, HEAD' } })
  return { served, id: id === '' ? undefined : id, format }
}

/** A list request and the format of its answer. */
interface AskedList {
  representation: ReturnType<typeof negotiate>
  tree: QueryTree
  query: CollectionQuery
}

/** Reads the query of a request. */
function readList(event: H3Event, served: ServedCollection): AskedList {
  getApp(event).trace?.step(getRequestId(event), 'query')
  const representation = negotiate(event.node.req.headers.accept)
  const sent = parseQuery(requestQuery(event))
  const tree = representation.readQuery?.(sent, served.config) ?? sent
  checkNames(tree, served)
  return { representation, tree, query: readCollectionQuery(tree, served) }
}

async function answerList(
  event: H3Event,
  context: ReadContext,
  served: ServedCollection,
  asked: AskedList,
): Promise<Answer> {
  const { representation, query } = asked
  context.app.trace?.step(context.requestId, 'read', served.name)
  const counted = event.method === 'HEAD' ? await countPage(context, served, query) : null
  const page = counted ?? (await served.collection.reader.readPage(context, query))
  context.app.trace?.step(context.requestId, 'answer', representation.contentType)
  return listAnswer(served, asked, page, counted !== null)
}

function listAnswer(served: ServedCollection, list: AskedList, page: Page, isEmpty = false): Answer {
  const { representation, tree } = list
  const links = viewLinks(served.iri, tree, page, served.config)
  return {
    contentType: representation.contentType,
    body: isEmpty ? '' : representation.writePage(served, page, links),
    links: linkHeader(links, served.documentation),
    contentRange: contentRange(page),
  }
}

/** The page without its items, computed from a count; null when a count is not enough. */
async function countPage(
  context: ReadContext,
  { collection }: ServedCollection,
  { selection, filters }: CollectionQuery,
): Promise<Page | null> {
  if (selection.mode !== 'whole' && selection.mode !== 'full') return null
  const totalItems = await collection.reader.countItems(context, filters)
  if (totalItems === null) return null
  if (selection.mode === 'whole') {
    checkSize(totalItems, selection.most)
    return { mode: 'whole', items: [], totalItems }
  }
  const { page, limit } = selection
  return { mode: 'full', items: [], page, itemsPerPage: limit, lastPage: lastPageOf(totalItems, limit), totalItems }
}

/** The range of the page's items and their total (RFC 9110 §14.4, with the unit `items`). */
function contentRange(page: Page): string | undefined {
  if (page.mode !== 'full' && page.mode !== 'whole') return undefined
  if (page.totalItems === undefined) return undefined
  const [first, size] =
    page.mode === 'whole' ? [0, page.totalItems] : [(page.page - 1) * page.itemsPerPage, page.itemsPerPage]
  const last = Math.min(first + size, page.totalItems) - 1
  return `items ${last < first ? '*' : `${first}-${last}`}/${page.totalItems}`
}

async function answerItem(
  event: H3Event,
  context: ReadContext,
  served: ServedCollection,
  encodedId: string,
): Promise<Answer> {
  context.app.trace?.step(context.requestId, 'read', served.name)
  const { operations, reader } = served.collection
  const id = decodedText(encodedId)
  const item = operations.get && id !== undefined ? await reader.readItem(context, id) : null
  if (item === null) throw new AppError('not-found')
  const { contentType, writeItem } = negotiate(event.node.req.headers.accept)
  return { contentType, body: writeItem(served, item), links: linkHeader({}, served.documentation) }
}

function send(event: H3Event, { collection }: ServedCollection, session: Session | null, answer: Answer): string {
  const { contentType, body, links, contentRange } = answer
  const isShared = collection.public && session === null
  setResponseHeaders(event, {
    'content-type': contentType,
    link: links,
    vary: isShared ? 'Accept, Authorization, Cookie' : 'Accept',
    'cache-control': isShared ? 'public, max-age=0' : 'no-store',
  })
  if (event.method === 'HEAD') {
    if (contentRange) setResponseHeader(event, 'content-range', contentRange)
    return body
  }
  if (!isShared) return body
  const etag = `"${sha256(body).slice(0, 22)}"`
  setResponseHeader(event, 'etag', etag)
  if (!matchesEtag(event.node.req, etag)) return body
  setResponseStatus(event, 304)
  return ''
}

/** The collections that read this table. Those with the table as their root come first. */
export const collectionsOver = (entries: readonly CollectionEntry[], table: string): CollectionEntry[] =>
  entries
    .filter(({ collection }) => collection.tables.includes(table))
    .toSorted((a, b) => a.collection.tables.indexOf(table) - b.collection.tables.indexOf(table))

/** Whether a person may read the collection or, with an id, this item of it; false when its guard throws. */
export async function mayReadItem(
  app: App,
  entries: readonly CollectionEntry[],
  { name, session, id, requestId }: { name: string; session: Session; id?: string; requestId: string },
): Promise<boolean> {
  const served = servedCollections(app, entries).get(name)
  if (!served || !(await isAdmitted(served.collection, session))) return false
  if (id === undefined) return true
  const context = { app, session, signal: new AbortController().signal, requestId }
  return (await served.collection.reader.readItem(context, id)) !== null
}
