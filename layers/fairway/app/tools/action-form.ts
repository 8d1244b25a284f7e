import { SECRET_NAME } from '#fairway/shared/secrets'
import { readSchema, type SchemaNode, withoutNull } from './schema-fields'

type FieldKind = 'text' | 'long-text' | 'secret' | 'number' | 'switch' | 'choice' | 'list' | 'file' | 'json'

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
  /** The collection that its value names a row of, and the field of the row that is the value. */
  pick?: { collection: string; field: string }
  /** The upload whose files it takes, and how many of them. */
  files?: { upload: string; most: number }
  /** Technical, and shown on request only. */
  isTechnical: boolean
}

const LONG_TEXT = 300
const TECHNICAL = new Set(['page', 'itemsPerPage', 'pageSize', 'limit', 'offset', 'cursor', 'order', 'after', 'before'])

/** The fields for the input schema of an action, in its order; what has no field of its own is typed as JSON. */
export function toFields(inputSchema: unknown): ActionField[] {
  const { properties = {}, required = [] } = readSchema(inputSchema)
  return Object.entries(properties).map(([name, property]) => toField(name, property, required.includes(name)))
}

function toField(name: string, schema: unknown, isRequired: boolean): ActionField {
  const property = withoutNull(schema)
  const base = {
    name,
    isRequired: isRequired && property.default === undefined,
    description: property.description,
    initial: property.default,
    isTechnical: TECHNICAL.has(name) && (!isRequired || property.default !== undefined),
  }
  if (property.upload !== undefined)
    return { ...base, kind: 'file', isText: false, files: { upload: property.upload, most: property.maxItems ?? 1 } }
  return toPlainField(base, property, isRequired)
}

type Base = Omit<ActionField, 'kind' | 'isText'>

function toPlainField(base: Base, property: SchemaNode, isRequired: boolean): ActionField {
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
      return { ...base, kind: textKind(base.name, property), isText: true, pick: pickOf(property) }
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

function toListField(base: Base, property: SchemaNode): ActionField {
  const items = withoutNull(property.items)
  const isScalar = typeof items.type === 'string' && ['string', 'number', 'integer', 'boolean'].includes(items.type)
  return isScalar
    ? { ...base, kind: 'list', isText: items.type === 'string' }
    : { ...base, kind: 'json', isText: false }
}

function textKind(name: string, { maxLength = 0, writeOnly, format }: SchemaNode): FieldKind {
  if (writeOnly === true || format === 'password' || SECRET_NAME.test(name)) return 'secret'
  return maxLength > LONG_TEXT ? 'long-text' : 'text'
}

const pickOf = ({ collection, collectionField = 'id' }: SchemaNode) =>
  collection === undefined ? undefined : { collection, field: collectionField }

/** What the form holds for each field: text for everything but switches. */
export type FieldValues = Record<string, string | boolean>

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
  return !isRequired || (kind !== 'text' && kind !== 'long-text' && kind !== 'secret' && kind !== 'list')
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

/** The input for commands to copy: what the form stands for, with a mark where something required is still missing. */
export function shownInput(fields: readonly ActionField[], values: FieldValues): Record<string, unknown> {
  const { input } = readInput(
    fields,
    Object.fromEntries(
      fields.map(field => {
        const value = values[field.name] ?? ''
        return [field.name, field.isRequired && field.isText && value === '' ? MISSING : value]
      }),
    ),
  )
  return input ?? {}
}

const MISSING = '…'
