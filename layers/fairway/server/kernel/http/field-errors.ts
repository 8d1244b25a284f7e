// Converts zod's issues into the codes and sentences of shared/field-errors.ts; users never see zod's own words.
import type { z } from 'zod'
import { fill } from '../messages'
import { fieldErrors, shownParams, type FieldErrorCode } from '#fairway/shared/field-errors'
import { isRecord } from '#fairway/shared/record'
import type { FieldError } from '#fairway/shared/schemas/problem'

type Issue = z.core.$ZodIssue
type LimitIssue = z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig
type Params = Record<string, string | number | string[]>
type Fault = [code: FieldErrorCode, params?: Params]

/**
 * The parse options that `toFieldError` requires. A message of the schema has priority over this one (zod asks the check, then
 * the schema, then the call). An issue without a message is therefore one without an author's text.
 */
export const OWN_MESSAGES = { error: () => '', reportInput: true } as const

/**
 * Returns the field error of an issue that was found with `OWN_MESSAGES`; an author's message stays unchanged, without a code.
 */
export function toFieldError(issue: Issue): FieldError {
  const path = issue.path.join('.')
  return issue.message === ''
    ? fieldError(path, ...(refusedFault(issue) ?? faultOf(issue)))
    : { path, message: issue.message }
}

/** A field error with its English sentence. */
export function fieldError(path: string, code: FieldErrorCode, params?: Params): FieldError {
  const [one = '', many = one] = fieldErrors[code].split(' | ')
  const isOne = Object.values(params ?? {})[0] === 1
  return { path, code, ...(params && { params }), message: fill(isOne ? one : many, shownParams(params)) }
}

// The cases are those of zod, most frequent first.
function faultOf(issue: Issue): Fault {
  if (isMissing(issue)) return ['required']
  switch (issue.code) {
    case 'invalid_type':
      return [TYPES[issue.expected] ?? 'invalid']
    case 'too_small':
    case 'too_big':
      return limitFault(issue)
    case 'invalid_format':
      return formatFault(issue)
    case 'invalid_value':
      return optionFault(issue.values)
    case 'invalid_union':
      return optionFault('options' in issue ? issue.options : [])
    case 'unrecognized_keys':
      return ['unknown-fields', { fields: issue.keys }]
    case 'not_multiple_of':
      return ['not-a-multiple', { of: Number(issue.divisor) }]
    default:
      return ['invalid']
  }
}

/** The fault of a person or a file that the database refused (`refusedValue`). */
function refusedFault(issue: Issue): Fault | undefined {
  const fault = issue.code === 'custom' ? issue.params?.fault : undefined
  return typeof fault === 'string' && Object.hasOwn(fieldErrors, fault) ? [fault as FieldErrorCode] : undefined
}

const optionFault = (options: readonly unknown[] = []): Fault =>
  options.length > 0 ? ['not-an-option', { options: options.map(String) }] : ['invalid']

const ABSENT: readonly string[] = ['invalid_type', 'invalid_value', 'invalid_union']

/** Returns whether the input is missing: no value, an empty text, or no discriminator of an object. */
function isMissing(issue: Issue): boolean {
  if (issue.code === 'too_small') return issue.origin === 'string' && issue.minimum === 1
  if ('discriminator' in issue && issue.discriminator)
    return isRecord(issue.input) && issue.input[issue.discriminator] === undefined
  return issue.input === undefined && ABSENT.includes(issue.code)
}

const TYPES: Partial<Record<string, FieldErrorCode>> = {
  string: 'not-text',
  number: 'not-a-number',
  bigint: 'not-a-whole-number',
  int: 'not-a-whole-number',
  boolean: 'not-a-boolean',
  date: 'not-a-date',
  array: 'not-a-list',
  tuple: 'not-a-list',
  object: 'not-an-object',
  record: 'not-an-object',
}

const ENTRIES = { least: 'too-few', most: 'too-many', exactly: 'wrong-count' } as const
const NUMBERS = { least: 'too-small', most: 'too-large', above: 'not-above', below: 'not-below' } as const

const LIMITS: Partial<Record<string, Partial<Record<string, FieldErrorCode>>>> = {
  string: { least: 'too-short', most: 'too-long', exactly: 'wrong-length' },
  array: ENTRIES,
  set: ENTRIES,
  map: ENTRIES,
  number: NUMBERS,
  int: NUMBERS,
  bigint: NUMBERS,
  date: { least: 'too-early', most: 'too-late' },
}

function limitFault(issue: LimitIssue): Fault {
  const isLeast = issue.code === 'too_small'
  const limit = Number(isLeast ? issue.minimum : issue.maximum)
  const bound = issue.inclusive === false ? (isLeast ? 'above' : 'below') : isLeast ? 'least' : 'most'
  const name = issue.exact ? 'exactly' : bound
  const code = LIMITS[issue.origin]?.[name]
  return code ? [code, { [name]: issue.origin === 'date' ? dateText(limit) : limit }] : ['invalid']
}

/** Returns a time in ISO 8601; at midnight (UTC) only the day. */
const dateText = (time: number): string => new Date(time).toISOString().replace('T00:00:00.000Z', '')

const ID = 'not-an-id'

const FORMATS: Partial<Record<string, FieldErrorCode>> = {
  email: 'not-an-email',
  url: 'not-a-url',
  date: 'not-a-date',
  time: 'not-a-time',
  datetime: 'not-a-datetime',
  uuid: ID,
  guid: ID,
  nanoid: ID,
  cuid: ID,
  cuid2: ID,
  ulid: ID,
  xid: ID,
  ksuid: ID,
}

function formatFault(issue: z.core.$ZodIssueInvalidStringFormat): Fault {
  if ('prefix' in issue) return ['wrong-start', { start: String(issue.prefix) }]
  if ('suffix' in issue) return ['wrong-end', { end: String(issue.suffix) }]
  if ('includes' in issue) return ['missing-part', { part: String(issue.includes) }]
  const code = FORMATS[issue.format]
  return code ? [code] : ['wrong-format', { format: issue.format }]
}
