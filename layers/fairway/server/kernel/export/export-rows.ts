export type ExportFormat = 'csv' | 'jsonl'

type Row = Readonly<Record<string, unknown>>

/** The media type of an export. */
export const exportMediaType = (format: ExportFormat): string =>
  format === 'csv' ? 'text/csv; charset=utf-8' : 'application/x-ndjson; charset=utf-8'

/** Rows as the text of a file, piece by piece: CSV (RFC 4180, with a header line) or one JSON object a line. */
export async function* exportRows(
  rows: AsyncIterable<Row>,
  columns: readonly string[],
  format: ExportFormat,
): AsyncGenerator<string> {
  if (format === 'csv') yield `${columns.join(',')}\r\n`
  for await (const row of rows) {
    yield format === 'csv'
      ? `${columns.map(column => csvField(row[column])).join(',')}\r\n`
      : `${JSON.stringify(Object.fromEntries(columns.map(column => [column, row[column] ?? null])))}\n`
  }
}

/** A field of a CSV file. What a spreadsheet would take for a formula gets an apostrophe before it. */
export function csvField(value: unknown): string {
  if (value === null || value === undefined) return ''
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value as string | number | boolean)
  const inert = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert
}
