import { getTableColumns, type SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { z } from 'zod'
import type { SqlDeclaration } from '../collection'
import type { DeclaredSource } from './declared-source'
import { type Readable, readable } from './field'
import type { Join } from './join'
import { unwrapped } from './value-type'

/** The values of an item, by name. */
export interface ItemColumns {
  fields: readonly Readable[]
  /** The values that the row of the author's own function has besides. */
  others: readonly Readable[]
}

/** Finds what each field of the item is read from; throws for one that nothing fills. */
export function itemColumns({ item, toItem }: SqlDeclaration, source: DeclaredSource): ItemColumns {
  const own = getTableColumns(source.root)
  const outer = new Set(source.ones.filter(({ type }) => type === 'left').map(({ name }) => name))
  const joined = new Set(source.all.flatMap(({ declared }) => declared.as ?? []))
  const read = (name: string, value: SQLiteColumn | SQL) =>
    readable(name, value, item.shape[name] ?? z.string().nullable(), outer)
  const named = (name: string): SQLiteColumn | SQL | undefined => source.columns?.[name] ?? own[name]
  const missing = Object.keys(item.shape).filter(name => !named(name) && !joined.has(name))
  if (missing.length > 0 && !toItem)
    throw new Error(
      `item: no column fills ${missing.join(', ')}; name them in columns of the source, or give toItem. The table has ${Object.keys(own).join(', ')}`,
    )
  const unnamed = [...joined].filter(name => !(name in item.shape) && !toItem)
  if (unnamed.length > 0) throw new Error(`joins: ${unnamed.join(', ')}: the item has no such field for as`)
  const select = (names: readonly string[]) =>
    names.flatMap(name => {
      const value = joined.has(name) ? undefined : named(name)
      return value ? [read(name, value)] : []
    })
  const inItem = new Set(Object.keys(item.shape))
  const besides = [...Object.keys(own), ...Object.keys(source.columns ?? {})].filter(name => !inItem.has(name))
  return { fields: select([...inItem]), others: toItem ? select(besides) : [] }
}

/** The values of a joined row under `as`: what is declared, or the fields of the item's schema there. */
export function joinedColumns({ declared }: Join, item: z.ZodObject, outer: ReadonlySet<string>): Readable[] {
  const { as = '', table, columns = getTableColumns(table) } = declared
  const shape = shapeWithin(item.shape[as])
  const names = declared.columns || !shape ? Object.keys(columns) : Object.keys(shape)
  return names.map(name => {
    const value = columns[name]
    if (!value) throw new Error(`joins: ${as}: no column fills ${name}; name it in columns of the join`)
    return readable(name, value, shape?.[name] ?? z.string().nullable(), outer)
  })
}

function shapeWithin(schema: z.core.$ZodType | undefined): z.ZodObject['shape'] | undefined {
  if (!schema) return undefined
  const inner = unwrapped(schema)
  const element = inner instanceof z.ZodArray ? unwrapped(inner.element) : inner
  return element instanceof z.ZodObject ? element.shape : undefined
}

/** Whether two readables are the same value. */
export const isSame = (one: Readable, other: Readable): boolean =>
  one.sql.text === other.sql.text && one.sql.args.length === 0 && other.sql.args.length === 0
