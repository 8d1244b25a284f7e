import type { ServedCollection } from '../served-collection'
import { filterKinds } from './read-query'

/** A query parameter of a collection, for documents. */
interface Parameter {
  name: string
  /** The field of the item that it filters or orders by; null for parameters of the page. */
  field: string | null
  /** The JSON Schema of its value. */
  schema: object
}

/** The parameters for filters and order, each with its field. */
export const fieldParameters = ({ filters, orderFields, config }: ServedCollection): Parameter[] => [
  ...Object.keys(filters).flatMap(field =>
    filterNames(filters, field).map(name => ({ name, field, schema: name.endsWith('[]') ? TEXTS : TEXT })),
  ),
  ...[...orderFields].map(field => ({ name: `${config.orderParameterName}[${field}]`, field, schema: DIRECTION })),
]

const TEXT = { type: 'string' }
const TEXTS = { type: 'array', items: TEXT }
const DIRECTION = { type: 'string', enum: ['asc', 'desc'] }

function filterNames(filters: ServedCollection['filters'], field: string): string[] {
  const kinds = filterKinds(filters, field)
  return kinds.flatMap(kind => {
    if (kind === 'exact') return [field, `${field}[]`]
    if (kind === 'range') return ['lt', 'lte', 'gt', 'gte'].map(operator => `${field}[${operator}]`)
    return kinds.includes('exact') ? [`${field}[search]`] : [field]
  })
}

/** The parameter that selects a page; none for cursors and for collections without pages. */
export function pageParameters({ options, config }: ServedCollection): Parameter[] {
  const isPaged = (options.enabled || options.clientEnabled) && !options.viaCursor
  const name = config.pagination.pageParameterName
  return isPaged ? [{ name, field: null, schema: { type: 'integer', default: 1, minimum: 1 } }] : []
}

/** The parameters that change the pagination, when clients may do so. */
export function choiceParameters({ options, config: { pagination: names } }: ServedCollection): Parameter[] {
  const { itemsPerPage, maximumItemsPerPage } = options
  const maximum = maximumItemsPerPage === null ? {} : { maximum: maximumItemsPerPage }
  const size = { type: 'integer', default: itemsPerPage, minimum: 0, ...maximum }
  return [
    { name: names.itemsPerPageParameterName, schema: size, isOffered: options.clientItemsPerPage },
    { name: names.enabledParameterName, schema: { type: 'boolean' }, isOffered: options.clientEnabled },
    { name: names.partialParameterName, schema: { type: 'boolean' }, isOffered: options.clientPartial },
  ].flatMap(({ name, schema, isOffered }) => (isOffered ? [{ name, field: null, schema }] : []))
}
