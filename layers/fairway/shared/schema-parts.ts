import { isRecord } from './record'

/** Keywords whose members are schemas with names that an author chose. */
export const NAMED_SCHEMAS: ReadonlySet<string> = new Set(['properties', 'patternProperties', '$defs', 'definitions'])
/** Keywords that hold values, which may look like schemas. */
export const VALUES: ReadonlySet<string> = new Set(['enum', 'const', 'default', 'examples'])

/** A part of a JSON Schema, and its place as a path: `properties/when/items`. The root has an empty path. */
export interface SchemaPart {
  path: string
  schema: Readonly<Record<string, unknown>>
}

/** Returns a JSON Schema and all schemas in it. */
export function schemaParts(schema: Readonly<Record<string, unknown>>, path = ''): SchemaPart[] {
  const below = Object.entries(schema).flatMap(([keyword, part]) => {
    if (VALUES.has(keyword)) return []
    const named = NAMED_SCHEMAS.has(keyword) && isRecord(part) ? Object.entries(part) : undefined
    const listed = Array.isArray(part) ? part.map((each, index) => [String(index), each] as const) : undefined
    const places = named ?? listed ?? [['', part] as const]
    return places.flatMap(([place, each]) =>
      isRecord(each) ? schemaParts(each, [path, keyword, place].filter(Boolean).join('/')) : [],
    )
  })
  return [{ path, schema }, ...below]
}
