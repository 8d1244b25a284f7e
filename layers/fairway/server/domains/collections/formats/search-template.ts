import { filterKinds } from '../query/read-query'
import type { ServedCollection } from '../served-collection'

interface Variable {
  variable: string
  /** The field of the item that it is about; null for parameters about the page. */
  property: string | null
}

/** What a client may send in the query, or null when there is nothing to choose. */
export function searchTemplate(served: ServedCollection): { template: string; mapping: Variable[] } | null {
  const about = [...filterVariables(served), ...orderVariables(served)]
  const choices = clientVariables(served)
  if (about.length === 0 && choices.length === 0) return null
  const page: Variable[] =
    served.options.viaCursor || !mayPage(served)
      ? []
      : [{ variable: served.config.pagination.pageParameterName, property: null }]
  const mapping = [...about, ...page, ...choices]
  return { template: `${served.iri}{?${mapping.map(({ variable }) => variable).join(',')}}`, mapping }
}

/** The parameters that filter, each with its field. */
export const filterVariables = ({ filters }: Pick<ServedCollection, 'filters'>): Variable[] =>
  Object.keys(filters).flatMap(field =>
    filterKinds(filters, field)
      .flatMap(kind => {
        if (kind === 'exact') return [field, `${field}[]`]
        if (kind === 'range') return ['lt', 'lte', 'gt', 'gte'].map(operator => `${field}[${operator}]`)
        return filterKinds(filters, field).includes('exact') ? [`${field}[search]`] : [field]
      })
      .map(variable => ({ variable, property: field })),
  )

/** The parameters that order, each with its field. */
export const orderVariables = ({ orderFields, config }: ServedCollection): Variable[] =>
  [...orderFields].map(field => ({ variable: `${config.orderParameterName}[${field}]`, property: field }))

function clientVariables({ options, config: { pagination: names } }: ServedCollection): Variable[] {
  const allowed = [
    ...(options.clientItemsPerPage ? [names.itemsPerPageParameterName] : []),
    ...(options.clientEnabled ? [names.enabledParameterName] : []),
    ...(options.clientPartial ? [names.partialParameterName] : []),
  ]
  return allowed.map(variable => ({ variable, property: null }))
}

const mayPage = ({ options }: ServedCollection): boolean => options.enabled || options.clientEnabled
