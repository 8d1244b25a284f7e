// The traits of tools that hosts react to. Each function finds the tools that have one.
import { isRecord } from '../../shared/record'
import { schemaParts } from '../../shared/schema-parts'

type Schema = Readonly<Record<string, unknown>>

/** A tool as `tools/list` sends it. */
interface Tool {
  name: string
  description?: string
  inputSchema: Schema
  annotations?: { readOnlyHint?: boolean; destructiveHint?: boolean }
  _meta?: object
}
export type Named = Pick<Tool, 'name'>

/** Everything that hosts receive from a server. */
export interface ServerTools {
  /** The name of the server in the configuration of a host. */
  server: string
  /** The name that the server gives itself. */
  title: string
  instructions?: string
  tools: readonly Tool[]
}

/** A tool that a rule found, or the whole server without `tool`; `detail` is its measure or place. */
export interface Listed {
  tool?: string
  detail: string
}

type Find = (server: ServerTools) => Listed[]

/** Finds the tools for which `detailsOf` returns any. */
export const toolsWhere =
  (detailsOf: (tool: Tool) => readonly string[]): Find =>
  ({ tools }) =>
    tools.flatMap(tool => {
      const details = detailsOf(tool)
      return details.length > 0 ? [{ tool: tool.name, detail: details.join(', ') }] : []
    })

/** Finds the tools whose full name in the host is longer than the limit. */
export const longerThan =
  (limit: number, fullName: (server: ServerTools, tool: Named) => string): Find =>
  server =>
    toolsWhere(tool => {
      const { length } = fullName(server, tool)
      return length > limit ? [`${length} characters`] : []
    })(server)

/** Finds the tools with the same full name in the host as another, except the one that stays. */
export const sameNames =
  (stays: 'first' | 'last', fullName: (server: ServerTools, tool: Named) => string): Find =>
  server => {
    const groups = [...Map.groupBy(server.tools, tool => fullName(server, tool)).values()]
    return groups.flatMap(group => {
      const survivor = group.at(stays === 'first' ? 0 : -1)
      return group
        .filter(tool => tool !== survivor)
        .map(({ name }) => ({ tool: name, detail: `like ${survivor?.name}` }))
    })
  }

/** Finds the tools with one of these keywords at the top of the input. */
export const unitedAtTop = (keywords: readonly string[]): Find =>
  toolsWhere(({ inputSchema }) => keywords.filter(keyword => keyword in inputSchema))

/** Finds the tools with fields whose names Anthropic's API refuses. Fields within fields may have any name. */
export const propertyKeys: Find = toolsWhere(({ inputSchema }) => {
  const { properties } = inputSchema
  const keys = isRecord(properties) ? Object.keys(properties) : []
  return keys.filter(key => !/^[a-zA-Z0-9_.-]{1,64}$/.test(key)).map(key => `the field “${key}”`)
})

/** Finds the tools with a longer description. */
export const tooLong = (limit: number): Find =>
  toolsWhere(({ description = '' }) => (description.length > limit ? [`${description.length} characters`] : []))

/** Finds longer instructions of the server. */
export const instructionsOver =
  (limit: number): Find =>
  ({ instructions = '' }) =>
    instructions.length > limit ? [{ detail: `${instructions.length} characters` }] : []

/** Finds the tools by their hints. */
export const annotated = (isAsked: (hints: { readOnly: boolean; destructive: boolean }) => boolean): Find =>
  toolsWhere(({ annotations }) =>
    isAsked({ readOnly: annotations?.readOnlyHint === true, destructive: annotations?.destructiveHint === true })
      ? ['']
      : [],
  )

const at = (path: string, fault: string): string => `${fault} at ${path || 'the top'}`

/** The places where the `items` of an array are a list, the tuple of draft-07. */
export const positionalItems = (schema: Schema): string[] =>
  schemaParts(schema).flatMap(part => (Array.isArray(part.schema.items) ? [at(part.path, 'a list of items')] : []))

/** The places where an array has no `items`. */
export const withoutItems = (schema: Schema): string[] =>
  schemaParts(schema).flatMap(part =>
    part.schema.type === 'array' && !part.schema.items ? [at(part.path, 'no items')] : [],
  )

const TYPES = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'])
const LISTS_OF_SCHEMAS = ['anyOf', 'oneOf', 'allOf']
const COUNTS = ['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties']

/** The places that break the rules of every draft: unknown types, empty unions, negative counts, repeated required fields. */
export const brokenPart = (schema: Schema): string[] =>
  schemaParts(schema).flatMap(({ path, schema: part }) => {
    const types = [part.type ?? []].flat()
    const required = Array.isArray(part.required) ? part.required : []
    return [
      ...types.filter(type => !TYPES.has(String(type))).map(type => `type ${String(type)}`),
      ...LISTS_OF_SCHEMAS.filter(keyword => Array.isArray(part[keyword]) && part[keyword].length === 0),
      ...COUNTS.filter(keyword => Number(part[keyword] ?? 0) < 0),
      ...(new Set(required).size < required.length ? ['required'] : []),
    ].map(fault => at(path, fault))
  })

const LIMITS = [
  'pattern',
  'format',
  'default',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'maxItems',
  'uniqueItems',
  'propertyNames',
  'patternProperties',
]

/** The keywords of the schema that Codex drops. */
export function lostKeywords(schema: Schema): string[] {
  const used = new Set(schemaParts(schema).flatMap(part => Object.keys(part.schema)))
  return LIMITS.filter(keyword => used.has(keyword))
}

const KEPT_AS_THEY_ARE = new Set(['type', 'description', 'enum', 'required', 'minItems', '$ref'])
const KEPT_MAPS = new Set(['properties', '$defs', 'definitions'])
const KEPT_SCHEMAS = new Set(['items', 'additionalProperties', 'anyOf', 'oneOf', 'allOf'])

/** The size of a schema in bytes, with only the keywords that Codex keeps. */
export const codexSize = (schema: Schema): number => Buffer.byteLength(JSON.stringify(keptByCodex(schema)))

function keptByCodex(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(keptByCodex)
  if (!isRecord(part)) return part
  const entries = Object.entries(part).flatMap(([keyword, value]): [string, unknown][] => {
    if (keyword === 'const') return [['enum', [value]]]
    if (KEPT_AS_THEY_ARE.has(keyword)) return [[keyword, value]]
    if (KEPT_SCHEMAS.has(keyword)) return [[keyword, keptByCodex(value)]]
    if (!KEPT_MAPS.has(keyword) || !isRecord(value)) return []
    return [[keyword, Object.fromEntries(Object.entries(value).map(([name, each]) => [name, keptByCodex(each)]))]]
  })
  return Object.fromEntries(entries)
}
