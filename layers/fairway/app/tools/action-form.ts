import { SECRET_NAME } from '#fairway/shared/secrets'
import { readSchema, type SchemaNode, withoutNull } from './schema-fields'

type FieldKind = 'text' | 'long-text' | 'secret' | 'number' | 'switch' | 'choice' | 'list' | 'file' | 'json'

/** One field of the form that is generated from an action's input schema. */
export interface ActionField {
  name: string
  kind: FieldKind
  isRequired: boolean
  description?: string
  /** The options of a select as text; `isText` states whether they are sent as text or as JSON values. */
  options?: string[]
  /** Whether the value, or each line of a list, is text. Otherwise it is read as JSON (numbers, true, false). */
  isText: boolean
  initial?: unknown
  /** The collection that contains the value's row, and the field that holds the value. */
  pick?: { collection: string; field: string }
  /** The upload that the field accepts, and its maximum number of files. */
  files?: { upload: string; most: number }
  /** Technical, and shown on request only. */
  isTechnical: boolean
}

/** A row that a form begins with: the field that holds it, its value, and its title. */
export interface InitialRow {
  field: string
  value: string
  title: string
}

const LONG_TEXT = 300
const TECHNICAL = new Set(['page', 'itemsPerPage', 'pageSize', 'limit', 'offset', 'cursor', 'order', 'after', 'before'])

/** The fields of an action's input schema, in order. Values without a matching field type are typed as JSON. */
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
      // A switch has no “not set” state, so an optional boolean without a default is a select.
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

/** The form's value of each field: text for everything except switches. */
export type FieldValues = Record<string, string | boolean>

type ReadInput =
  | { input: Record<string, unknown>; faults?: undefined }
  | { faults: Record<string, 'not-a-number' | 'not-json'>; input?: undefined }

/** The initial values of a new form: the defaults of the schema. */
export const initialValues = (fields: readonly ActionField[]): FieldValues =>
  Object.fromEntries(fields.map(field => [field.name, initialValue(field)]))

function initialValue({ kind, initial, isText }: ActionField): string | boolean {
  if (kind === 'switch') return initial === true
  if (initial === undefined || initial === null) return ''
  if (kind === 'list' && Array.isArray(initial)) return initial.map(String).join('\n')
  return isText ? String(initial) : JSON.stringify(initial, undefined, 2)
}

/** The input of the form, without empty optional fields. Only values that are not valid JSON are errors here. */
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

/** A required text may be sent empty: the server validates it. */
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

/** The input in the commands to copy, with a placeholder for each missing required value. */
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
