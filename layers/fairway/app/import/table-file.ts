// A spreadsheet file as rows of strings, and the mapping of its columns to fields. Parsing is in read-table.ts.
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
      const found = columns.findIndex((column, index) => isFree(index) && fits(plain(column), names))
      if (found >= 0) guessed[name] = found
    }
  }
  take((column, names) => names.includes(column))
  take((column, names) => column.length > 2 && names.some(name => name.includes(column) || column.includes(name)))
  return guessed
}

/** The rows in the form of the action's input. */
export const toRows = (
  rows: readonly (readonly string[])[],
  chosen: Readonly<Record<string, number | undefined>>,
): Record<string, string>[] =>
  rows.map(row =>
    Object.fromEntries(
      Object.entries(chosen).flatMap(([name, index]) => (index === undefined ? [] : [[name, row[index] ?? '']])),
    ),
  )
