// Folding in SQL. No store of libSQL takes functions or collations of ours, and its parser nests `replace` only some thirty times.
// One recursive query therefore replaces each different character of a text by its row of `fw_folds`.
import { getTableColumns, is, SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { FOLDS, foldText, MOST_CHARACTERS, PLAIN } from '#fairway/shared/fold-text'
import { literal } from '../database/sql-text'
import { FOLDED_ENDING, FOLDED_TYPE } from '../field-types'

const ASCII = (text: string): string => `length(${text}) = octet_length(${text})`

/** The expression for `foldText` of a text. */
export function foldedSql(text: string): string {
  const plain = literal(PLAIN)
  const next = 'substr(rest, 1, 1)'
  return `case when ${ASCII(text)} then lower(${text}) else coalesce((with recursive fw_fold(n, rest, done) as (
    select 0, ltrim(${text}, ${plain}), lower(${text}) union all
    select n + 1, ltrim(replace(rest, ${next}, ''), ${plain}), coalesce(replace(done, f.character, f.folded), done)
    from fw_fold left join fw_folds f on f.character = ${next} where rest <> '' and n < ${MOST_CHARACTERS})
    select done from fw_fold where rest = ''), lower(${text})) end`
}

// Marks that folding removes, in few ranges because each takes time.
const MARKED = literal('*[\u0300-\u036f\u0483-\u05c7\u0610-\u061a\u0640\u064b-\u0670]*')

/**
 * The conditions that find a text which contains another one, folded. Their values are those of `toSought`. The first skips most
 * texts at a fraction of the cost of folding them.
 */
export const containsSql = (text: string) =>
  [
    `case when ${ASCII(text)} then 1 else ${text} glob ? or ${text} glob ${MARKED} end`,
    `instr(${foldedSql(text)}, ?) > 0`,
  ] as const

/** The values of `containsSql`: a pattern, and the folded text; undefined when folding removes every character. */
export function toSought(text: string): { pattern: string; folded: string } | undefined {
  const folded = foldText(text)
  return folded === '' ? undefined : { pattern: patternOf(folded), folded }
}

/** The longest text that a search takes. */
export const MOST_SOUGHT = 200

const MOST_CLASSES = 20

/** Two characters into which one may be folded, such as the `ss` of `ß`. */
const PAIRS: ReadonlySet<string> = new Set(
  [...FOLDS.values()].flatMap(text => Array.from({ length: text.length - 1 }, (_, at) => text.slice(at, at + 2))),
)

/** Every text without separate marks that contains this folded one matches the pattern of GLOB. */
function patternOf(folded: string): string {
  const classes = [...folded].slice(0, MOST_CLASSES).map((character, at, all) => {
    if (PAIRS.has(`${all[at - 1] ?? ''}${character}`)) return '*'
    return /[\p{L}\p{N}]/u.test(character) ? classOf(character) : '?'
  })
  return `*${classes.join('')}*`
}

const FOLDED_TO = new Map<string, string[]>()

/** The characters whose folded form has this one. The first search looks through all folds. */
function foldedTo(character: string): readonly string[] {
  if (FOLDED_TO.size === 0)
    for (const [other, folded] of FOLDS)
      for (const each of folded) FOLDED_TO.set(each, [...(FOLDED_TO.get(each) ?? []), other])
  return FOLDED_TO.get(character) ?? []
}

/** The class of GLOB with all characters whose folded form has this one. */
function classOf(character: string): string {
  const codes = [character, character.toUpperCase(), ...foldedTo(character)].map(one => one.codePointAt(0) ?? 0)
  const ranges: [number, number][] = []
  for (const code of [...new Set(codes)].toSorted((a, b) => a - b)) {
    const last = ranges.at(-1)
    if (last?.[1] === code - 1) last[1] = code
    else ranges.push([code, code])
  }
  return `[${ranges.map(range => [...new Set(range)].map(code => String.fromCodePoint(code)).join('-')).join('')}]`
}

/** The column that holds the folded text of a column, as `foldedText` declares it; undefined without one. */
export const foldedColumnOf = ({ table, name }: SQLiteColumn): SQLiteColumn | undefined =>
  Object.values(getTableColumns(table)).find(
    other => other.name === `${name}${FOLDED_ENDING}` && other.getSQLType() === FOLDED_TYPE,
  )

/**
 * Returns the condition that a column or expression contains a text. It ignores case and marks, and reads the column of
 * `foldedText` if there is one.
 */
export function containsText(column: SQLiteColumn | SQL, text: string): SQL {
  const sought = toSought(text)
  if (!sought) return sql`1`
  const foldedColumn = is(column, SQL) ? undefined : foldedColumnOf(column)
  if (foldedColumn) return sql`instr(${foldedColumn}, ${sought.folded}) > 0`
  const [first, second] = containsSql('\0')
  const filled = (text: string, value: string) =>
    sql.join(text.split(/([\0?])/).map(part => (part === '\0' ? column : part === '?' ? sql`${value}` : sql.raw(part))))
  return sql`(${filled(first, sought.pattern)} and ${filled(second, sought.folded)})`
}
