// A file of a spreadsheet as rows of texts, and which of its columns is which field.
import { parse } from 'papaparse'

export interface TableFile {
  /** The first row. */
  columns: string[]
  rows: string[][]
}

/** A field that rows of a file may have. */
export interface ImportField {
  /** Its name in the input of the action. */
  name: string
  label: string
  isRequired?: boolean
}

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

const plain = (text: string): string =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '')

/** Which column each field most likely is: of its name or label, else one that has it in it; a column is taken once. */
export function guessColumns(fields: readonly ImportField[], columns: readonly string[]): Record<string, number> {
  const guessed: Record<string, number> = {}
  const isFree = (index: number) => !Object.values(guessed).includes(index)
  const take = (fits: (column: string, names: string[]) => boolean) => {
    for (const { name, label } of fields) {
      if (guessed[name] !== undefined) continue
      const names = [plain(name), plain(label)].filter(text => text !== '')
      const found = columns.findIndex((column, index) => isFree(index) && fits(plain(column), names))
      if (found >= 0) guessed[name] = found
    }
  }
  take((column, names) => names.includes(column))
  take((column, names) => column.length > 2 && names.some(name => name.includes(column) || column.includes(name)))
  return guessed
}

/** The rows as an action takes them. */
export const toRows = (
  rows: readonly (readonly string[])[],
  chosen: Readonly<Record<string, number | undefined>>,
): Record<string, string>[] =>
  rows.map(row =>
    Object.fromEntries(
      Object.entries(chosen).flatMap(([name, index]) => (index === undefined ? [] : [[name, row[index] ?? '']])),
    ),
  )
