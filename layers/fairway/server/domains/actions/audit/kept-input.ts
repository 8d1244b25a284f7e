import { z } from 'zod'
import { redact } from '#fairway/server/kernel/events/log'
import { isRecord } from '#fairway/shared/record'

export interface AuditedInput {
  input: unknown
  /** The expected schema of the input; without it only the fields in `keeps` are kept. */
  schema?: z.ZodObject
  /** The fields that are kept unchanged. */
  keeps: readonly string[]
}

type JsonSchema = z.core.JSONSchema.BaseSchema
type Part = z.core.JSONSchema._JSONSchema | undefined

const TEXT = '[text]'
/** Replaces a value below the deepest level that a row keeps. */
const DEEP = '[deep]'
const MOST_LEVELS = 6
const MOST_CHARACTERS = 8000
const MOST_IN_ONE_TEXT = 200
const MOST_ITEMS = 100
/** Formats of strings that hold no free text. */
const FORMATS = new Set(['uuid', 'guid', 'date', 'date-time', 'time', 'duration'])

/**
 * Returns the part of an input that an audit row keeps, as JSON: numbers, booleans, and strings that the schema declares as ids,
 * enumerations or dates. Fields in `keeps` keep their text, cut to 200 characters. A list with more than 100 items keeps only
 * their number. Unknown fields and fields with the name of a secret are dropped.
 */
export function keptInput({ input, schema, keeps }: AuditedInput): string {
  const schemas = schema ? jsonSchemasOf(schema) : []
  const fields = Object.entries(isRecord(input) ? input : {}).flatMap(([name, value]) => {
    if (keeps.includes(name)) return [[name, value]]
    const parts = partsNamed(schemas, name)
    return parts.length > 0 ? [[name, withoutTexts(parts, value)]] : []
  })
  return JSON.stringify(redact(Object.fromEntries(fields)), cut).slice(0, MOST_CHARACTERS)
}

const cut = (_name: string, value: unknown): unknown =>
  typeof value === 'string' && value.length > MOST_IN_ONE_TEXT ? `${value.slice(0, MOST_IN_ONE_TEXT)}…` : value

const madeSchemas = new WeakMap<z.ZodObject, JsonSchema[]>()

// Both the input and the output schema are needed: `z.string().trim().pipe(z.enum([…]))` is an enumeration only in its output.
function jsonSchemasOf(schema: z.ZodObject): JsonSchema[] {
  const schemas = madeSchemas.get(schema) ?? (['input', 'output'] as const).map(io => jsonSchemaOf(schema, io))
  madeSchemas.set(schema, schemas)
  return schemas
}

const jsonSchemaOf = (schema: z.ZodObject, io: 'input' | 'output'): JsonSchema =>
  z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      // JSON has no dates: `z.coerce.date()` receives them as texts.
      if (zodSchema._zod.def.type === 'date') Object.assign(jsonSchema, { format: 'date-time', pattern: ISO_8601 })
    },
  })

const ISO_8601 = String.raw`^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?$`

function withoutTexts(schemas: JsonSchema[], value: unknown, level = 1): unknown {
  if (typeof value === 'string') return schemas.some(schema => isNoText(schema, value)) ? value : TEXT
  if (Array.isArray(value)) {
    if (value.length > MOST_ITEMS) return `[${value.length} items]`
    const items = schemas.flatMap(({ items: rest, prefixItems = [] }) => [...prefixItems, ...[rest].flat()])
    if (level > MOST_LEVELS) return DEEP
    return value.map(item => withoutTexts(items.flatMap(alternatives), item, level + 1))
  }
  if (!isRecord(value)) return value
  if (level > MOST_LEVELS) return DEEP
  // The keys of a `z.record` are texts too.
  const members = Object.entries(value).flatMap(([name, item]) => {
    const parts = partsNamed(schemas, name)
    return parts.length > 0 ? [[name, withoutTexts(parts, item, level + 1)]] : []
  })
  return Object.fromEntries(members)
}

const isNoText = ({ enum: choices, const: only, format, pattern }: JsonSchema, value: string): boolean =>
  only === value ||
  choices?.includes(value) === true ||
  (format !== undefined && FORMATS.has(format) && pattern !== undefined && new RegExp(pattern, 'u').test(value))

const partsNamed = (schemas: JsonSchema[], name: string): JsonSchema[] =>
  schemas.flatMap(({ properties }) =>
    properties && Object.hasOwn(properties, name) ? alternatives(properties[name]) : [],
  )

function alternatives(schema: Part): JsonSchema[] {
  if (typeof schema !== 'object') return []
  const { anyOf = [], oneOf = [], allOf = [] } = schema
  return [schema, ...[...anyOf, ...oneOf, ...allOf].flatMap(alternatives)]
}
