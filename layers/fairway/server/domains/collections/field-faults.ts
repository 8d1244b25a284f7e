// Validates the fields that a declaration names; each error names the option and the values that it accepts.
import { z } from 'zod'
import { type Collection, unknownFields } from './collection'
import { mergeOptions, type OrderBy, type PaginationOptions } from './effective-options'

/** The options that name fields. */
interface FieldOptions extends Pick<Collection, 'item' | 'filters' | 'order' | 'defaultOrder'>, PaginationOptions {
  omit: readonly string[]
  people: Readonly<Record<string, string>>
  public: boolean
  source: unknown
  operations: { list: PaginationOptions }
}

/** Errors for fields that do not exist or that an option cannot use. */
export const fieldFaults = ({ item, filters, order, defaultOrder }: FieldOptions): string[] => [
  ...('id' in item.shape ? [] : ['item: needs a field id, which the address of an item ends with']),
  ...unknownFields('filters', item, Object.keys(filters)),
  ...unknownFields('order', item, order),
  ...unknownFields('defaultOrder', item, namesOf(defaultOrder)),
]

/** Errors for fields that answers cannot omit. */
export function omitFaults(checked: FieldOptions): string[] {
  const { item, omit, order, defaultOrder, source } = checked
  const { paginationViaCursor = [] } = mergeOptions([checked.operations.list, checked])
  const ordering = new Set([...order, ...namesOf(defaultOrder), ...namesOf(paginationViaCursor)])
  return [
    ...unknownFields('omit', item, omit),
    ...(omit.length > 0 && typeof source === 'function' ? ['omit: belongs to a table or a query'] : []),
    ...omit.flatMap(name => {
      const schema = item.shape[name]
      if (schema && !z.safeParse(schema, undefined).success) return [`omit: ${name} must be optional in item`]
      return ordering.has(name) ? [`omit: ${name} is in an order, whose values pages need`] : []
    }),
  ]
}

/** Errors for fields that cannot show a person. */
export function peopleFaults({ item, people, source, public: isPublic }: FieldOptions): string[] {
  if (Object.keys(people).length === 0) return []
  return [
    ...unknownFields('people', item, Object.keys(people)),
    ...(typeof source === 'function' ? ['people: belongs to a table or a query; a function calls withPeople'] : []),
    ...(isPublic ? ['people: needs a session, which says whom the reader may see; leave public out'] : []),
  ]
}

const namesOf = (order: readonly OrderBy[]): string[] => order.map(({ field }) => field)

/** Errors for the requirements of cursors. */
export function cursorFaults(checked: FieldOptions): string[] {
  const { paginationViaCursor, paginationPartial } = mergeOptions([checked.operations.list, checked])
  if (!paginationViaCursor) return []
  const names = namesOf(paginationViaCursor)
  return [
    ...(paginationPartial === true ? [] : ['paginationViaCursor: needs paginationPartial: true']),
    ...unknownFields('paginationViaCursor', checked.item, names),
    ...(new Set(names).size < names.length ? ['paginationViaCursor: a field is named twice'] : []),
  ]
}
