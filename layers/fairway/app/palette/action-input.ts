import type { ActionField } from './action-fields'

/** What the form holds for each field: text for everything but switches. */
export type FieldValues = Record<string, string | boolean>

export type ReadInput =
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
