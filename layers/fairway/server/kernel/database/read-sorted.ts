// The pages of lists that can be sorted by several values. A cursor is the position of a row in one order.
import { and, sql, type SQL } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { z } from 'zod'
import type { Total } from '#fairway/shared/schemas/total'
import type { Orm } from './client'
import { countUpTo, type Paging, readNewest, readTotal, totalQuery } from './read-page'

/** A field to sort by and the direction. */
export interface RowOrder<Field extends string = string> {
  field: Field
  isDescending: boolean
}

/** A field to sort by as a query parameter; a leading hyphen sorts in descending order. */
export const orderSchema = <const Field extends string>(fields: readonly Field[]) =>
  z.enum(fields.flatMap(field => [field, `-${field}`] as const)).transform((text): RowOrder<Field> => {
    const isDescending = text.startsWith('-')
    return { field: (isDescending ? text.slice(1) : text) as Field, isDescending }
  })

/** A name of 100 characters fits in a cursor. */
const LONGEST_CURSOR = 2000

/** `sort`, and the `cursor` of the previous page in this order, as query parameters. */
export const sortedShape = <const Field extends string>(fields: readonly Field[]) => ({
  sort: orderSchema(fields).optional(),
  cursor: z.string().max(LONGEST_CURSOR).optional(),
})

export interface SortedQuery<Field extends string> {
  sort?: RowOrder<Field>
  /** A cursor of another order, like an invalid one, leads to the first page. */
  cursor?: string
}

/** The same and `total`. */
export const countedShape = <const Field extends string>(fields: readonly Field[]) => ({
  ...totalQuery,
  ...sortedShape(fields),
})

/** The query of a sorted list with a total. */
export type CountedQuery<Field extends string> = SortedQuery<Field> & Pick<Paging, 'total'>

interface SortedRows<Field extends string> {
  /** The value that each order compares, never null. Equal values are in the order of ids. */
  values: Readonly<Record<Field, SQL | SQLiteColumn>>
  id: SQL | SQLiteColumn
  from: SQL | SQLiteTable
  where?: SQL
  /** The order without `sort`. */
  first: RowOrder<Field>
  /** How many rows are counted, where not 10,000. */
  mostCounted?: number
}

/** The parts of the statement that reads one page. */
interface SortedPart {
  /** To be selected as `sortValue`. */
  sortValue: SQL<string | number>
  /** The condition that a row is on the page. SQLite would read the other columns of all rows before it sorts them. */
  isOnPage: SQL
  orderBy: SQL
}

/** Reads 50 rows after a cursor; `cursor` leads to the next page and is null on the final one. */
export async function readSorted<Field extends string, Row extends { id: string; sortValue: string | number }>(
  { values, id, from, where, first }: SortedRows<Field>,
  { sort = first, cursor }: SortedQuery<Field>,
  read: (part: SortedPart) => PromiseLike<Row[]>,
): Promise<{ rows: Omit<Row, 'sortValue'>[]; cursor: string | null }> {
  const name = `${sort.isDescending ? '-' : ''}${sort.field}`
  const value = values[sort.field]
  const position = positionOf(name, cursor)
  const beyond = sql.raw(sort.isDescending ? '<' : '>')
  const direction = sql.raw(sort.isDescending ? 'desc' : 'asc')
  const isAfter = position && sql`(${value}, ${id}) ${beyond} (${position.value}, ${position.id})`
  const orderBy = sql`${value} ${direction}, ${id} ${direction}`
  const isWanted = and(where, isAfter) ?? sql`true`
  const page = await readNewest(
    limit =>
      read({
        sortValue: sql<string | number>`${value}`,
        isOnPage: sql`${id} in (select ${id} from ${from} where ${isWanted} order by ${orderBy} limit ${limit})`,
        orderBy,
      }),
    row => Buffer.from(JSON.stringify([name, row.sortValue, row.id])).toString('base64url'),
  )
  return { rows: page.rows.map(({ sortValue: _value, ...row }) => row), cursor: page.cursor }
}

/** Reads a page as `readSorted` does, and the total, which is only counted when the page does not prove it. */
export async function readSortedTotal<Field extends string, Row extends { id: string; sortValue: string | number }>(
  orm: Orm,
  list: SortedRows<Field>,
  { total, ...query }: CountedQuery<Field>,
  read: (part: SortedPart) => PromiseLike<Row[]>,
): Promise<{ rows: Omit<Row, 'sortValue'>[]; cursor: string | null } & Total> {
  const page = await readSorted(list, query, read)
  const isWhole = query.cursor === undefined && page.cursor === null
  const counted = isWhole
    ? { totalItems: page.rows.length }
    : await readTotal(total, most => countUpTo(orm, list.from, list.where, most), list.mostCounted)
  return { ...page, ...counted }
}

const positionSchema = z.tuple([z.string(), z.union([z.string(), z.number()]), z.string()])

/** The position of a cursor; undefined for one of another order and for an invalid one. */
function positionOf(name: string, cursor = ''): { value: string | number; id: string } | undefined {
  try {
    const [order, value, id] = positionSchema.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()))
    return order === name ? { value, id } : undefined
  } catch {
    return undefined
  }
}
