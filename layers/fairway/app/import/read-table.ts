// Loaded in browsers alone: Nitro rewrites `typeof window` inside of a text of this library, and cannot read it then.
import { parse } from 'papaparse'
import type { TableFile } from './table-file'

/** The text of a file: UTF-8, else as spreadsheets on Windows write it. */
export function decodeText(bytes: ArrayBuffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

/** Reads CSV with any of the usual separators; throws with the number of the row that cannot be read. */
export function readTable(text: string): TableFile {
  const { data, errors } = parse<string[]>(text, { skipEmptyLines: 'greedy' })
  // A file with one column has no separator to be found.
  const fault = errors.find(({ type }) => type !== 'Delimiter')
  if (fault) throw new UnreadableRow((fault.row ?? 0) + 1)
  const [columns = [], ...rows] = data
  return { columns: columns.map(name => name.trim()), rows }
}

/** A row of a file that is no CSV. */
export class UnreadableRow extends Error {
  constructor(readonly row: number) {
    super(`Row ${row} cannot be read.`)
  }
}
