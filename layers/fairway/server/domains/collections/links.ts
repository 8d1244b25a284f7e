// Every address that answers name: of pages, of items, and the `Link` header.
import type { CollectionsConfig } from '#fairway/server/kernel/config/collections-config'
import { AppError } from '#fairway/server/kernel/http/app-error'
import type { Cursor, Page } from './collection'
import { buildQuery, encode, type QueryTree, sortedQuery } from './query/query-tree'
import type { ServedCollection } from './served-collection'

/** The addresses around one page; what does not exist is undefined. */
export interface ViewLinks {
  self: string
  first?: string
  last?: string
  previous?: string
  next?: string
}

// Links are longer than the query they repeat: escaped, with a page. A request line and its headers have 16 KiB.
const LONGEST_QUERY = 8192

/** The links of a page, built on the request's own query; throws `invalid-input` where they would be too long to be asked for. */
export function viewLinks(path: string, query: QueryTree, page: Page, config: CollectionsConfig): ViewLinks {
  const { pageParameterName, cursorParameterName } = config.pagination
  const kept = sortedQuery(without(query, pageParameterName))
  const own = buildQuery(kept)
  if (own.length > LONGEST_QUERY) throw new AppError('invalid-input', { detail: 'The query is too long.' })
  const self = own === '' ? path : `${path}?${own}`
  if (page.mode === 'whole') return { self }
  if (page.mode === 'cursor') {
    const to = (cursor?: Cursor) => cursor && `${path}?${buildQuery(atCursor(kept, cursor, cursorParameterName))}`
    return { self, previous: to(page.previous), next: to(page.next) }
  }
  const base = `${path}?${own === '' ? '' : `${own}&`}${encode(pageParameterName)}=`
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
    // Behind the end, the way back leads to a page that exists.
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

/** The query of the page that begins at this cursor: its names replaced where they stand, otherwise appended. */
function atCursor(query: QueryTree, cursor: Cursor, tokenName: string): QueryTree {
  const moved = new Map(query)
  if ('token' in cursor) return moved.set(tokenName, cursor.token)
  for (const { field, operator, value } of cursor.bounds) {
    const given = moved.get(field)
    const bounds: QueryTree = given instanceof Map ? new Map(given) : new Map()
    if (typeof given === 'string' && given !== '') bounds.set('0', given)
    const opposite = operator === 'lt' ? 'gt' : 'lt'
    // With both of them, the other one is the end of a window and stays.
    if (!bounds.has(operator)) bounds.delete(opposite)
    moved.set(field, bounds.set(operator, value ?? ''))
  }
  return moved
}

const API_DOCUMENTATION = 'http://www.w3.org/ns/hydra/core#apiDocumentation'

// Each link repeats the query; clients and proxies give up on headers of 8 KiB and more.
const LONGEST_HEADER = 4096

/**
 * The `Link` header of an answer (RFC 8288): the pages around it, and where the collections are described.
 * After a very long query the pages stand in the body only.
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

/** The address of an item: that of its collection and its id. */
export const itemIri = (served: ServedCollection, id: string): string => `${served.iri}/${idInIri(id)}`

/** The id of an item as the end of its address: escaped, so it is safe in JSON too. */
export const idInIri = (id: string): string => (PLAIN.test(id) ? id : encode(id))

/** The id of an item as a text; the declaration has made sure that there is one. */
export const idOf = (item: unknown): string => String((item as { id: unknown }).id)
