// Reads every row of a query, for exports.
import { inPieces } from '#fairway/server/kernel/export-rows'
import type { Term } from './filters'
import { valuesAt } from './keyset'
import { type PreparedRead, sliceStatement } from './statements'

type Rows = readonly (readonly unknown[])[]

interface AllRows {
  read: PreparedRead
  /** The order, which ends with the key. */
  terms: readonly Term[]
  /** Converts rows to items, one for each. */
  toItems(rows: Rows): Promise<readonly unknown[]>
}

/**
 * Yields the items of all rows in their order. Each batch starts after the final row of the previous one, so its cost does not
 * grow with the depth.
 */
export async function* readAllRows({ read, terms, toItems }: AllRows): AsyncGenerator<unknown> {
  interface Found {
    row: readonly unknown[]
    item: unknown
  }
  const pieces = inPieces<Found>(async (last, limit) => {
    const after = last && valuesAt(terms, last.row)
    const [rows = []] = await read.rows([sliceStatement({ read, terms, after }, { offset: 0, limit })])
    const items = await toItems(rows)
    return rows.map((row, index) => ({ row, item: items[index] }))
  })
  for await (const { item } of pieces) yield item
}
