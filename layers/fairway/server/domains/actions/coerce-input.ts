import { z } from 'zod'
import type { Action } from './action'
import { coerceBySchema, kindsOf } from './coerce-by-schema'
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
  const uploads = typeof schema.upload === 'string' ? [schema.upload] : []
  return [...uploads, ...Object.entries(schema).flatMap(([name, part]) => (DATA.has(name) ? [] : uploadsIn(part)))]
}

/** For each money field (`moneySchema`) of a JSON Schema, the number of minor units in one unit of its currency. */
export const moneyFieldsIn = (schema: JsonSchema): Map<string, number> => {
  const said = Object.entries(schema.properties ?? {}).map(([name, property]) => {
    const part = alternativesOf(property).find(({ currency }) => currency !== undefined)
    return [name, part?.currency] as const
  })
  return new Map(said.flatMap(([name, code]) => (code === undefined ? [] : [[name, minorUnits(String(code))]])))
}

/** The fields of a JSON Schema that name a team (`teamSchema`). */
export const teamFieldsIn = ({ properties = {} }: JsonSchema): string[] =>
  Object.keys(properties).filter(name =>
    alternativesOf(properties[name]).some(({ collection }) => collection === 'organization-teams'),
  )

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
