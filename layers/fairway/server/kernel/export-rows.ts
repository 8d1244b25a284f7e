import { finished, Readable } from 'node:stream'
import { setImmediate as nextTurnOfTheLoop } from 'node:timers/promises'
import { guardFormulas } from '#fairway/shared/csv/formula-guard'
import { type H3Event, setResponseHeaders } from 'h3'
import { z } from 'zod'

/** The formats of an export. */
export const EXPORT_FORMATS = ['csv', 'jsonl'] as const
export type ExportFormat = (typeof EXPORT_FORMATS)[number]

/** The format of an export as a query parameter. */
export const exportShape = { format: z.enum(EXPORT_FORMATS).default('csv') }

/** The media types of exports. */
export const exportMediaTypes = {
  csv: 'text/csv; charset=utf-8',
  jsonl: 'application/x-ndjson; charset=utf-8',
  json: 'application/json; charset=utf-8',
} satisfies Record<ExportFormat | 'json', string>

// Without it, Excel reads UTF-8 as the code page of the machine: “Zoë” becomes “ZoÃ«”.
const BYTE_ORDER_MARK = '\u{FEFF}'

/**
 * Iterates over the text of a file with these rows, in pieces: CSV (RFC 4180, with a byte order mark and a header line) or one
 * JSON object per line.
 */
export async function* exportRows(
  rows: AsyncIterable<object>,
  columns: readonly string[],
  format: ExportFormat,
): AsyncGenerator<string> {
  if (format === 'csv') yield `${BYTE_ORDER_MARK}${csvLine(columns)}`
  for await (const row of rows) {
    yield format === 'csv'
      ? csvLine(columns.map(column => Reflect.get(row, column)))
      : `${JSON.stringify(Object.fromEntries(columns.map(column => [column, Reflect.get(row, column) ?? null])))}\n`
  }
}

/**
 * Returns the text of a CSV file with these rows, as exports write it: with a byte order mark and a header line. Texts that a
 * spreadsheet would take for a formula get an apostrophe. The columns are the keys of the first row unless they are given.
 * Spreadsheets with a comma for decimals expect the separator `;`.
 */
export function csvText<Row extends object>(
  rows: readonly Row[],
  {
    columns = Object.keys(rows[0] ?? {}),
    separator = ',',
  }: { columns?: readonly string[]; separator?: ',' | ';' | '\t' } = {},
): string {
  const lines = [columns, ...rows.map(row => columns.map(column => Reflect.get(row, column)))]
  return BYTE_ORDER_MARK + lines.map(line => csvLine(line, separator)).join('')
}

const csvLine = (values: readonly unknown[], separator = ','): string =>
  `${values.map(value => csvField(value, separator)).join(separator)}\r\n`

/**
 * Returns a field of a CSV file. A text that a spreadsheet would take for a formula gets an apostrophe, which an import removes;
 * a number stays a number.
 */
function csvField(value: unknown, separator: string): string {
  if (value === null || value === undefined) return ''
  const text = textOf(value)
  const inert = typeof value === 'number' ? text : guardFormulas(text)
  return /["\r\n]/.test(inert) || inert.includes(separator) ? `"${inert.replaceAll('"', '""')}"` : inert
}

function textOf(value: unknown): string {
  if (value instanceof Date) return value.toISOString()
  return typeof value === 'object' ? JSON.stringify(value) : String(value as string | number | boolean)
}

// The first rows are sent soon, however large the list is.
const FIRST_PIECE = 50
const PIECE = 500

/**
 * Iterates over all rows of a query in pieces; the query returns the next `limit` rows after a given row. An export of any size
 * holds only a few hundred rows in memory.
 */
export async function* inPieces<Row>(
  read: (after: Row | undefined, limit: number) => Promise<Row[]>,
): AsyncGenerator<Row> {
  let after: Row | undefined
  for (let limit = FIRST_PIECE; ; limit = PIECE) {
    const rows: Row[] = await read(after, limit)
    yield* rows
    after = rows.at(-1)
    if (rows.length < limit) return
    // Neither a read of a file nor a generator lets the event loop go on.
    await nextTurnOfTheLoop()
  }
}

/** A file to save: its name without the extension, and its text, which is sent while it is being read. */
export interface ExportFile {
  name: string
  format: keyof typeof exportMediaTypes
  text: AsyncIterable<string>
}

/** Returns the file `name` with all rows of a list, as `inPieces` reads them. */
export const exportOf = <Row extends object>(
  name: string,
  { format, columns }: { format: ExportFormat; columns: readonly (keyof Row & string)[] },
  read: (after: Row | undefined, limit: number) => Promise<Row[]>,
): ExportFile => ({ name, format, text: exportRows(inPieces(read), columns, format) })

/**
 * Returns the response with an export file, without a body for HEAD; the first row is sent only after it is returned. Reading
 * ends when the client disconnects.
 */
export function sendExport(event: H3Event, { name, format, text }: ExportFile): Readable | '' {
  setResponseHeaders(event, {
    'content-type': exportMediaTypes[format],
    'content-disposition': `attachment; filename="${name}.${format}"`,
  })
  if (event.method === 'HEAD') return ''
  const { res } = event.node
  const body = Readable.from(text)
  finished(res, () => body.destroy())
  // A truncated file must not look complete.
  body.once('error', () => res.headersSent && res.destroy())
  return body
}
