// The native library hands over each value of each row for itself, which costs as much as reading it. SQLite writes all rows of a
// statement as one JSON text in half of that time; where JSON cannot tell a value exactly, the rows are fetched as ever.
import type NativeDatabase from 'libsql'

/** The rows of a SELECT with these arguments; undefined where JSON does not hold one of the values. */
type JsonRows = (args: unknown) => unknown[][] | undefined

/** Fewer rows are fetched as fast by themselves, and many more would be a large text. */
export const isWorthJson = (rows: number): boolean => rows >= 8 && rows <= 1000

// What JSON functions give may be taken for JSON, not for text; what a view made so comes out of it as text.
const HAS_JSON = /json|->/i
const MOST_COLUMNS = 100
const isText = (type: string): boolean => /char|clob|text/i.test(type)

/** A SELECT whose rows come as one text; undefined where a column may hold what JSON cannot tell exactly. */
export function jsonRows(database: NativeDatabase.Database, sql: string): JsonRows | undefined {
  if (HAS_JSON.test(sql)) return undefined
  const types = database
    .prepare(sql)
    .columns()
    .map(({ type }) => type)
  // SQLite writes 15 digits of a real number, and refuses bytes.
  if (types.length > MOST_COLUMNS || types.some(type => type && !/int/i.test(type) && !isText(type))) return undefined
  const names = types.map((_, index) => `c${index}`)
  const numbers = [...types.keys()].filter(index => !isText(types[index] ?? ''))
  const reals = numbers.map(index => `typeof(c${index}) = 'real'`).join(' or ') || '0'
  const statement = database
    .prepare(
      `with r(${names.join(', ')}) as (\n${sql}\n) select json_group_array(json_array(${names.join(', ')})), sum(${reals}) from r`,
    )
    .raw(true)
  return args => {
    const [[text, real] = []] = statement.all(args) as [string, number | null][]
    // The native library ends a text at its first NUL, and what is read must not depend on how many rows there are.
    if (!text || real || text.includes(String.raw`\u0000`)) return undefined
    const rows = JSON.parse(text) as unknown[][]
    return rows.every(row => numbers.every(index => isExact(row[index]))) ? rows : undefined
  }
}

const isExact = (value: unknown): boolean => typeof value !== 'number' || Number.isSafeInteger(value)
