// The pages of every list: by number with a total, or newest first with a cursor.
import { and, desc, eq, getTableColumns, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { z } from 'zod'
import type { Total } from '#fairway/shared/schemas/total'
import type { Orm } from './client'

/** Lists count at most this many rows, unless the exact total is requested. */
const MOST_COUNTED = 10_000

/** `total` as a query parameter: `exact` counts all rows, however many there are. */
export const totalQuery = { total: z.enum(['capped', 'exact']).default('capped') }

/** `page`, `itemsPerPage` and `total` as query parameters. */
export const pagingShape = {
  ...totalQuery,
  page: z.coerce.number().int().min(1).max(1_000_000).default(1),
  itemsPerPage: z.coerce.number().int().min(1).max(100).default(30),
}

/** A filter by a text as a query parameter; an empty text is no filter. */
export const textFilter = z
  .string()
  .trim()
  .max(200)
  .transform(text => text || undefined)
  .optional()

/** A filter by a time in ISO 8601 as a query parameter. */
export const timeFilter = z.iso
  .datetime({ offset: true })
  .transform(value => new Date(value))
  .optional()

/** The condition that columns have these values; undefined values are no condition. */
export function matching<Table extends SQLiteTable>(
  table: Table,
  values: { readonly [name in keyof Table['_']['columns']]?: string },
): SQL | undefined {
  const columns = Object.entries(getTableColumns(table))
  const value = (name: string): unknown => Reflect.get(values, name)
  return and(...columns.map(([name, column]) => (value(name) === undefined ? undefined : eq(column, value(name)))))
}

/** A page by its number; the first is 1. The total is exact by default. */
export interface Paging {
  page: number
  itemsPerPage: number
  total?: 'capped' | 'exact'
}

/** Counts rows, at most `most` of them; a negative number is no limit. */
type Count = (most: number) => PromiseLike<number>

/** `limit` rows of an order after `offset` rows, counted from the beginning or from a position. */
export interface Slice {
  offset: number
  limit: number
}

/** Reads one page of rows and the total, which is only counted when the page does not prove it. */
export async function readPage<Row>(
  { page, itemsPerPage: limit, total }: Paging,
  read: (slice: Slice) => PromiseLike<Row[]>,
  count: Count,
): Promise<{ rows: Row[] } & Total> {
  const offset = (page - 1) * limit
  const withNext = await read({ offset, limit: limit + 1 })
  const totalItems = provenTotal(withNext, { offset, limit })
  const counted = totalItems === undefined ? await readTotal(total, count) : { totalItems }
  return { rows: withNext.slice(0, limit), ...counted }
}

/** Counts the rows of a list: all of them, or at most `most`. */
export async function readTotal(total: Paging['total'], count: Count, most = MOST_COUNTED): Promise<Total> {
  if (total !== 'capped') return { totalItems: await count(-1) }
  const totalItems = await count(most + 1)
  return totalItems === most + 1 ? { totalItems: most, isTotalCapped: true } : { totalItems }
}

/** The statement that counts the rows that match, at most `most` of them. */
export const countSql = (from: SQLiteTable | SQL, where: SQL | undefined, most: number): SQL<number> =>
  sql`select count(*) as n from (select 1 from ${from} where ${where ?? sql`true`} limit ${most})`

/** Counts the rows that match, at most `most` of them. */
export const countUpTo = async (orm: Orm, ...counted: Parameters<typeof countSql>): Promise<number> =>
  (await orm.get<{ n: number }>(countSql(...counted))).n

/** Reads rows of a table by a time: pages with the newest first, and everything with the oldest first. */
export const rowsByTime = <Table extends SQLiteTable & { id: SQLiteColumn }>(
  orm: Orm,
  table: Table,
  time: SQLiteColumn,
  where: SQL | undefined,
) => ({
  page: ({ offset, limit }: Slice) =>
    orm.select().from(table).where(where).orderBy(desc(time), desc(table.id)).limit(limit).offset(offset),
  where,
  count: (most: number) => countUpTo(orm, table, where, most),
  /** The rows after one; `at` is its time in ISO 8601. */
  piece: (after: { at: string; id: string } | undefined, limit: number) => {
    const isAfter = after && sql`(${time}, ${table.id}) > (${Date.parse(after.at)}, ${after.id})`
    return orm.select().from(table).where(and(where, isAfter)).orderBy(time, table.id).limit(limit)
  },
})

/** The `cursor` of the previous page as a query parameter. */
export const cursorShape = { cursor: z.string().max(100).optional() }

const NEWEST = 50

/** Reads the newest 50 rows after a cursor; `cursor` leads to the next page and is null on the final one. */
export async function readNewest<Row extends { id: string }>(
  read: (limit: number) => PromiseLike<Row[]>,
  toCursor: (row: Row) => string = ({ id }) => id,
): Promise<{ rows: Row[]; cursor: string | null }> {
  const withNext = await read(NEWEST + 1)
  const rows = withNext.slice(0, NEWEST)
  const last = withNext.length > NEWEST ? rows.at(-1) : undefined
  return { rows, cursor: last ? toCursor(last) : null }
}

/** The total, when the rows prove it: they are not more than a page, and they have a row or begin at 0. */
export function provenTotal(rows: readonly unknown[], { offset, limit }: Slice): number | undefined {
  if (rows.length > limit || (rows.length === 0 && offset > 0)) return undefined
  return offset + rows.length
}
