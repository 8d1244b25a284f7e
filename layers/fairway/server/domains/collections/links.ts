// Builds all addresses in answers: of pages, of items, and the `Link` header.
import type { CollectionsConfig } from '#fairway/server/kernel/config/collections-config'
import { AppError } from '#fairway/server/kernel/http/app-error'
import type { Cursor, Page } from './collection'
import { buildQuery, encode, type QueryTree, sortedQuery } from './query/query-tree'
import type { ServedCollection } from './served-collection'

/** The addresses around one page; undefined for pages that do not exist. */
export interface ViewLinks {
  self: string
  first?: string
  last?: string
  previous?: string
  next?: string
}

// Links are longer than the query that they repeat, because they are escaped and add a page. Node limits a request line with its
// headers to 16 KiB.
const LONGEST_QUERY = 8192

/** The links of a page, based on the request's query. Throws `invalid-input` when they would be too long to request. */
export function viewLinks(path: string, query: QueryTree, page: Page, config: CollectionsConfig): ViewLinks {
  const { pageParameterName, cursorParameterName } = config.pagination
  const sorted = sortedQuery(without(query, pageParameterName))
  const queryText = buildQuery(sorted)
  if (queryText.length > LONGEST_QUERY) throw new AppError('invalid-input', { detail: 'The query is too long.' })
  const self = queryText === '' ? path : `${path}?${queryText}`
  if (page.mode === 'whole') return { self }
  if (page.mode === 'cursor') {
    const to = (cursor?: Cursor) => cursor && `${path}?${buildQuery(atCursor(sorted, cursor, cursorParameterName))}`
    return { self, previous: to(page.previous), next: to(page.next) }
  }
  const base = `${path}?${queryText === '' ? '' : `${queryText}&`}${encode(pageParameterName)}=`
  return { ...neighbours(base, page), self: base + page.page }
}

function neighbours(base: string, page: Extract<Page, { mode: 'full' | 'partial' }>): Omit<ViewLinks, 'self'> {
  if (page.mode === 'partial') {
    return {
      previous: page.page > 1 ? base + (page.page - 1) : undefined,
      next: page.hasNextPage ? base + (page.page + 1) : undefined,
    }
  }
  return {
    first: `${base}1`,
    last: base + page.lastPage,
    // Beyond the end, the previous link must point to a page that exists.
    previous: page.page > 1 ? base + Math.min(page.page - 1, page.lastPage) : undefined,
    next: page.page < page.lastPage ? base + (page.page + 1) : undefined,
  }
}

function without(query: QueryTree, name: string): QueryTree {
  if (!query.has(name)) return query
  const rest = new Map(query)
  rest.delete(name)
  return rest
}

/** The query of the page that begins at this cursor. It replaces existing parameters in place and appends the others. */
function atCursor(query: QueryTree, cursor: Cursor, tokenName: string): QueryTree {
  const moved = new Map(query)
  if ('token' in cursor) return moved.set(tokenName, cursor.token)
  for (const { field, operator, value } of cursor.bounds) {
    const nested = moved.get(field)
    const bounds: QueryTree = nested instanceof Map ? new Map(nested) : new Map()
    if (typeof nested === 'string' && nested !== '') bounds.set('0', nested)
    const opposite = operator === 'lt' ? 'gt' : 'lt'
    // When both are set, the opposite bound is the end of a window and remains.
    if (!bounds.has(operator)) bounds.delete(opposite)
    moved.set(field, bounds.set(operator, value ?? ''))
  }
  return moved
}

const API_DOCUMENTATION = 'http://www.w3.org/ns/hydra/core#apiDocumentation'

// Each link repeats the query; some clients and proxies refuse headers of 8 KiB or more.
const LONGEST_HEADER = 4096

/**
 * The `Link` header of an answer (RFC 8288): the neighbouring pages, and the description of the collections. With a very long
 * query, the pages are only in the body.
 */
export function linkHeader({ self, first, last, previous, next }: Partial<ViewLinks>, documentation: string): string {
  const pages =
    relation('self', self) +
    relation('first', first) +
    relation('last', last) +
    relation('prev', previous) +
    relation('next', next)
  const described = `<${documentation}>; rel="${API_DOCUMENTATION}"`
  return pages.length > LONGEST_HEADER ? described : pages + described
}

const relation = (name: string, target: string | undefined): string =>
  target === undefined ? '' : `<${target}>; rel="${name}", `

const PLAIN = /^[\w.~-]+$/

/** The address of an item: the address of its collection and its id. */
export const itemIri = (served: ServedCollection, id: string): string => `${served.iri}/${idInIri(id)}`

/** The id of an item as the end of its address. The escaping also makes it safe in JSON. */
export const idInIri = (id: string): string => (PLAIN.test(id) ? id : encode(id))

/** The id of an item as a text; the declaration guarantees that it exists. */
export const idOf = (item: unknown): string => String((item as { id: unknown }).id)
