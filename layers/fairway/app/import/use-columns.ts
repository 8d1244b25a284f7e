import { type ColumnKind, inferFormat } from '#fairway/shared/csv/column-format'
import { type ColumnFormat, guessColumns, type ImportField, readRows, type TableFile, toRows } from './table-file'

/** What the user chooses for a file: the column of each field, and the format of columns that are no texts. */
export function useColumns(fields: () => readonly ImportField[]) {
  const table = shallowRef<TableFile>()
  const kinds = shallowRef<(field: string) => ColumnKind | undefined>(() => undefined)
  const chosen = ref<Record<string, number | undefined>>({})
  const chosenFormats = ref<Record<string, string | undefined>>({})

  const values = computed(() => toRows(table.value?.rows ?? [], chosen.value))
  const inferred = computed(() =>
    fields().flatMap(({ name }) => {
      const kind = chosen.value[name] === undefined ? undefined : kinds.value(name)
      return kind ? [{ name, kind, format: inferFormat(kind, valuesOf(name)) }] : []
    }),
  )
  const formats = computed<Readonly<Record<string, ColumnFormat>>>(() =>
    Object.fromEntries(
      inferred.value.map(({ name, kind, format }) => [name, { kind, format: chosenFormats.value[name] ?? format }]),
    ),
  )
  const read = computed(() => readRows(values.value, formats.value))
  const missing = computed(() =>
    fields().filter(({ name, isRequired }) => isRequired && chosen.value[name] === undefined),
  )
  const isUndecided = computed(() => Object.values(formats.value).some(({ format }) => format === undefined))

  /** The filled values of a field, in the order of the rows. */
  const valuesOf = (name: string): string[] =>
    values.value.map(row => row[name] ?? '').filter(text => text.trim() !== '')

  /** Starts over with a file, or without one. */
  function open(file?: TableFile, kindOf: (field: string) => ColumnKind | undefined = () => undefined): void {
    table.value = file
    kinds.value = kindOf
    chosenFormats.value = {}
    chosen.value = guessColumns(fields(), file?.columns ?? [])
  }

  function chooseColumn(name: string, index: number): void {
    chosen.value = { ...chosen.value, [name]: index < 0 ? undefined : index }
    chooseFormat(name, undefined)
  }

  function chooseFormat(name: string, format: string | undefined): void {
    chosenFormats.value = { ...chosenFormats.value, [name]: format }
  }

  return { table, chosen, values, formats, read, missing, isUndecided, valuesOf, open, chooseColumn, chooseFormat }
}
