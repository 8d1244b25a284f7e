import * as z from 'zod/mini'

/** One field of a JSON schema, for display. */
export interface SchemaField {
  /** Its path, for example `notes[].title`. */
  path: string
  /** For example `string`, `list of number`, or `string or null`. */
  type: string
  isRequired: boolean
  description?: string
  /** Its constraints, for example `1 to 200 characters`, as keys of texts with their values. */
  limits: SchemaLimit[]
}

export interface SchemaLimit {
  key: 'oneOf' | 'min' | 'max' | 'minLength' | 'maxLength' | 'maxItems' | 'format' | 'default'
  value: string
}

const MAX_DEPTH = 3

const node = z.object({
  type: z.optional(z.union([z.string(), z.array(z.string())])),
  description: z.optional(z.string()),
  properties: z.optional(z.record(z.string(), z.unknown())),
  required: z.optional(z.array(z.string())),
  items: z.optional(z.unknown()),
  anyOf: z.optional(z.array(z.unknown())),
  enum: z.optional(z.array(z.unknown())),
  const: z.optional(z.unknown()),
  default: z.optional(z.unknown()),
  format: z.optional(z.string()),
  minimum: z.optional(z.number()),
  maximum: z.optional(z.number()),
  minLength: z.optional(z.number()),
  maxLength: z.optional(z.number()),
  maxItems: z.optional(z.number()),
  writeOnly: z.optional(z.boolean()),
  collection: z.optional(z.string()),
  collectionField: z.optional(z.string()),
  upload: z.optional(z.string()),
})
export type SchemaNode = z.infer<typeof node>

/** The fields of an object's schema in order. Nested fields follow their parent. */
export const toSchemaFields = (schema: unknown): SchemaField[] => fieldsOf(readSchema(schema), '', 0)

function fieldsOf(parent: SchemaNode, prefix: string, depth: number): SchemaField[] {
  if (depth >= MAX_DEPTH) return []
  return Object.entries(parent.properties ?? {}).flatMap(([name, child]) => {
    const field = readSchema(child)
    const path = prefix + name
    const inner = innerOf(field)
    return [
      {
        path,
        type: typeOf(field),
        isRequired: parent.required?.includes(name) === true && field.default === undefined,
        description: field.description,
        limits: limitsOf(field),
      },
      ...(inner ? fieldsOf(inner.node, `${path}${inner.sign}`, depth + 1) : []),
    ]
  })
}

/** The object in a field, in its list, or beside null. */
function innerOf(field: SchemaNode): { node: SchemaNode; sign: string } | undefined {
  if (field.properties) return { node: field, sign: '.' }
  const items = field.items === undefined ? undefined : readSchema(field.items)
  if (items?.properties) return { node: items, sign: '[].' }
  const [only, ...others] = (field.anyOf ?? []).map(readSchema).filter(option => option.type !== 'null')
  return only && others.length === 0 ? innerOf(only) : undefined
}

function typeOf(field: SchemaNode): string {
  if (field.anyOf) return [...new Set(field.anyOf.map(option => typeOf(readSchema(option))))].join(' | ')
  if (field.const !== undefined) return JSON.stringify(field.const)
  const type = Array.isArray(field.type) ? field.type.join(' | ') : field.type
  if (type === 'array') return field.items === undefined ? 'array' : `${typeOf(readSchema(field.items))}[]`
  return type ?? (field.enum ? 'string' : 'any')
}

function limitsOf(field: SchemaNode): SchemaLimit[] {
  const only = field.anyOf?.map(readSchema).filter(option => option.type !== 'null')
  const source = only?.length === 1 && only[0] ? { ...field, ...only[0] } : field
  const limits: [SchemaLimit['key'], unknown][] = [
    ['oneOf', source.enum?.map(String).join(', ')],
    ['min', isWide(source.minimum) ? undefined : source.minimum],
    ['max', isWide(source.maximum) ? undefined : source.maximum],
    ['minLength', source.minLength],
    ['maxLength', source.maxLength],
    ['maxItems', source.maxItems],
    ['format', source.format],
    ['default', field.default === undefined ? undefined : JSON.stringify(field.default)],
  ]
  return limits.flatMap(([key, value]) => (value === undefined ? [] : [{ key, value: String(value) }]))
}

/** Whole numbers have the limits of the language, which are not worth showing. */
const isWide = (limit: number | undefined): boolean =>
  limit !== undefined && !(Math.abs(limit) < Number.MAX_SAFE_INTEGER)

/** Reads a schema or a part of one. Returns an empty object for anything else. */
export const readSchema = (schema: unknown): SchemaNode => node.safeParse(schema).data ?? {}

/** Reads `anyOf: [x, null]` and `type: [x, 'null']` as x, because an empty field means the same. */
export function withoutNull(schema: unknown): SchemaNode {
  const parsed = readSchema(schema)
  const others = parsed.anyOf?.filter(option => readSchema(option).type !== 'null')
  if (others?.length === 1) return { ...parsed, ...withoutNull(others[0]), anyOf: undefined }
  if (Array.isArray(parsed.type)) {
    const types = parsed.type.filter(type => type !== 'null')
    return { ...parsed, type: types.length === 1 ? types[0] : undefined }
  }
  return parsed
}
