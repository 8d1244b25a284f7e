import { z } from 'zod'
import { jsonOf } from '#fairway/server/kernel/declaration'
import { AppError } from '#fairway/server/kernel/http/app-error'
import type { Action } from './action'
import { minorUnits } from '#fairway/shared/money'
import { isRecord } from '#fairway/shared/record'

type JsonSchema = z.core.JSONSchema.BaseSchema

/** Gives texts (a query, command-line options) the kinds that the action's schema wants; what does not fit stays text and fails the schema. */
export const coerceInput = (action: Action, entries: Iterable<[string, string]>): Record<string, unknown> =>
  coerceBySchema(inputJsonSchema(action), entries)

/** The same for a JSON Schema that came from elsewhere. */
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

/** The JSON Schema of what an action accepts, made once for each action. */
export function inputJsonSchema(action: Action): JsonSchema {
  const schema = inputSchemas.get(action) ?? z.toJSONSchema(action.input, { io: 'input', unrepresentable: 'any' })
  inputSchemas.set(action, schema)
  return schema
}

/** Removes what only our own forms read from a JSON Schema: strict validators refuse keywords that they do not know. */
export function dropFormKeywords(schema: JsonSchema): void {
  delete schema.collection
  delete schema.collectionField
  delete schema.isMember
  delete schema.currency
  delete schema.upload
}

const memberFields = new WeakMap<Action, string[]>()

/** The fields of an action's input that take a member of the organization (`personSchema`). */
export function memberFieldsOf(action: Action): readonly string[] {
  const found = memberFields.get(action) ?? memberFieldsIn(inputJsonSchema(action))
  memberFields.set(action, found)
  return found
}

/** The fields of a JSON Schema that take a member of the organization. */
export const memberFieldsIn = (schema: JsonSchema): string[] => [...keywordsIn(schema, 'isMember').keys()]

const uploadFields = new WeakMap<Action, ReadonlyMap<string, string>>()

/** The fields of an action's input that take files (`fileSchema`, `filesSchema`), each with its upload. */
export function uploadFieldsOf(action: Action): ReadonlyMap<string, string> {
  const made = () =>
    new Map([...keywordsIn(inputJsonSchema(action), 'upload')].map(([name, upload]) => [name, String(upload)]))
  const found = uploadFields.get(action) ?? made()
  uploadFields.set(action, found)
  return found
}

/** What is wrong where a field of an action takes files of an upload that is none of these. */
export const unknownUploads = (action: Action, uploads: ReadonlySet<string>): string[] =>
  [...uploadFieldsOf(action).values()]
    .filter(name => !uploads.has(name))
    .map(name => `input: there is no upload ${name}; server/uploads has ${[...uploads].join(', ') || 'none'}`)

/** How many of its smallest units make one of the currency, of the fields of a JSON Schema that hold money (`moneySchema`). */
export const moneyFieldsIn = (schema: JsonSchema): Map<string, number> =>
  new Map([...keywordsIn(schema, 'currency')].map(([name, currency]) => [name, minorUnits(String(currency))]))

/** What the fields of a JSON Schema say by a keyword of ours; those that say nothing are left out. */
function keywordsIn(schema: JsonSchema, keyword: 'isMember' | 'currency' | 'upload'): Map<string, unknown> {
  const said = Object.entries(schema.properties ?? {}).map(([name, property]) => {
    const parts = isRecord(property) ? [property, ...(Array.isArray(property.anyOf) ? property.anyOf : [])] : []
    return [name, parts.find(part => isRecord(part) && part[keyword] !== undefined)?.[keyword]] as const
  })
  return new Map(said.filter(([, value]) => value !== undefined))
}

const namedSchema = z.object({ collection: z.string() })

/** What is wrong where a field of an action chooses from a collection (`z.string().meta({ collection: 'books' })`) that is none of these. */
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

/** All kinds that a schema accepts, through its alternatives. */
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
