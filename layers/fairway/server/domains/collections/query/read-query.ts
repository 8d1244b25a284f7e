// Interprets queries: filters, order, page, page size and cursor.
import type { CollectionsConfig } from '#fairway/server/kernel/config/collections-config'
import { AppError } from '#fairway/server/kernel/http/app-error'
import type {
  Collection,
  CollectionQuery,
  CursorParameters,
  FilterCondition,
  FilterKind,
  PageSelection,
} from '../collection'
import type { EffectiveOptions, OrderBy } from '../effective-options'
import type { ServedCollection } from '../served-collection'
import { isListIndex, type QueryTree, type QueryValue } from './query-tree'

const NONE: ReadonlySet<string> = new Set()

/** The selection of one request. Throws `invalid-input` for invalid values. */
export function readCollectionQuery(query: QueryTree, served: ServedCollection): CollectionQuery {
  const { keyFields } = served.collection.reader
  const { order, selection } = readPaging(query, { ...served, keyFields })
  const takesBounds = selection.mode === 'cursor' && selection.format === 'bounds'
  const fields = takesBounds ? cursorFields(selection.via, keyFields) : NONE
  return { filters: readFilters(query, served.filters, fields), order, selection, ...served.readerHints }
}

/** The selection of an export: the filters and the order of its list, from the first page. Page parameters are ignored. */
export function readExportQuery(query: QueryTree, served: ServedCollection): CollectionQuery {
  const aboutPages = new Set<string>(Object.values(served.config.pagination))
  const rest = new Map([...query].filter(([name]) => !aboutPages.has(name)))
  const { selection, ...parsed } = readCollectionQuery(rest, served)
  return { ...parsed, selection: selection.mode === 'cursor' ? { ...selection, cursor: { bounds: [] } } : selection }
}

interface PagingRules extends Omit<SelectionRules, 'via'> {
  /** The fields that the client may order by. */
  orderFields: ReadonlySet<string>
}

/** The order and the page that a request selects. Throws `invalid-input` for invalid values. */
export function readPaging(query: QueryTree, { orderFields, ...rules }: PagingRules) {
  const { config, options } = rules
  const order = readOrder(query, config.orderParameterName, orderFields)
  const via = options.viaCursor && cursorOrder(options.viaCursor, order)
  return { order, selection: readSelection(query, { ...rules, via }) }
}

const RANGE = ['lt', 'lte', 'gt', 'gte'] as const

/** The kinds of filter of a field. */
export const filterKinds = (filters: Collection['filters'], field: string): readonly FilterKind[] =>
  [filters[field] ?? []].flat()

/**
 * The conditions of the request on declared filters. Empty values are ignored, and the `lt` and `gt` of `cursorFields` are left
 * for the cursor.
 */
export function readFilters(
  query: QueryTree,
  filters: Collection['filters'],
  cursorFields: ReadonlySet<string>,
): FilterCondition[] {
  return Object.keys(filters).flatMap(field => {
    const value = query.get(field)
    return value === undefined ? [] : conditionsOn(field, filterKinds(filters, field), value, cursorFields.has(field))
  })
}

function conditionsOn(
  field: string,
  kinds: readonly FilterKind[],
  value: QueryValue,
  isCursor: boolean,
): FilterCondition[] {
  if (typeof value === 'string') return oneValue(field, kinds, value)
  const conditions: FilterCondition[] = []
  const values = kinds.includes('exact') ? listOf(field, value) : []
  if (values.length > 0) conditions.push({ kind: 'exact', field, values })
  for (const operator of kinds.includes('range') ? RANGE : []) {
    if (isCursor && (operator === 'lt' || operator === 'gt')) continue
    const bound = textAt(field, value, operator)
    if (bound !== '') conditions.push({ kind: 'range', field, operator, value: bound })
  }
  const sought = kinds.includes('search') ? textAt(field, value, 'search') : ''
  if (sought !== '') conditions.push({ kind: 'search', field, value: sought })
  return conditions
}

/** `?f=x`: an exact match if the field supports it, otherwise a text search. */
function oneValue(field: string, kinds: readonly FilterKind[], value: string): FilterCondition[] {
  if (value === '') return []
  if (kinds.includes('exact')) return [{ kind: 'exact', field, values: [value] }]
  return kinds.includes('search') ? [{ kind: 'search', field, value }] : []
}

function listOf(field: string, tree: QueryTree): string[] {
  return [...tree.keys()]
    .filter(isListIndex)
    .map(key => textAt(field, tree, key))
    .filter(value => value !== '')
}

function textAt(field: string, tree: QueryTree, key: string): string {
  const value = tree.get(key)
  if (value instanceof Map) throw refused(`${field}[${key}]`, `The filter on ${field} should be one text`)
  return value ?? ''
}

/** The order that the client requested, in its sequence. Fields that are not offered and invalid directions are ignored. */
export function readOrder(query: QueryTree, parameterName: string, offered: ReadonlySet<string>): OrderBy[] {
  const fields = query.get(parameterName)
  if (!(fields instanceof Map)) return []
  return [...fields].flatMap(([field, value]) => {
    const direction = typeof value === 'string' ? directions.get(value.trim().toLowerCase()) : undefined
    return direction && offered.has(field) ? [{ field, direction }] : []
  })
}

const directions = new Map<string, OrderBy['direction']>([
  ['asc', 'ASC'],
  ['desc', 'DESC'],
  ['', 'ASC'],
])

/** The order of a cursor: the client's fields first, then the declared fields that it did not name. */
export function cursorOrder(declared: readonly OrderBy[], requested: readonly OrderBy[]): readonly OrderBy[] {
  if (requested.length === 0) return declared
  const named = new Set(requested.map(({ field }) => field))
  return [...requested, ...declared.filter(({ field }) => !named.has(field))]
}

/** The rules for reading the query of a request. */
interface SelectionRules {
  options: EffectiveOptions
  config: CollectionsConfig
  /** The fields of the cursor in the effective order; undefined without cursor pagination. */
  via?: readonly OrderBy[]
  /** Additional fields of a cursor. */
  keyFields?: readonly string[]
}

/** The selected part of the collection, validated and limited. Throws `invalid-input` with a message for the client. */
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
  const requested = value === undefined ? options.itemsPerPage : toInteger(value)
  if (requested === null) throw refused(name, 'Limit should be a whole number')
  const limit = Math.min(requested, options.maximumItemsPerPage ?? Infinity)
  if (limit < 0) throw refused(name, 'Limit should not be less than 0')
  if (limit >= Number.MAX_SAFE_INTEGER) throw refused(name, 'Limit parameter is too large.')
  return limit
}

function offsetOf(page: number, limit: number, name: string): number {
  if (limit === 0 && page > 1) throw refused(name, 'Page should not be greater than 1 if limit is equal to 0')
  const offset = (page - 1) * limit
  // The offset of the next page must also be a safe integer.
  if (!Number.isSafeInteger(page) || !Number.isSafeInteger(offset + limit + 1))
    throw refused(name, 'Page parameter is too large.')
  return offset
}

/** The fields whose `lt` and `gt` belong to the cursor. */
const cursorFields = (via: readonly OrderBy[], keyFields: readonly string[] = []): ReadonlySet<string> =>
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
    const nested = query.get(field)
    if (!(nested instanceof Map)) continue
    for (const operator of ['lt', 'gt'] as const) {
      const value = nested.get(operator)
      if (value instanceof Map) throw refused(`${field}[${operator}]`, 'The cursor should be one text')
      if (value !== undefined) bounds.push({ field, operator, value })
    }
  }
  return { bounds }
}

/** The error for one query parameter; the sentence becomes the `detail` of the answer. */
export const refused = (name: string, detail: string): AppError =>
  new AppError('invalid-input', { detail, errors: [{ path: name, message: detail }] })
