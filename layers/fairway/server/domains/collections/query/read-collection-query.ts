import type { CollectionQuery } from '../page'
import type { ServedCollection } from '../served-collection'
import type { QueryTree } from './parse-query'
import { readFilters } from './read-filters'
import { cursorOrder, readOrder } from './read-order'
import { cursorFields, readSelection } from './read-selection'

const NONE: ReadonlySet<string> = new Set()

/** What one request asks of a collection; throws `invalid-input` for values that mean nothing. */
export function readCollectionQuery(query: QueryTree, served: ServedCollection): CollectionQuery {
  const { config, options } = served
  const { keyFields } = served.collection.reader
  const order = readOrder(query, config.orderParameterName, served.orderFields)
  const via = options.viaCursor && cursorOrder(options.viaCursor, order)
  const selection = readSelection(query, { options, config, via, keyFields })
  const takesBounds = selection.mode === 'cursor' && selection.format === 'bounds'
  const fields = takesBounds ? cursorFields(selection.via, keyFields) : NONE
  return { filters: readFilters(query, served.filters, fields), order, selection, ...served.readerHints }
}
