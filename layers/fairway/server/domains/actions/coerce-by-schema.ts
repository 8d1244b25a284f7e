// The command line loads this file without the rest of the server.
import { jsonOf } from '#fairway/server/kernel/declaration'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { isRecord } from '#fairway/shared/record'

/** Converts texts to the types of a JSON Schema. A text that does not convert stays a text. Throws for a value that is given twice. */
export function coerceBySchema(schema: unknown, entries: Iterable<[string, string]>): Record<string, unknown> {
  const properties = isRecord(schema) && isRecord(schema.properties) ? schema.properties : {}
  const values = new Map<string, string[]>()
  for (const [rawName, value] of entries) {
    const name = rawName.replace(/\[\]$/, '')
    const texts = values.get(name)
    if (texts) texts.push(value)
    else values.set(name, [value])
  }
  return Object.fromEntries(
    [...values].map(([name, texts]) => [
      name,
      coerce(name, Object.hasOwn(properties, name) ? properties[name] : {}, texts),
    ]),
  )
}

function coerce(name: string, schema: unknown, texts: string[]): unknown {
  const kinds = kindsOf(schema)
  if (kinds.has('array')) {
    const itemKinds = kindsOf(itemsOf(schema))
    return texts.map(text => coerceText(itemKinds, text))
  }
  if (texts.length > 1)
    throw new AppError('invalid-input', { errors: [{ path: name, message: 'This was given twice.' }] })
  return coerceText(kinds, texts[0] ?? '')
}

const NUMBER = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/
const booleans = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
])

function coerceText(kinds: Set<string>, text: string): unknown {
  if (kinds.has('boolean') && booleans.has(text)) return booleans.get(text)
  if ((kinds.has('number') || kinds.has('integer')) && NUMBER.test(text)) return Number(text)
  if (kinds.has('null') && !kinds.has('string') && text === 'null') return null
  return kinds.has('object') && text.startsWith('{') ? (jsonOf(text) ?? text) : text
}

/** All types that a schema accepts, including its alternatives. */
export function kindsOf(schema: unknown): Set<string> {
  if (!isRecord(schema)) return new Set()
  const types = Array.isArray(schema.type)
    ? schema.type.map(String)
    : typeof schema.type === 'string'
      ? [schema.type]
      : []
  const alternatives = [schema.anyOf, schema.oneOf, schema.allOf].flatMap(list => (Array.isArray(list) ? list : []))
  return new Set([...types, ...alternatives.flatMap(part => [...kindsOf(part)])])
}

function itemsOf(schema: unknown): unknown {
  if (!isRecord(schema)) return {}
  if (schema.items) return schema.items
  const parts = [schema.anyOf, schema.oneOf].flatMap(list => (Array.isArray(list) ? list : []))
  return parts.map(itemsOf).find(items => isRecord(items) && Object.keys(items).length > 0) ?? {}
}
