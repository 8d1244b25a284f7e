import type { Migration } from './migration'

const BREAKPOINT = '--> statement-breakpoint'
/** What of a statement is no keyword: texts, quoted names and comments. */
export const QUOTED_OR_COMMENT = /'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]|--[^\n]*|\/\*[\s\S]*?\*\//g
const TRIGGER = /^\s*create\s+(?:temp\s+|temporary\s+)?trigger\b/i
const AFTER_TRIGGER = /\bend\s*;\s*(?:create|drop|alter)\b/i

/** The statements of a migration; throws where one part holds two, because a driver would run only the first of them. */
export function splitStatements({ name, sql }: Migration): string[] {
  const parts = sql.split(BREAKPOINT).filter(part => bare(part).trim() !== '')
  const double = parts.find(holdsTwo)
  if (double)
    throw new Error(`migration ${name}: put "${BREAKPOINT}" between two statements, after ${firstLine(double)}`)
  return parts
}

// What is left tells structure only: no text, no names, no comments.
const bare = (part: string): string => part.replace(QUOTED_OR_COMMENT, match => (/^(--|\/\*)/.test(match) ? ' ' : 'x'))

function holdsTwo(part: string): boolean {
  const text = bare(part)
  return TRIGGER.test(text) ? AFTER_TRIGGER.test(text) : /;\s*[^\s;]/.test(text)
}

const firstLine = (part: string): string => JSON.stringify(part.trim().split('\n', 1)[0])
