// Looked at without a schema: this file is part of pages that need no zod.
import { isRecord } from '../record.ts'

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
  const page = withoutPrefix(body)
  if (!isRecord(page) || !Array.isArray(page.member)) throw new TypeError('this is no page of a collection')
  const { member, totalItems, view, can } = page
  if (!member.every(isRecord)) throw new TypeError('a member of the collection is not an object')
  if (totalItems !== undefined && !isCount(totalItems)) throw new TypeError('the number of items is none')
  return { items: member, totalItems, view: readView(view), can: readRights(can) }
}

const isCount = (value: unknown): value is number => Number.isInteger(value)
const isText = (value: unknown): value is string => typeof value === 'string'
const isLink = (value: unknown): value is string | undefined => value === undefined || isText(value)

function readView(view: unknown): CollectionView | undefined {
  if (view === undefined) return undefined
  const { '@id': id, first, last, previous, next } = isRecord(view) ? view : {}
  if (isText(id) && isLink(first) && isLink(last) && isLink(previous) && isLink(next))
    return { '@id': id, first, last, previous, next }
  throw new TypeError('the links of the page cannot be read')
}

function readRights(can: unknown): CollectionPage['can'] {
  if (can === undefined) return undefined
  if (isRecord(can) && typeof can.create === 'boolean') return { create: can.create }
  throw new TypeError('what the caller may do cannot be read')
}

function withoutPrefix(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || !('hydra:member' in body)) return body
  const plain = (value: object) =>
    Object.fromEntries(Object.entries(value).map(([key, each]) => [key.replace(/^hydra:/, ''), each]))
  const page = plain(body)
  return { ...page, view: typeof page.view === 'object' && page.view !== null ? plain(page.view) : undefined }
}
