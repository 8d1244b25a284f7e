// The values of fields before and after a call, as an audit row keeps them.
import { z } from 'zod'
import type { AuditChange } from '#fairway/shared/schemas/audit'
import { splitPlace } from './audit-place'
import { putInFront, takeFromFront } from './leading-facts'

/** Each changed field with its value before and after. */
export type FieldChanges = Record<string, [before: AuditChange['before'], after: AuditChange['after']]>
/** The changes by the id of their row; those of no row of the application are under `NO_ROW`. */
export type RowChanges = ReadonlyMap<string, FieldChanges>
export const NO_ROW = ''

/** The kept input of a row with its changes. */
export const withChanges = (input: string, changes: FieldChanges | undefined): string =>
  changes ? putInFront(input, '$changes', changes) : input

const valueSchema = z.union([z.string(), z.number(), z.boolean(), z.null()])
const changesSchema = z.record(z.string(), z.tuple([valueSchema, valueSchema]))

/** Takes the changes out of the `input` of a row; null for a row without. */
function splitChanges(input: string | null): { changes: AuditChange[] | null; input: string | null } {
  const parts = input === null ? undefined : takeFromFront(input, '$changes')
  const { data } = changesSchema.safeParse(parts?.fact)
  if (!parts || !data) return { changes: null, input }
  const changes = Object.entries(data).map(([field, [before, after]]) => ({ field, before, after }))
  return { changes, input: parts.input }
}

/** The parts of a row's `input`: where the call came from, what it changed, and the kept input. */
export function keptParts(input: string | null) {
  const { input: rest, ...place } = splitPlace(input)
  return { ...place, ...splitChanges(rest) }
}
