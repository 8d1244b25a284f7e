// Loaded in browsers only: Nitro rewrites `typeof window` inside a string of this library, which then fails to parse.
import { parse } from 'papaparse'
import type { TableFile } from './table-file'

/** Decodes a file: UTF-8, else the encoding that spreadsheets use on Windows. */
export function decodeText(bytes: ArrayBuffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

/** Reads CSV with any of the usual separators. Throws with the number of the unreadable row. */
export function readTable(text: string): TableFile {
  const { data, errors } = parse<string[]>(text, { skipEmptyLines: 'greedy' })
  // A file with one column has no separator.
  const fault = errors.find(({ type }) => type !== 'Delimiter')
  if (fault) throw new UnreadableRow((fault.row ?? 0) + 1)
  const [columns = [], ...rows] = data
  return { columns: columns.map(name => name.trim()), rows }
}

/** A row of a file that is not valid CSV. */
export class UnreadableRow extends Error {
  constructor(readonly row: number) {
    super(`Row ${row} cannot be read.`)
  }
}
