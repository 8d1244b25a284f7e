// Values of inputs that only the database can confirm: people, teams and files. Their schemas ask here while they are parsed, so it does
// not matter how deep in an input they are, or behind which other schemas.
import type { FieldErrorCode } from '../../shared/field-errors'

/** Answers for one parse. A fault refuses the value. */
export interface NamedValues {
  person(email: string): FieldErrorCode | undefined
  team(id: string): FieldErrorCode | undefined
  /** Returns the id of the file that a text names, a ticket or an id. */
  file(upload: string, text: string): { id: string } | { fault: FieldErrorCode }
}

/** The same in every copy of this code, because the build loads a separate copy. */
const CURRENT = Symbol.for('fairway.named-values')

/** The answers of the current parse; undefined outside of one that checks named values. */
export const namedValues = (): NamedValues | undefined => Reflect.get(globalThis, CURRENT)

/** Runs a parse with these answers. Parsing is synchronous, so no other one runs meanwhile. */
export function withNamedValues<T>(values: NamedValues, parse: () => T): T {
  const before = namedValues()
  Reflect.set(globalThis, CURRENT, values)
  try {
    return parse()
  } finally {
    Reflect.set(globalThis, CURRENT, before)
  }
}

/** The issue of a refused value, which `toFieldError` reads. */
export const refusedValue = (fault: FieldErrorCode, input: unknown) => ({
  code: 'custom' as const,
  message: '',
  params: { fault },
  input,
})
