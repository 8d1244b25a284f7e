// Reads the tables of a SQLite database, and which values each column has: a declared type says little about them.
import { quoteName } from '../../server/kernel/database/sql-text'
import type { Snapshot } from './snapshot'
import { readTable, type TableText } from './sql-tokens'

export interface Column {
  name: string
  type: 'bigint' | 'numeric' | 'double precision' | 'text' | 'bytea'
  /** The types of its values when they have several, so that their own type is lost. */
  mixed: string[]
  isNotNull: boolean
  isGenerated: boolean
  /** The default as written. */
  standard: string | null
  /** The place in the primary key, from 1; 0 outside of the key. */
  place: number
  withReals: number
  /** How many of its texts contain NUL. */
  withNul: number
}

export interface Table {
  name: string
  columns: Column[]
  /** The names of the primary key's columns, in order. */
  key: string[]
  rows: number
  /** How many rows are read at once. */
  pageRows: number
  /** What rows are read by: the row ID or the primary key, quoted. */
  order: string[]
  text: TableText
}

/** Something of the schema that is no table: an index, a view, a trigger or a virtual table. */
export interface OtherObject {
  kind: string
  name: string
  table: string
  sql: string
}

/** Finds a table or a column: SQLite ignores the case of names. */
export const byName = <T extends { name: string }>(all: readonly T[], name: string): T | undefined =>
  all.find(each => each.name.toLowerCase() === name.toLowerCase())

const PAGE_BYTES = 2_000_000
const MOST_PAGE_ROWS = 2000

/** Reads all tables with the types of their values, and the other objects. `onTable` hears of each table before it is read. */
export async function readTables(
  { read }: Snapshot,
  onTable: (name: string) => void,
): Promise<{ tables: Table[]; others: OtherObject[] }> {
  const rows = await read(
    `select iif(s.type = 'table', l.type, s.type), s.name, s.tbl_name, s.sql, l.wr from sqlite_schema s
     left join pragma_table_list l on l.schema = 'main' and l.name = s.name where s.name not like 'sqlite\\_%' escape '\\'`,
  )
  const tables: Table[] = []
  const others: OtherObject[] = []
  for (const [type, ...rest] of rows) {
    const [name = '', table = '', sql = ''] = rest.map(String)
    if (type !== 'table') others.push({ kind: String(type), name, table, sql })
    else {
      onTable(name)
      tables.push(await readOne(read, { name, sql, isWithoutRowid: rest[3] === 1n }))
    }
  }
  return { tables, others }
}

async function readOne(
  read: Snapshot['read'],
  { name, sql, isWithoutRowid }: { name: string; sql: string; isWithoutRowid: boolean },
): Promise<Table> {
  const info = await read('select name, type, "notnull", dflt_value, pk, hidden from pragma_table_xinfo(?)', [name])
  const names = info.map(([column]) => quoteName(String(column)))
  const size = names.map(column => `ifnull(octet_length(${column}), 0)`).join('+')
  const [[rows, bytes, ...counts] = []] = await read(
    `select count(*), max(${size}), ${names.map(countsOf).join(', ')} from ${quoteName(name)}`,
  )
  const columns = info.map(([column, declared, isNotNull, standard = null, place, hidden], i): Column => {
    const stored = counts.slice(i * COUNTS, (i + 1) * COUNTS).map(Number)
    return {
      name: String(column),
      ...typeOf(String(declared).toUpperCase(), stored),
      isNotNull: isNotNull === 1n,
      isGenerated: Number(hidden) > 1,
      standard: standard === null ? null : String(standard),
      place: Number(place),
      withReals: stored[1] ?? 0,
      withNul: stored.at(-1) ?? 0,
    }
  })
  const key = columns.filter(({ place }) => place > 0).toSorted((a, b) => a.place - b.place)
  const rowid = ['rowid', '_rowid_', 'oid'].find(alias => !byName(columns, alias))
  return {
    name,
    columns,
    key: key.map(column => column.name),
    rows: Number(rows),
    pageRows: Math.max(1, Math.min(MOST_PAGE_ROWS, Math.floor(PAGE_BYTES / (Number(bytes) + 1)))),
    order: isWithoutRowid || !rowid ? key.map(column => quoteName(column.name)) : [rowid],
    text: readTable(sql),
  }
}

const COUNTS = 5

const countsOf = (column: string): string =>
  ["= 'integer'", "= 'real'", "= 'text'", "= 'blob'", `= 'text' and instr(${column}, char(0))`]
    .map(condition => `count(*) filter (where typeof(${column}) ${condition})`)
    .join(', ')

/** The declared types of SQLite, of which a part of the name decides. */
const DECLARED: [RegExp, Column['type']][] = [
  [/NUMERIC|DECIMAL/, 'numeric'],
  [/INT|BOOL/, 'bigint'],
  [/REAL|FLOA|DOUB/, 'double precision'],
  [/BLOB/, 'bytea'],
]

/** The type that holds every value; of an empty column, the declared one. Flags and times stay the integers that they are. */
function typeOf(declared: string, stored: readonly number[]): Pick<Column, 'type' | 'mixed'> {
  const declaredType = DECLARED.find(([part]) => part.test(declared))?.[1] ?? 'text'
  const [integers, reals, texts, blobs] = stored.map(count => count > 0)
  const kinds = Object.entries({ numbers: integers || reals, texts, blobs }).filter(([, isThere]) => isThere)
  const mixed = kinds.length > 1 ? kinds.map(([kind]) => kind) : []
  if (kinds.length === 0) return { type: declaredType, mixed }
  if (blobs) return { type: 'bytea', mixed }
  if (texts) return { type: 'text', mixed }
  if (declaredType === 'numeric' || (integers && reals)) return { type: 'numeric', mixed }
  return { type: reals ? 'double precision' : 'bigint', mixed }
}
