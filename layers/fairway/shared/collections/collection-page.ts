// Checked without a schema, because pages that need no zod include this file.
import { isRecord } from '../record.ts'

/** One item as received: its fields, `@id` and `@type`. */
export type CollectionItem = Record<string, unknown>

/** The links of a page; their presence shows which pages follow or precede it. */
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
  /** The number of items on all pages; undefined where they are not counted. */
  totalItems?: number
  /** The caller's permissions for the collection; undefined where its table has no policy, or its items no `can`. */
  can?: {
    create: boolean
    /** What every member of the organization may do with every row: `read`, `create`, `update`, `delete`. */
    members?: readonly string[]
  }
  /** Undefined when the collection has no pages. */
  view?: CollectionView
}

/** Reads a Hydra collection, with and without the prefix `hydra:`; throws for any other body. */
export function readCollectionPage(body: unknown): CollectionPage {
  const page = withoutPrefix(body)
  if (!isPage(page)) throw new TypeError('this is no page of a collection')
  return { items: page.member, totalItems: page.totalItems, view: page.view, can: page.can }
}

const isView = (view: unknown): view is CollectionView =>
  isRecord(view) &&
  typeof view['@id'] === 'string' &&
  ['first', 'last', 'previous', 'next'].every(name => ['undefined', 'string'].includes(typeof view[name]))

const isCan = (can: unknown): boolean =>
  isRecord(can) && typeof can.create === 'boolean' && (can.members === undefined || Array.isArray(can.members))

const isPage = (page: unknown): page is Omit<CollectionPage, 'items'> & { member: CollectionItem[] } =>
  isRecord(page) &&
  Array.isArray(page.member) &&
  page.member.every(isRecord) &&
  (page.totalItems === undefined || Number.isInteger(page.totalItems)) &&
  (page.view === undefined || isView(page.view)) &&
  (page.can === undefined || isCan(page.can))

function withoutPrefix(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || !('hydra:member' in body)) return body
  const plain = (value: object) =>
    Object.fromEntries(Object.entries(value).map(([key, each]) => [key.replace(/^hydra:/, ''), each]))
  const page = plain(body)
  return { ...page, view: typeof page.view === 'object' && page.view !== null ? plain(page.view) : undefined }
}
