// Exposes each collection as an action that only MCP hosts call: the read-only tool `list-<name>` with filters, order and pages.
import { z } from 'zod'
import { type Action, type CatalogEntry, defineAction } from '#fairway/server/domains/actions'
import { requireRun } from '#fairway/server/kernel/current-run'
import { isRecord } from '#fairway/shared/record'
import type { Collection } from './collection'
import { viewLinks } from './links'
import { parseQuery } from './query/query-tree'
import { filterKinds, readCollectionQuery } from './query/read-query'
import { type CollectionEntry, type ServedCollection, servedCollections } from './served-collection'

/** The tools of all collections, except those with `mcp: false` and those whose tool has the name of an action. */
export function listActions(entries: readonly CollectionEntry[], actions: readonly { name: string }[]): CatalogEntry[] {
  const taken = new Set(actions.map(({ name }) => name))
  return entries
    .filter(({ name, collection }) => collection.mcp && !taken.has(`list-${name}`))
    .map(entry => ({
      name: `list-${entry.name}`,
      group: 'lists',
      action: toAction(entries, entry),
    }))
}

function toAction(entries: readonly CollectionEntry[], { name, collection }: CollectionEntry): Action {
  const { description, guard, public: isPublic, operations, reader } = collection
  const files = operations.get && reader.fileFields?.length ? ' Read a file as a resource, by its “url”.' : ''
  return defineAction({
    description: `${description} Reads one page. Use “where” to filter, “order” to sort, and “cursor” with the “next” of an answer to go on.${files}`,
    input: inputOf(collection),
    guard: guard as Action['guard'],
    public: isPublic,
    readOnly: true,
    http: false,
    async run(input, { session, signal, requestId }) {
      const { app } = requireRun()
      const served = servedCollections(app, entries).get(name)
      if (!served) throw new Error(`there is no collection ${name}`)
      const tree = parseQuery(queryOf(served, input as ListInput))
      const page = await collection.reader.readPage(
        { app, session, signal, requestId },
        readCollectionQuery(tree, served),
      )
      const { next } = viewLinks('', tree, page, served.config)
      return {
        items: page.items,
        ...('totalItems' in page && { totalItems: page.totalItems }),
        ...(next !== undefined && { next: next.slice(next.indexOf('?') + 1) }),
      }
    },
  }) as unknown as Action
}

const cursorSchema = z.string().max(8192).describe('The “next” of the answer before. Nothing else is needed beside it.')

/** The input of a collection's tool. */
function inputOf({ item, filters, order }: Collection) {
  const kinds = z.toJSONSchema(item, { io: 'output', unrepresentable: 'any' }).properties ?? {}
  const where = Object.keys(filters).map(field => [field, filterSchema(filterKinds(filters, field), kinds[field])])
  const orders = order.flatMap(field => [field, `-${field}`])
  return z.object({
    ...(where.length > 0 && { where: z.strictObject(Object.fromEntries(where)).partial().optional() }),
    ...(orders.length > 0 && {
      order: z
        .array(z.enum(orders))
        .max(orders.length)
        .optional()
        .describe('A hyphen before a field sorts descending.'),
    }),
    cursor: cursorSchema.optional(),
  })
}

function filterSchema(kinds: readonly string[], described: unknown): z.ZodType {
  const value = valueSchema(described)
  const ranged = kinds.includes('range') ? { lt: value, lte: value, gt: value, gte: value } : {}
  const sought = z.string().max(200).describe('A text that occurs in it; case is ignored.')
  const inside = { ...ranged, ...(kinds.includes('search') && kinds.length > 1 && { search: sought }) }
  const forms = [
    ...(kinds.includes('exact') ? [value, z.array(value).min(1).max(100)] : kinds.includes('search') ? [sought] : []),
    ...(Object.keys(inside).length > 0 ? [z.object(inside).partial()] : []),
  ]
  return forms.length > 1 ? z.union(forms) : (forms[0] ?? value)
}

/** The schema of one value of a field, from the JSON Schema of the item: an enumeration, a number, a boolean, or any text. */
function valueSchema(described: unknown): z.ZodType {
  if (!isRecord(described)) return z.string()
  if (Array.isArray(described.anyOf))
    return valueSchema(described.anyOf.find(part => isRecord(part) && part.type !== 'null'))
  if (Array.isArray(described.enum)) return z.enum(described.enum.map(String))
  if (described.type === 'boolean') return z.boolean()
  return described.type === 'number' || described.type === 'integer' ? z.number() : z.string().max(1000)
}

interface ListInput {
  where?: Record<string, unknown>
  order?: readonly string[]
  cursor?: string
}

/** The equivalent query for the collection's address. */
function queryOf({ config }: ServedCollection, { where = {}, order = [], cursor }: ListInput): string {
  if (cursor !== undefined) return cursor
  const query = new URLSearchParams()
  for (const [field, value] of Object.entries(where)) {
    if (Array.isArray(value)) for (const each of value) query.append(`${field}[]`, String(each))
    else if (isRecord(value))
      for (const [key, each] of Object.entries(value)) query.append(`${field}[${key}]`, String(each))
    else query.append(field, String(value))
  }
  for (const field of order)
    query.append(`${config.orderParameterName}[${field.replace(/^-/, '')}]`, field.startsWith('-') ? 'desc' : 'asc')
  return query.toString()
}
