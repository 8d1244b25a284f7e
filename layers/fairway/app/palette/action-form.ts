import * as z from 'zod/mini'

type FieldKind = 'text' | 'long-text' | 'number' | 'switch' | 'choice' | 'list' | 'json'

/** One field of the form that is made from an action's input schema. */
export interface ActionField {
  name: string
  kind: FieldKind
  isRequired: boolean
  description?: string
  /** The values of a choice, as text; `isText` says whether they are sent as text or as JSON values. */
  options?: string[]
  /** Whether the value, or each line of a list, is text; else it is read as JSON (numbers, true, false). */
  isText: boolean
  initial?: unknown
}

const LONG_TEXT = 300

const propertySchema = z.object({
  type: z.optional(z.union([z.string(), z.array(z.string())])),
  description: z.optional(z.string()),
  enum: z.optional(z.array(z.union([z.string(), z.number(), z.boolean(), z.null()]))),
  default: z.optional(z.unknown()),
  maxLength: z.optional(z.number()),
  items: z.optional(z.unknown()),
  anyOf: z.optional(z.array(z.unknown())),
})
type Property = z.infer<typeof propertySchema>

const objectSchema = z.object({
  properties: z._default(z.record(z.string(), z.unknown()), {}),
  required: z._default(z.array(z.string()), []),
})

/** The fields for the input schema of an action, in its order; what has no field of its own is typed as JSON. */
export function toFields(inputSchema: unknown): ActionField[] {
  const { data } = objectSchema.safeParse(inputSchema ?? {})
  if (!data) return []
  return Object.entries(data.properties).map(([name, property]) =>
    toField(name, property, data.required.includes(name)),
  )
}

function toField(name: string, schema: unknown, isRequired: boolean): ActionField {
  const property = withoutNull(schema)
  const base = {
    name,
    isRequired: isRequired && property.default === undefined,
    description: property.description,
    initial: property.default,
  }
  if (property.enum) {
    return {
      ...base,
      kind: 'choice',
      options: property.enum.map(String),
      isText: property.enum.every(value => typeof value === 'string'),
    }
  }
  switch (property.type) {
    case 'string':
      return { ...base, kind: (property.maxLength ?? 0) > LONG_TEXT ? 'long-text' : 'text', isText: true }
    case 'number':
    case 'integer':
      return { ...base, kind: 'number', isText: false }
    case 'boolean':
      // A switch cannot say “not given”, so an optional one without a default is a choice.
      return isRequired || property.default !== undefined
        ? { ...base, kind: 'switch', isText: false }
        : { ...base, kind: 'choice', options: ['true', 'false'], isText: false }
    case 'array':
      return toListField(base, property)
    default:
      return { ...base, kind: 'json', isText: false }
  }
}

function toListField(base: Omit<ActionField, 'kind' | 'isText'>, property: Property): ActionField {
  const items = withoutNull(property.items)
  const isScalar = typeof items.type === 'string' && ['string', 'number', 'integer', 'boolean'].includes(items.type)
  return isScalar
    ? { ...base, kind: 'list', isText: items.type === 'string' }
    : { ...base, kind: 'json', isText: false }
}

/** Reads `anyOf: [x, null]` and `type: [x, 'null']` as x: leaving a field empty says the same. */
function withoutNull(schema: unknown): Property {
  const property = propertySchema.safeParse(schema).data ?? {}
  const others = property.anyOf?.filter(option => propertySchema.safeParse(option).data?.type !== 'null')
  if (others?.length === 1) return { ...property, ...withoutNull(others[0]), anyOf: undefined }
  if (Array.isArray(property.type)) {
    const types = property.type.filter(type => type !== 'null')
    return { ...property, type: types.length === 1 ? types[0] : undefined }
  }
  return property
}

/** What the form holds for each field: text for everything but switches. */
type FieldValues = Record<string, string | boolean>

type ReadInput =
  | { input: Record<string, unknown>; faults?: undefined }
  | { faults: Record<string, 'not-a-number' | 'not-json'>; input?: undefined }

/** The values that a new form starts with: the defaults of the schema. */
export const initialValues = (fields: readonly ActionField[]): FieldValues =>
  Object.fromEntries(fields.map(field => [field.name, initialValue(field)]))

function initialValue({ kind, initial, isText }: ActionField): string | boolean {
  if (kind === 'switch') return initial === true
  if (initial === undefined || initial === null) return ''
  if (kind === 'list' && Array.isArray(initial)) return initial.map(String).join('\n')
  return isText ? String(initial) : JSON.stringify(initial, undefined, 2)
}

/** The input that the form stands for; empty optional fields are left out. Only what cannot be written as JSON is a fault here. */
export function readInput(fields: readonly ActionField[], values: FieldValues): ReadInput {
  const input: Record<string, unknown> = {}
  const faults: Record<string, 'not-a-number' | 'not-json'> = {}
  for (const field of fields) {
    const value = values[field.name] ?? ''
    if (isLeftOut(field, value)) continue
    try {
      input[field.name] = readValue(field, value)
    } catch {
      faults[field.name] = field.kind === 'number' ? 'not-a-number' : 'not-json'
    }
  }
  return Object.keys(faults).length > 0 ? { faults } : { input }
}

/** A required text may be sent empty: whether that is enough is for the server to say. */
function isLeftOut({ isRequired, kind }: ActionField, value: string | boolean): boolean {
  if (typeof value === 'boolean' || value.trim() !== '') return false
  return !isRequired || (kind !== 'text' && kind !== 'long-text' && kind !== 'list')
}

function readValue({ kind, isText }: ActionField, value: string | boolean): unknown {
  if (typeof value === 'boolean') return value
  if (kind === 'number') return readNumber(value)
  if (kind === 'list') return lines(value).map(line => (isText ? line : readJson(line)))
  return isText ? value : readJson(value)
}

function readNumber(text: string): number {
  const number = Number(text)
  if (Number.isNaN(number)) throw new SyntaxError('not a number')
  return number
}

const readJson = (text: string): unknown => JSON.parse(text)

const lines = (text: string): string[] =>
  text
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '')
