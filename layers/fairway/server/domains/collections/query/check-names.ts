import { AppError } from '#fairway/server/kernel/http/app-error'
import { suggestion } from '#fairway/shared/nearest-name'
import type { ServedCollection } from '../served-collection'
import { fieldParameters } from './parameters'
import { isListIndex, type QueryTree, type QueryValue } from './query-tree'

/**
 * In a collection that refuses them, throws `unknown-filter` for parameters that the collection does not have, and for orders that
 * are neither `asc` nor `desc`. The error lists the filters and orders that exist. Parameters of pages are known even where
 * clients have no choice.
 */
export function checkNames(query: QueryTree, served: ServedCollection): void {
  if (!served.refusesUnknown) return
  const { config, options, collection } = served
  const existing = fieldParameters(served).map(({ name }) => name)
  const bounds = options.viaCursor ? (collection.reader.keyFields ?? []) : []
  const known = new Set([
    ...existing,
    ...Object.values(config.pagination),
    ...bounds.flatMap(field => [`${field}[lt]`, `${field}[gt]`]),
  ])
  const errors = [...query]
    .flatMap(([name, value]) => namesOf(name, value))
    .flatMap(({ name, value }) => {
      if (!known.has(name))
        return [{ path: name, message: `There is no filter or order ${name}.${suggestion(name, existing)}` }]
      const isOrder = name.startsWith(`${config.orderParameterName}[`)
      return isOrder && !/^(asc|desc|)$/i.test(value.trim())
        ? [{ path: name, message: 'An order is asc or desc.' }]
        : []
    })
  if (errors.length === 0) return
  const list = existing.length > 0 ? `There are: ${existing.join(', ')}.` : 'There are none.'
  throw new AppError('unknown-filter', { detail: `${errors[0]?.message} ${list}`, errors })
}

/** Each value with its parameter as documents name it: `status`, `status[]`, `price[lt]`. */
function namesOf(name: string, value: QueryValue): { name: string; value: string }[] {
  if (typeof value === 'string') return [{ name, value }]
  return [...value].flatMap(([key, inner]) => namesOf(`${name}[${isListIndex(key) ? '' : key}]`, inner))
}
