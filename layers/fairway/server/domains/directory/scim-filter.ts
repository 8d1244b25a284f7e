// Filters as directories really send them: `eq`, joined by `and` (RFC 7644 §3.4.2.2). One pass over at most 1,000 characters.
import { ScimError } from './scim-error'

/** One comparison: an attribute in lower case, and a value as text. */
export interface Comparison {
  attribute: string
  value: string
}

const MOST_CHARACTERS = 1000
// `emails[type eq "work"].value` counts as one attribute. A value is a JSON string, or a word without quotes.
const COMPARISON = /\s*([\w$:.-]+(?:\[[^\]]{0,200}\](?:\.\w+)?)?)\s+eq\s+("(?:[^"\\]|\\.)*"|[^\s()"]+)\s*/iy
const AND = /and\s/iy

/** Reads a filter. Throws ScimError `invalidFilter` with what is supported. */
export function parseFilter(filter: string): Comparison[] {
  if (filter.length > MOST_CHARACTERS) throw unsupported('it is too long')
  const comparisons: Comparison[] = []
  let at = 0
  while (true) {
    COMPARISON.lastIndex = at
    const match = COMPARISON.exec(filter)
    if (!match) throw unsupported('use comparisons such as userName eq "ada@example.com"')
    const [, attribute = '', value = ''] = match
    comparisons.push({ attribute: attribute.toLowerCase(), value: toText(value) })
    at = COMPARISON.lastIndex
    if (at >= filter.length) return comparisons
    AND.lastIndex = at
    if (!AND.test(filter)) throw unsupported('join comparisons by “and”')
    at = AND.lastIndex
  }
}

function toText(value: string): string {
  if (!value.startsWith('"')) return value
  try {
    return String(JSON.parse(value))
  } catch {
    throw unsupported('a text is not closed')
  }
}

const unsupported = (reason: string): ScimError =>
  new ScimError(`This filter is not supported: ${reason}.`, 'invalidFilter')
