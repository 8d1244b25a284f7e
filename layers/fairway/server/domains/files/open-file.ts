// Access to the bytes of a file for the application's own code: jobs, routes and actions.
import { Readable } from 'node:stream'
import { requireRun } from '#fairway/server/kernel/current-run'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { readBytes } from './send-file'

/**
 * Returns the bytes of a file by its ID, as they arrive from the storage. It does not check access; the caller must. Throws
 * `not-found` for a deleted file; a file without a row is kept for a day.
 */
export async function openFile(id: string): Promise<Readable> {
  const bytes = await readBytes(requireRun().app, id)
  if (!bytes) throw new AppError('not-found', { detail: 'The file is not there any more.' })
  return bytes instanceof Readable ? bytes : Readable.from(bytes)
}

/**
 * Yields the rows of a CSV file as texts, keyed by the names in its first row. It streams the file, so memory use stays small.
 * Throws what `openFile` throws, and `invalid-input` with the number of the row at a row that cannot be read.
 */
export async function* csvRows(id: string): AsyncGenerator<Record<string, string>> {
  // Loaded with the first file, because most servers never read one.
  const { csvFaults, readCsv } = await import('#fairway/shared/csv/read-csv')
  let names: string[] | undefined
  for await (const { row, cells, fault } of readCsv(await openFile(id))) {
    if (fault)
      throw new AppError('invalid-input', { detail: `Row ${row} of the file ${csvFaults[fault]}`, extra: { row } })
    if (names) yield Object.fromEntries(names.map((name, index) => [name, cells[index] ?? '']))
    else names = cells.map((name, index) => name || `#${index + 1}`)
  }
}
