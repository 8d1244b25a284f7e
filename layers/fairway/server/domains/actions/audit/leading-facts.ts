import { jsonOf } from '#fairway/server/kernel/declaration'

/** The names of the facts. No input has a field with such a name. */
type FactName = '$from' | '$changes'

/**
 * Puts a fact in front of the kept input of an audit row, so that the chain covers it and servers of both versions compute the
 * same hash. The values of the fact are no objects.
 */
export function putInFront(input: string, name: FactName, fact: Readonly<Record<string, unknown>>): string {
  // The kept input may be cut off, so its end is no place to search for. Without braces in texts, the fact has an end.
  const text = JSON.stringify(fact)
    .slice(1, -1)
    .replaceAll('{', String.raw`\u007b`)
    .replaceAll('}', String.raw`\u007d`)
  const rest = input.slice(1)
  return `{"${name}":{${text}}${rest === '}' ? '' : ','}${rest}`
}

/** Takes a fact out of the `input` of a row; undefined when the row has none. */
export function takeFromFront(input: string, name: FactName): { fact: unknown; input: string } | undefined {
  const start = `{"${name}":{`
  if (!input.startsWith(start)) return undefined
  const end = input.indexOf('}', start.length)
  const fact = jsonOf(input.slice(start.length - 1, end + 1))
  if (end < 0 || fact === undefined) return undefined
  const rest = input.slice(end + 1)
  return { fact, input: `{${rest.startsWith(',') ? rest.slice(1) : rest}` }
}
