// A spreadsheet file as rows of strings, and the mapping of its columns to fields. Parsing is in read-table.ts.
import { type ColumnKind, readValue } from '#fairway/shared/csv/column-format'
import type { CsvRow } from '#fairway/shared/csv/read-csv'

export interface TableFile {
  /** The first row. */
  columns: string[]
  rows: string[][]
  /** The number of each row in the file. */
  numbers: number[]
  /** The rows that cannot be read, by their number in the file. */
  faults: { row: number; fault: NonNullable<CsvRow['fault']> }[]
}

/** A field that rows of a file may have. */
export interface ImportField {
  /** Its name in the input of the action. */
  name: string
  label: string
  isRequired?: boolean
}

const plain = (text: string): string =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '')

/** The most likely column of each field: one with its name or label, else one that contains it. Uses each column once. */
export function guessColumns(fields: readonly ImportField[], columns: readonly string[]): Record<string, number> {
  const guessed: Record<string, number> = {}
  const isFree = (index: number) => !Object.values(guessed).includes(index)
  const take = (fits: (column: string, names: string[]) => boolean) => {
    for (const { name, label } of fields) {
      if (guessed[name] !== undefined) continue
      const names = [plain(name), plain(label)].filter(text => text !== '')
      const columnIndex = columns.findIndex((column, index) => isFree(index) && fits(plain(column), names))
      if (columnIndex >= 0) guessed[name] = columnIndex
    }
  }
  take((column, names) => names.includes(column))
  take((column, names) => column.length > 2 && names.some(name => name.includes(column) || column.includes(name)))
  return guessed
}

/** How a column is read: as what, and in which of its formats. */
export interface ColumnFormat {
  kind: ColumnKind
  /** Undefined when the column does not tell. */
  format: string | undefined
}

/** The values of a row by field, from the chosen columns. */
export type ImportRow = Readonly<Record<string, string>>

/** The texts of the rows by field. */
export const toRows = (
  rows: readonly (readonly string[])[],
  chosen: Readonly<Record<string, number | undefined>>,
): ImportRow[] =>
  rows.map(row =>
    Object.fromEntries(
      Object.entries(chosen).flatMap(([name, index]) => (index === undefined ? [] : [[name, row[index] ?? '']])),
    ),
  )

/** A value that is not in the format of its column. Rows are counted from 0. */
export interface UnreadValue {
  row: number
  field: string
}

/** Converts texts to the form that the action takes, and returns the values that do not have the format of their column. */
export function readRows(
  rows: readonly ImportRow[],
  formats: Readonly<Record<string, ColumnFormat>>,
): { rows: ImportRow[]; unread: UnreadValue[] } {
  const unread: UnreadValue[] = []
  const read = (row: number, field: string, text: string): string => {
    const { kind, format } = formats[field] ?? {}
    if (!kind || format === undefined || text.trim() === '') return text
    const value = readValue(kind, format, text)
    if (value === undefined) unread.push({ row, field })
    return value ?? text
  }
  const values = rows.map((texts, row) =>
    Object.fromEntries(Object.entries(texts).map(([field, text]) => [field, read(row, field, text)])),
  )
  return { rows: values, unread }
}
