import * as z from 'zod/mini'

const linkSchema = z.optional(z.string())

const pageSchema = z.object({
  totalItems: z.optional(z.int()),
  can: z.optional(z.object({ create: z.boolean() })),
  member: z.array(z.unknown()),
  view: z.optional(
    z.object({ '@id': z.string(), first: linkSchema, last: linkSchema, previous: linkSchema, next: linkSchema }),
  ),
})

/** One item as it came: its fields, `@id` and `@type`. */
export type CollectionItem = Record<string, unknown>

/** The links of a page; which of them are there says how one can go on. */
export interface CollectionView {
  '@id': string
  first?: string
  last?: string
  previous?: string
  next?: string
}

/** One page of a collection. */
export interface CollectionPage<Item = CollectionItem> {
  items: readonly Item[]
  /** How many items there are on all pages; undefined where they are not counted. */
  totalItems?: number
  /** What the caller may do with the collection; undefined where its table has no policy, or its items no `can`. */
  can?: { create: boolean }
  /** Undefined when the collection is not cut into pages. */
  view?: CollectionView
}

/** Reads a Hydra collection, with and without the prefix `hydra:`; throws for any other body. */
export function readCollectionPage(body: unknown): CollectionPage {
  const { can, member, totalItems, view } = pageSchema.parse(withoutPrefix(body))
  if (!member.every(isItem)) throw new TypeError('a member of the collection is not an object')
  return { items: member, totalItems, view, can }
}

// By hand, as the schema for it would be in the first page that a browser loads, of every page.
const isItem = (value: unknown): value is CollectionItem => typeof value === 'object' && value !== null

function withoutPrefix(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || !('hydra:member' in body)) return body
  const plain = (value: object) =>
    Object.fromEntries(Object.entries(value).map(([key, each]) => [key.replace(/^hydra:/, ''), each]))
  const page = plain(body)
  return { ...page, view: typeof page.view === 'object' && page.view !== null ? plain(page.view) : undefined }
}
