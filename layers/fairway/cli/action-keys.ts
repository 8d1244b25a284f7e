import { isRecord } from '../shared/record'
import { suggestion } from '../shared/nearest-name'
import { UsageFault } from './terminal'

/** Throws a UsageFault for an option that is no field of an action's input, if its JSON Schema names all fields. */
export function checkKeys(name: string, entries: readonly [string, string][], schema: unknown): void {
  if (!isRecord(schema) || !isRecord(schema.properties) || schema.additionalProperties || schema.anyOf || schema.allOf)
    return
  const fields = Object.keys(schema.properties)
  const unknown = entries.find(([key]) => !fields.includes(key))?.[0]
  if (unknown === undefined) return
  const meant = suggestion(
    `--${unknown}`,
    fields.map(field => `--${field}`),
  )
  throw new UsageFault(`The action ${name} has no input ${unknown}.${meant} Run \`fw action ${name} --help\`.`)
}
