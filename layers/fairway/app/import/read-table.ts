import { type CsvRow, readCsv } from '#fairway/shared/csv/read-csv'
import type { TableFile } from './table-file'

// Between two chunks, the page responds to its user.
const CHUNK = 64 * 1024

/** Reads a CSV file in chunks. */
export async function readTable(file: Blob): Promise<TableFile> {
  const table: TableFile = { columns: [], rows: [], numbers: [], faults: [] }
  let header: CsvRow | undefined
  for await (const read of readCsv(chunksOf(file))) {
    const { row, cells, fault } = read
    if (fault) table.faults.push({ row, fault })
    if (header) {
      table.rows.push(cells)
      table.numbers.push(row)
    } else {
      header = read
      table.columns = cells
    }
  }
  return table
}

async function* chunksOf(file: Blob): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < file.size; from += CHUNK)
    yield new Uint8Array(await file.slice(from, from + CHUNK).arrayBuffer())
}
