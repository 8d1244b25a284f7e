import { type CollectionItem, readCollectionPage } from '#fairway/shared/collections/collection-page'
import { foldText } from '#fairway/shared/fold-text'
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

/** The collection and the id of the row whose page has this path; undefined for other pages. */
export function openRowOf(
  collections: readonly SearchableCollection[],
  path: string,
): { collection: SearchableCollection; id: string } | undefined {
  for (const collection of collections) {
    const [before = '', after] = collection.to.split('{id}')
    const isPage = after !== undefined && path.startsWith(before) && path.endsWith(after)
    const id = isPage ? path.slice(before.length, path.length - after.length) : ''
    if (id !== '' && !id.includes('/')) return { collection, id: decodeURIComponent(id) }
  }
  return undefined
}

const textOf = (value: unknown): string => (typeof value === 'string' || typeof value === 'number' ? String(value) : '')

const ESCAPED: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escape = (text: string): string => text.replaceAll(/[&<>"']/g, sign => ESCAPED[sign] ?? '')

/** Where a folded text occurs in a text: the begin and the end of each place. */
function placesOf(text: string, sought: string): [number, number][] {
  if (sought === '') return []
  const begins: number[] = []
  const ends: number[] = []
  let folded = ''
  let at = 0
  for (const character of text) {
    const part = foldText(character)
    begins.push(...Array<number>(part.length).fill(at))
    ends.push(...Array<number>(part.length).fill(at + character.length))
    folded += part
    at += character.length
  }
  const places: [number, number][] = []
  for (let next = folded.indexOf(sought); next >= 0;) {
    const last = next + sought.length - 1
    // Marks after the last letter belong to it.
    places.push([begins[next] ?? 0, Math.max(ends[last] ?? 0, begins[last + 1] ?? at)])
    next = folded.indexOf(sought, last + 1)
  }
  return places
}

/**
 * A text as HTML with each match of the query marked, whatever the case and the marks of the letters. A long text is cut to begin
 * shortly before the first match.
 */
export function marked(text: string, query: string): string {
  const sought = foldText(query.trim())
  const first = placesOf(text, sought)[0]?.[0] ?? -1
  const line = (first > 60 ? `…${text.slice(first - 30)}` : text).replaceAll(/\s+/g, ' ').slice(0, 160)
  const parts: string[] = []
  let at = 0
  for (const [begin, end] of placesOf(line, sought)) {
    parts.push(escape(line.slice(at, begin)), `<mark>${escape(line.slice(begin, end))}</mark>`)
    at = end
  }
  return [...parts, escape(line.slice(at))].join('')
}
