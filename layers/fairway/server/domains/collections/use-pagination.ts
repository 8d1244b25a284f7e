import type { H3Event } from 'h3'
import { getApp } from '#fairway/server/kernel/app-context'
import { requestQuery } from '#fairway/server/kernel/http/request-info'
import { effectiveOptions } from './effective-options'
import { type Pagination, toPagination } from './pagination'
import type { PaginationOptions } from './pagination-options'
import { parseQuery } from './query/parse-query'
import { cursorOrder, readOrder } from './query/read-order'
import { readSelection } from './query/read-selection'

declare module 'h3' {
  interface H3EventContext {
    pagination?: Map<PaginationOptions, Pagination>
  }
}

const NOTHING_SET: PaginationOptions = Object.freeze({})

/**
 * Which rows this request asks for, by the options of the operation over the application's own; the same frozen answer each time.
 * Throws `invalid-input` (400) for a page or page size that means nothing.
 */
export function usePagination(event: H3Event, operation: PaginationOptions = NOTHING_SET): Pagination {
  const read = (event.context.pagination ??= new Map<PaginationOptions, Pagination>())
  const known = read.get(operation)
  if (known) return known
  const { collections: config } = getApp(event).config
  const options = effectiveOptions([operation, config.defaults])
  const query = parseQuery(requestQuery(event))
  const fields = new Set(options.viaCursor?.map(({ field }) => field))
  const order = readOrder(query, config.orderParameterName, fields)
  const via = options.viaCursor && cursorOrder(options.viaCursor, order)
  const pagination = toPagination(readSelection(query, { options, config, via }))
  read.set(operation, pagination)
  return pagination
}
