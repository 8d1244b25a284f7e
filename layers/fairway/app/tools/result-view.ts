import { toWords } from './action-title'
import { isRecord } from '#fairway/shared/record'
import type { ShownPerson } from '#fairway/shared/schemas/person'

type Row = Record<string, unknown>

/** A result for display: one value, named values, or rows with their shared columns. */
type ResultPart =
  | { kind: 'value'; label: string; value: unknown }
  | { kind: 'pairs'; label: string; pairs: { key: string; label: string; value: unknown }[] }
  | { kind: 'table'; label: string; columns: { key: string; label: string }[]; rows: Row[] }

const MOST_COLUMNS = 6

/** The parts of a result: its plain values first, then each object and each list in it. */
export function resultParts(result: unknown, label = ''): ResultPart[] {
  if (Array.isArray(result)) return [listPart(result, label)]
  if (!isRecord(result)) return [{ kind: 'value', label, value: result }]
  const entries = Object.entries(result).filter(([, value]) => value !== undefined)
  const plain = entries.filter(([, value]) => !isNested(value))
  const nested = entries.filter(([, value]) => isNested(value))
  return [
    ...(plain.length > 0 || nested.length === 0 ? [{ kind: 'pairs' as const, label, pairs: plain.map(toPair) }] : []),
    ...nested.map(([name, value]): ResultPart => {
      if (Array.isArray(value)) return listPart(value, toWords(name))
      return { kind: 'pairs', label: toWords(name), pairs: Object.entries(value as Row).map(toPair) }
    }),
  ]
}

const toPair = ([key, value]: [string, unknown]) => ({ key, label: toWords(key), value })

function listPart(list: readonly unknown[], label: string): ResultPart {
  const rows = list.filter(isRecord)
  if (rows.length < list.length || rows.length === 0) return { kind: 'value', label, value: list }
  const keys = [...new Set(rows.flatMap(row => Object.keys(row)))]
  const filled = keys.filter(key => rows.some(row => !isNothing(row[key])))
  // Columns that identify a row for people come first, ids come at the end.
  const columns = [...filled.filter(key => !isId(key)), ...filled.filter(isId)].slice(0, MOST_COLUMNS)
  return { kind: 'table', label, columns: columns.map(key => ({ key, label: toWords(key) })), rows }
}

const isNested = (value: unknown): boolean => (isRecord(value) && !personIn(value)) || isList(value)
const isList = (value: unknown): value is unknown[] => Array.isArray(value) && value.some(isRecord)

const isId = (key: string): boolean => /^id$|Id$|_id$/.test(key)

/** Whether a value has nothing to show. */
export const isNothing = (value: unknown): boolean =>
  value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0)

const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/

/** Whether a value is a timestamp in the format of responses. */
export const isTime = (value: unknown): value is string => typeof value === 'string' && ISO_TIME.test(value)

/** A value that is a person in the form of answers. */
export function personIn(value: unknown): ShownPerson | undefined {
  if (!isRecord(value) || Object.keys(value).toSorted().join() !== 'email,id,image,name') return undefined
  const { email, id, image, name } = value
  const isPerson = typeof name === 'string' && typeof email === 'string' && isTextOrNull(id) && isTextOrNull(image)
  return isPerson ? { id, name, email, image } : undefined
}

const isTextOrNull = (value: unknown): value is string | null => value === null || typeof value === 'string'
