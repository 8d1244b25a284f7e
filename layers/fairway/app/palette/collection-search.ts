import { type CollectionItem, readCollectionPage } from '#fairway/shared/collections/collection-page'
import { sendJson } from '../request/send-json'
import type { SearchableCollection } from '#fairway/shared/schemas/tool-catalog'

/** A found item of a collection, and its page. */
export interface Hit {
  title: string
  description?: string
  to: string
  item: CollectionItem
}

/** The first items of a collection that match a text. Throws ActionFailure. */
export async function searchCollection(
  collection: SearchableCollection,
  text: string,
  { most = 5, signal }: { most?: number; signal?: AbortSignal } = {},
): Promise<Hit[]> {
  const query = new URLSearchParams({ itemsPerPage: String(most), ...(text ? { [collection.filter]: text } : {}) })
  const { items } = readCollectionPage(await sendJson(`${collection.path}?${query.toString()}`, { signal }))
  // A collection without a selectable page size returns more rows.
  return items.slice(0, most).map(item => toHit(collection, item))
}

/** The shown parts of an item. */
export function toHit({ title, description, to }: SearchableCollection, item: CollectionItem): Hit {
  const line = description && textOf(item[description])
  return {
    title: textOf(item[title]),
    ...(line ? { description: line } : {}),
    to: to.replaceAll(/\{(\w+)\}/g, (_, field: string) => encodeURIComponent(textOf(item[field]))),
    item,
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' || typeof value === 'number' ? String(value) : '')

const ESCAPED: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escape = (text: string): string => text.replaceAll(/[&<>"']/g, sign => ESCAPED[sign] ?? '')

/**
 * A text as HTML with each case-insensitive match of the query marked. A long text is cut to begin shortly before the first
 * match.
 */
export function marked(text: string, query: string): string {
  const sought = query.trim().toLowerCase()
  const first = sought ? text.toLowerCase().indexOf(sought) : -1
  const line = (first > 60 ? `…${text.slice(first - 30)}` : text).replaceAll(/\s+/g, ' ').slice(0, 160)
  if (!sought) return escape(line)
  const parts: string[] = []
  const lower = line.toLowerCase()
  let at = 0
  for (let next = lower.indexOf(sought); next >= 0; next = lower.indexOf(sought, at)) {
    parts.push(escape(line.slice(at, next)), `<mark>${escape(line.slice(next, next + sought.length))}</mark>`)
    at = next + sought.length
  }
  return [...parts, escape(line.slice(at))].join('')
}
