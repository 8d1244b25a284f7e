import type { InArgs, InStatement } from '@libsql/client'

/** The text of a statement. */
export const textOf = (statement: InStatement): string => (typeof statement === 'string' ? statement : statement.sql)

/** A statement with its arguments, which may be given beside its text. */
export const withArgs = (statement: InStatement, args?: InArgs): Exclude<InStatement, string> =>
  typeof statement === 'string' ? { sql: statement, args } : statement

/** Returns a statement of a batch with its arguments, from every accepted form. */
export const toStatement = (statement: InStatement | [sql: string, args?: InArgs]): InStatement =>
  Array.isArray(statement) ? { sql: statement[0], args: statement[1] } : statement

/** Quotes an identifier for SQL, with any characters in it. */
export const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** Quotes a text for SQL. */
export const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`

// One pattern: a text may hold what looks like a comment, and a comment what looks like a text.
const QUOTED_OR_COMMENT = /('(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\])|--[^\n]*|\/\*[\s\S]*?\*\//g
const READING = /^\s*(?:select|values|explain)\b/i
const READING_WITH = /^\s*with\b(?![\s\S]*(?:\b(?:insert|replace)\s+(?:or\s+\w+\s+)?into\b|\b(?:update|delete)\s))/i

/** Returns whether a statement may write; what is no plain read counts as a write. */
export function mayWrite(sql: string): boolean {
  if (READING.test(sql)) return false
  const plain = sql.replaceAll(QUOTED_OR_COMMENT, (_all, quoted?: string) => (quoted ? "''" : ' '))
  return !READING.test(plain) && !READING_WITH.test(plain)
}
