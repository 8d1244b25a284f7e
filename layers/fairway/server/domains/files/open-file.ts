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
 * Yields the rows of a CSV file, keyed by the names in its first line. It streams the file, so memory use stays small. Throws
 * what `openFile` throws.
 */
export async function* csvRows(id: string): AsyncGenerator<Record<string, string>> {
  // Loaded with the first file, because most servers never read one.
  const { default: Papa } = await import('papaparse')
  const rows = Papa.parse(Papa.NODE_STREAM_INPUT, {
    header: true,
    skipEmptyLines: 'greedy',
    // Spreadsheet programs write a byte order mark at the start of a file.
    transformHeader: name => name.replace(/^\uFEFF/, '').trim(),
  })
  const bytes = await openFile(id)
  try {
    bytes.on('error', error => rows.destroy(error)).pipe(rows)
    for await (const row of rows) yield row as Record<string, string>
  } finally {
    // Closes the file when the reader stops early.
    bytes.destroy()
  }
}
