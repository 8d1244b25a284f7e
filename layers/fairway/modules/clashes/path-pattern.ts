/** What one part of a path may be: this very text, any text, or any number of parts. */
const ANY = ':'
const REST = '**'

/** A path in the spelling of Nitro or of Vue Router, part by part. */
export type PathPattern = readonly string[]

/** Reads a path; what both spellings have beside names (`**:rest`, `:id()`, `:slug(.*)*`) is reduced to what it may be. */
export const toPattern = (path: string): PathPattern =>
  path
    .replaceAll(/\([^)]*\)/g, '')
    .split('/')
    .filter(part => part !== '')
    .map(part => {
      if (part.startsWith(REST) || (part.includes(ANY) && /[*+?]$/.test(part))) return REST
      return part.includes(ANY) || part === '*' ? ANY : part
    })

/** Whether one path may match both. */
export function overlap([a, ...afterA]: PathPattern, [b, ...afterB]: PathPattern): boolean {
  if (a === REST || b === REST) return true
  if (a === undefined || b === undefined) return a === b
  return (a === ANY || b === ANY || a === b) && overlap(afterA, afterB)
}

const rankOf = (part: string | undefined): number => [ANY, REST].indexOf(part ?? '')

/** Whether a router gives what both match to the first for certain: it takes text before anything else, part by part, and never turns back. */
export function comesFirst(a: PathPattern, b: PathPattern): boolean {
  const at = a.findIndex((part, index) => part !== b[index])
  return at === -1 ? b.length > a.length : rankOf(a[at]) < rankOf(b[at])
}

/** Whether it begins with text: such a path is meant for one place, others take whatever comes. */
export const isFixed = (pattern: PathPattern): boolean => pattern[0] !== ANY && pattern[0] !== REST
