// A file of a spreadsheet as rows of texts, and which of its columns is which field. How it is read is in read-table.ts.
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
