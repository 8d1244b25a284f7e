import type { CollectionsConfig } from '#fairway/server/kernel/config/collections-config'
import type { EffectiveOptions } from '../effective-options'
import type { CursorParameters, PageSelection } from '../page'
import type { OrderBy } from '../pagination-options'
import type { QueryTree, QueryValue } from './parse-query'
import { refused } from './refused'

/** What the query of a request is read by. */
export interface SelectionRules {
  options: EffectiveOptions
  config: CollectionsConfig
  /** The cursor's fields in the order in force; undefined without cursor pagination. */
  via?: readonly OrderBy[]
  /** The fields that a cursor has besides. */
  keyFields?: readonly string[]
}

/** Which part of the collection is asked for, checked and clamped; throws `invalid-input` with the sentence for the client. */
export function readSelection(query: QueryTree, rules: SelectionRules): PageSelection {
  const { options, config, via } = rules
  const names = config.pagination
  const enabled = switchedBy(query, names.enabledParameterName, options.clientEnabled, options.enabled)
  if (!enabled) return { mode: 'whole', most: config.hardLimit }
  if (via) {
    const limit = readLimit(query, rules)
    const cursor = readCursor(query, cursorFields(via, rules.keyFields), rules)
    return { mode: 'cursor', limit, via, format: options.cursorFormat, cursor }
  }
  const page = readPage(query, names.pageParameterName)
  const limit = readLimit(query, rules)
  const offset = offsetOf(page, limit, names.pageParameterName)
  const partial = switchedBy(query, names.partialParameterName, options.clientPartial, options.partial)
  return { mode: partial ? 'partial' : 'full', page, offset, limit }
}

const words = new Map([
  ...['true', '1', 'yes', 'on'].map(word => [word, true] as const),
  ...['false', '0', 'no', 'off', ''].map(word => [word, false] as const),
])

function switchedBy(query: QueryTree, name: string, allowed: boolean, otherwise: boolean): boolean {
  const value = allowed ? query.get(name) : undefined
  if (value === undefined) return otherwise
  const meaning = typeof value === 'string' ? words.get(value.trim().toLowerCase()) : undefined
  if (meaning === undefined) throw refused(name, `The parameter ${name} should be true or false`)
  return meaning
}

function readPage(query: QueryTree, name: string): number {
  const value = query.get(name)
  if (value === undefined) return 1
  const page = toInteger(value)
  if (page === null || page < 1) throw refused(name, 'Page should not be less than 1')
  return page
}

/** Whole numbers only; they may be too large to be exact. */
const toInteger = (value: QueryValue): number | null =>
  typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : null

function readLimit(query: QueryTree, { options, config }: SelectionRules): number {
  if (!options.clientItemsPerPage) return options.itemsPerPage
  const name = config.pagination.itemsPerPageParameterName
  const value = query.get(name)
  const asked = value === undefined ? options.itemsPerPage : toInteger(value)
  if (asked === null) throw refused(name, 'Limit should be a whole number')
  const limit = Math.min(asked, options.maximumItemsPerPage ?? Infinity)
  if (limit < 0) throw refused(name, 'Limit should not be less than 0')
  if (limit >= Number.MAX_SAFE_INTEGER) throw refused(name, 'Limit parameter is too large.')
  return limit
}

function offsetOf(page: number, limit: number, name: string): number {
  if (limit === 0 && page > 1) throw refused(name, 'Page should not be greater than 1 if limit is equal to 0')
  const offset = (page - 1) * limit
  // The first row after the page must be a number too.
  if (!Number.isSafeInteger(page) || !Number.isSafeInteger(offset + limit + 1))
    throw refused(name, 'Page parameter is too large.')
  return offset
}

/** The fields that `lt` and `gt` are read of as a cursor. */
export const cursorFields = (via: readonly OrderBy[], keyFields: readonly string[] = []): ReadonlySet<string> =>
  new Set([...via.map(({ field }) => field), ...keyFields])

function readCursor(
  query: QueryTree,
  fields: ReadonlySet<string>,
  { options, config }: SelectionRules,
): CursorParameters {
  if (options.cursorFormat === 'opaque') {
    const name = config.pagination.cursorParameterName
    const token = query.get(name)
    if (token instanceof Map) throw refused(name, 'The cursor should be one text')
    return { bounds: [], token: token || undefined }
  }
  const bounds: CursorParameters['bounds'][number][] = []
  for (const field of fields) {
    const given = query.get(field)
    if (!(given instanceof Map)) continue
    for (const operator of ['lt', 'gt'] as const) {
      const value = given.get(operator)
      if (value instanceof Map) throw refused(`${field}[${operator}]`, 'The cursor should be one text')
      if (value !== undefined) bounds.push({ field, operator, value })
    }
  }
  return { bounds }
}
