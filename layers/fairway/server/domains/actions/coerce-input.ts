import { z } from 'zod'
import { jsonOf } from '#fairway/server/kernel/declaration'
import { AppError } from '#fairway/server/kernel/http/app-error'
import type { Action } from './action'
import type { ColumnKind } from '#fairway/shared/csv/column-format'
import { minorUnits } from '#fairway/shared/money'
import { isRecord } from '#fairway/shared/record'

type JsonSchema = z.core.JSONSchema.BaseSchema

/**
 * Converts texts (a query, command-line options) to the types of the action's schema. A text that does not convert stays a text
 * and fails the validation.
 */
export const coerceInput = (action: Action, entries: Iterable<[string, string]>): Record<string, unknown> =>
  coerceBySchema(inputJsonSchema(action), entries)

/** Does the same with a JSON Schema from another source. */
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

const inputSchemas = new WeakMap<Action, JsonSchema>()

/** The JSON Schema of an action's input, created once for each action. */
export function inputJsonSchema(action: Action): JsonSchema {
  const schema = inputSchemas.get(action) ?? z.toJSONSchema(action.input, { io: 'input', unrepresentable: 'any' })
  inputSchemas.set(action, schema)
  return schema
}

/** Removes the keywords for our forms from a JSON Schema, because strict validators refuse unknown keywords. */
export function dropFormKeywords(schema: JsonSchema): void {
  delete schema.collection
  delete schema.collectionField
  delete schema.isMember
  delete schema.currency
  delete schema.upload
}

/** Returns an error for each file field of an action whose upload does not exist. */
export const unknownUploads = (action: Action, uploads: ReadonlySet<string>): string[] =>
  uploadsIn(inputJsonSchema(action))
    .filter(name => !uploads.has(name))
    .map(name => `input: there is no upload ${name}; server/uploads has ${[...uploads].join(', ') || 'none'}`)

/** Keywords whose values are data. */
const DATA = new Set(['default', 'const', 'enum', 'examples'])

/** The uploads that a JSON Schema names at any depth. */
function uploadsIn(schema: unknown): string[] {
  if (Array.isArray(schema)) return schema.flatMap(uploadsIn)
  if (!isRecord(schema)) return []
  const own = typeof schema.upload === 'string' ? [schema.upload] : []
  return [...own, ...Object.entries(schema).flatMap(([name, part]) => (DATA.has(name) ? [] : uploadsIn(part)))]
}

/** For each money field (`moneySchema`) of a JSON Schema, the number of minor units in one unit of its currency. */
export const moneyFieldsIn = (schema: JsonSchema): Map<string, number> => {
  const said = Object.entries(schema.properties ?? {}).map(([name, property]) => {
    const part = alternativesOf(property).find(({ currency }) => currency !== undefined)
    return [name, part?.currency] as const
  })
  return new Map(said.flatMap(([name, code]) => (code === undefined ? [] : [[name, minorUnits(String(code))]])))
}

/** The fields of a JSON Schema that take numbers, booleans, dates or times. */
export function columnKindsIn(schema: JsonSchema): Record<string, ColumnKind> {
  const kinds = Object.entries(schema.properties ?? {}).map(
    ([name, property]) => [name, columnKindOf(property)] as const,
  )
  return Object.fromEntries(kinds.flatMap(([name, kind]) => (kind ? [[name, kind]] : [])))
}

const KINDS_BY_FORMAT: Readonly<Record<string, ColumnKind>> = { date: 'date', 'date-time': 'datetime' }

function columnKindOf(schema: unknown): ColumnKind | undefined {
  const kinds = kindsOf(schema)
  if (kinds.has('string')) return alternativesOf(schema).flatMap(part => KINDS_BY_FORMAT[String(part.format)] ?? [])[0]
  if (kinds.has('number') || kinds.has('integer')) return 'number'
  return kinds.has('boolean') ? 'boolean' : undefined
}

const alternativesOf = (schema: unknown): Record<string, unknown>[] =>
  isRecord(schema) ? [schema, ...[schema.anyOf, schema.oneOf, schema.allOf].flat().filter(isRecord)] : []

const namedSchema = z.object({ collection: z.string() })

/** Returns an error for each field of an action that names an unknown collection (`z.string().meta({ collection: 'books' })`). */
export const unknownCollections = (action: Action, collections: ReadonlySet<string>): string[] =>
  Object.values(inputJsonSchema(action).properties ?? {})
    .flatMap(property => namedSchema.safeParse(property).data?.collection ?? [])
    .filter(name => !collections.has(name))
    .map(name => `input: there is no collection ${name}; there are ${[...collections].join(', ') || 'none'}`)

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
function kindsOf(schema: unknown): Set<string> {
  if (!isRecord(schema)) return new Set()
  const own = Array.isArray(schema.type)
    ? schema.type.map(String)
    : typeof schema.type === 'string'
      ? [schema.type]
      : []
  const alternatives = [schema.anyOf, schema.oneOf, schema.allOf].flatMap(list => (Array.isArray(list) ? list : []))
  return new Set([...own, ...alternatives.flatMap(part => [...kindsOf(part)])])
}

function itemsOf(schema: unknown): unknown {
  if (!isRecord(schema)) return {}
  if (schema.items) return schema.items
  const parts = [schema.anyOf, schema.oneOf].flatMap(list => (Array.isArray(list) ? list : []))
  return parts.map(itemsOf).find(items => isRecord(items) && Object.keys(items).length > 0) ?? {}
}
