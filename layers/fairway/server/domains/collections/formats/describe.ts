// JSON Schema parts for the descriptions of the formats.
import type { JsonSchema } from '#fairway/server/domains/actions'
import { POLICY_ACTIONS } from '#fairway/server/domains/organizations'
import type { ServedCollection } from '../served-collection'

/**
 * The JSON Schemas of a format's documents. `item` is the schema of the declared item; `member` is a reference to the result of
 * `describeMember`.
 */
export interface Described {
  /** The name of its schemas in an OpenAPI document. */
  schemaName: string
  /** The schema of an item in a page. */
  describeMember(served: ServedCollection, item: JsonSchema): JsonSchema
  /** The schema of a single item. */
  describeItem(member: JsonSchema): JsonSchema
  describePage(served: ServedCollection, member: JsonSchema): JsonSchema
}

type Properties = Record<string, JsonSchema>

export const text: JsonSchema = { type: 'string' }

export const count: JsonSchema = { type: 'integer', minimum: 0 }

export const listOf = (items: JsonSchema): JsonSchema => ({ type: 'array', items })

/** An object with only these properties. */
export const closed = (required: Properties, optional: Properties = {}): JsonSchema => ({
  type: 'object',
  properties: { ...required, ...optional },
  required: Object.keys(required),
  additionalProperties: false,
})

/** The same schema under several names. */
export const allOf = (names: readonly string[], schema: JsonSchema): Properties =>
  Object.fromEntries(names.map(name => [name, schema]))

/** What the caller may do with the collection; only in pages that report it. */
export const canOf = ({ collection }: ServedCollection): Properties =>
  collection.reader.includesPermissions
    ? { can: closed({ create: { type: 'boolean' }, members: listOf({ type: 'string', enum: [...POLICY_ACTIONS] }) }) }
    : {}

/** An object schema with additional properties before the existing ones. */
export const extended = (schema: JsonSchema, required: Properties, optional: Properties = {}): JsonSchema => ({
  ...schema,
  properties: { ...optional, ...required, ...schema.properties },
  required: [...Object.keys(required), ...(schema.required ?? [])],
})
