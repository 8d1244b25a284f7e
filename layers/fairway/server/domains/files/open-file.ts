// The bytes of a file for the application's own code: in a job, a route, an action.
import { Readable } from 'node:stream'
import { requireRun } from '#fairway/server/kernel/current-run'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { readBytes } from './send-file'

/**
 * The bytes of a file by its id, as they come from the storage. Nobody is asked whether they may have it: that is for the caller to find
 * out before. Throws `not-found` for a file that is gone; one that no row has is kept for a day.
 */
export async function openFile(id: string): Promise<Readable> {
  const bytes = await readBytes(requireRun().app, id)
  if (!bytes) throw new AppError('not-found', { detail: 'The file is not there any more.' })
  return bytes instanceof Readable ? bytes : Readable.from(bytes)
}

/** The rows of a CSV file by the names of its first line, one after another; the file is never in memory as a whole. Throws as `openFile`. */
export async function* csvRows(id: string): AsyncGenerator<Record<string, string>> {
  // Loaded with the first file: most servers read none.
  const { default: Papa } = await import('papaparse')
  const rows = Papa.parse(Papa.NODE_STREAM_INPUT, {
    header: true,
    skipEmptyLines: 'greedy',
    // Spreadsheet programs begin a file with it.
    transformHeader: name => name.replace(/^\uFEFF/, '').trim(),
  })
  const bytes = await openFile(id)
  try {
    bytes.on('error', error => rows.destroy(error)).pipe(rows)
    for await (const row of rows) yield row as Record<string, string>
  } finally {
    // A reader that stops early leaves no open file behind.
    bytes.destroy()
  }
}
