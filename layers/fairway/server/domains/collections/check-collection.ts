import { getTableColumns } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { CollectionScope } from './collection'
import { type CheckedCollection, isTable } from './collection-schema'
import { mergeOptions } from './effective-options'

/** What is wrong with a declaration beyond the shape of its options; each fault names the option and what it accepts. */
export const declarationFaults = (checked: CheckedCollection): string[] => [
  ...fieldFaults(checked),
  ...cursorFaults(checked),
  ...sourceFaults(checked),
]

function fieldFaults({ item, filters, order, defaultOrder }: CheckedCollection): string[] {
  const fields = Object.keys(item.shape)
  const unknown = (option: string, names: readonly string[]) =>
    names
      .filter(name => !fields.includes(name))
      .map(name => `${option}: the item has no field ${name}; its fields are ${fields.join(', ')}`)
  return [
    ...(fields.includes('id') ? [] : ['item: needs a field id, which the address of an item ends with']),
    ...unknown('filters', Object.keys(filters)),
    ...unknown('order', order),
    ...unknown(
      'defaultOrder',
      defaultOrder.map(({ field }) => field),
    ),
  ]
}

function cursorFaults(checked: CheckedCollection): string[] {
  const { item, operations } = checked
  const { paginationViaCursor, paginationPartial } = mergeOptions([operations.list, checked])
  if (!paginationViaCursor) return []
  const fields = Object.keys(item.shape)
  const names = paginationViaCursor.map(({ field }) => field)
  return [
    ...(paginationPartial === true ? [] : ['paginationViaCursor: needs paginationPartial: true']),
    ...names
      .filter(name => !fields.includes(name))
      .map(name => `paginationViaCursor: the item has no field ${name}; its fields are ${fields.join(', ')}`),
    ...(new Set(names).size < names.length ? ['paginationViaCursor: a field is named twice'] : []),
  ]
}

function sourceFaults(checked: CheckedCollection): string[] {
  const { source, toItem, getItem, operations, public: isPublic } = checked
  if (typeof source === 'function') {
    return [
      ...(toItem ? ['toItem: belongs to a table or a query; the function makes the items itself'] : []),
      ...(checked.scope ? ['scope: belongs to a table or a query; the function decides by session and orgId'] : []),
      ...(operations.get === true && !getItem ? ['operations.get: needs getItem'] : []),
    ]
  }
  return [
    ...(getItem ? ['getItem: belongs to a function as source'] : []),
    ...(isPublic || scopeOf(checked)
      ? []
      : [
          "scope: whose rows people see cannot be told from the table; write 'organization', 'shared', 'everybody' or a function",
        ]),
  ]
}

/** Whose rows people see: what is declared, or what the columns of the table say; undefined when neither says it. */
export function scopeOf({ source, scope, public: isPublic }: CheckedCollection): CollectionScope | undefined {
  if (scope || isPublic || typeof source === 'function') return scope
  return scopeOfTable(isTable(source) ? source : source.root)
}

function scopeOfTable(table: SQLiteTable): CollectionScope | undefined {
  const columns = getTableColumns(table)
  if ('ownerEmail' in columns && 'orgId' in columns && 'visibility' in columns) return 'shared'
  return 'orgId' in columns ? 'organization' : undefined
}
