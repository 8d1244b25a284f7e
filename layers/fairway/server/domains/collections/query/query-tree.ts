// Reads and writes queries with PHP's syntax.
import { decodedText } from '#fairway/server/kernel/declaration'
import { checkInput } from '#fairway/server/kernel/http/read-input'

/** A query as PHP parses it: a text, or the values below a name with brackets. */
export type QueryValue = string | QueryTree
export type QueryTree = Map<string, QueryValue>

// Like PHP, drops deeper nesting.
const MOST_LEVELS = 64
const LIST_INDEX = /^(0|[1-9]\d{0,14})$/

/** Whether a key inside brackets is a list index rather than a name. */
export const isListIndex = (key: string): boolean => LIST_INDEX.test(key)

/**
 * Parses a query (with or without its `?`) like PHP: brackets nest, `+` is a space, the final one of repeated names counts, and a
 * name without `=` has an empty value. Throws `invalid-input` for a value with NUL.
 */
export function parseQuery(query: string): QueryTree {
  const tree: QueryTree = new Map()
  const highest: HighestIndexes = new Map()
  for (const pair of query.replace(/^\?/, '').split('&')) {
    const at = pair.indexOf('=')
    const name = decode(at === -1 ? pair : pair.slice(0, at))
    const value = at === -1 ? '' : decode(pair.slice(at + 1))
    if (value.includes('\0')) checkInput({ [name]: value })
    if (name !== '') put(tree, highest, keysOf(name), value)
  }
  return tree
}

function keysOf(name: string): string[] {
  const first = name.indexOf('[')
  if (first < 1 || !name.includes(']', first)) return [name]
  const keys = [name.slice(0, first)]
  let at = first
  while (name[at] === '[') {
    const end = name.indexOf(']', at)
    if (end === -1) break
    keys.push(name.slice(at + 1, end))
    at = end + 1
  }
  return keys
}

/** The highest index of each list during parsing. Searching for it at each `[]` would take quadratic time. */
type HighestIndexes = Map<QueryTree, number>

function put(tree: QueryTree, highest: HighestIndexes, keys: readonly string[], value: string): void {
  if (keys.length > MOST_LEVELS) return
  const [first = '', ...inner] = keys
  let place = tree
  let name = first
  for (const key of inner) {
    const known = place.get(name)
    const next: QueryTree = known instanceof Map ? known : new Map()
    if (next !== known) place.set(name, next)
    place = next
    name = nameIn(highest, place, key)
  }
  place.set(name, value)
}

/** The name of a key in its list; an empty one becomes the next index. */
function nameIn(highest: HighestIndexes, place: QueryTree, key: string): string {
  const before = highest.get(place) ?? -1
  if (key !== '' && !isListIndex(key)) return key
  const index = key === '' ? before + 1 : Number(key)
  highest.set(place, Math.max(before, index))
  return String(index)
}

function decode(text: string): string {
  const spaced = text.replaceAll('+', ' ')
  return spaced.includes('%') ? (decodedText(spaced) ?? decodeBytes(spaced)) : spaced
}

/** Invalid UTF-8 becomes U+FFFD, and a `%` that does not escape anything is kept. */
function decodeBytes(text: string): string {
  const bytes: number[] = []
  for (let at = 0; at < text.length; at++) {
    const escaped = /^%[\da-f]{2}/i.exec(text.slice(at, at + 3))
    if (escaped) at += 2
    bytes.push(...(escaped ? [Number.parseInt(escaped[0].slice(1), 16)] : Buffer.from(text[at] ?? '')))
  }
  return Buffer.from(bytes).toString('utf8')
}

/** Percent-encodes everything except the unreserved characters of RFC 3986. */
export const encode = (text: string): string =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, sign => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)

/** Writes a query, without `?`. The indexes of an innermost list are omitted (`foo%5B%5D=a`). */
export function buildQuery(tree: QueryTree): string {
  const pairs: string[] = []
  for (const [name, value] of tree) append(pairs, encode(name), value)
  return pairs.join('&')
}

/** The same query with its names in byte order; the contents of each name keep their order. */
export function sortedQuery(tree: QueryTree): QueryTree {
  if (tree.size < 2) return tree
  return new Map([...tree].sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b))))
}

function append(pairs: string[], name: string, value: QueryValue): void {
  if (typeof value === 'string') {
    pairs.push(`${name}=${encode(value)}`)
    return
  }
  for (const [key, inner] of value) {
    const isLastOfList = typeof inner === 'string' && isListIndex(key)
    append(pairs, `${name}%5B${isLastOfList ? '' : encode(key)}%5D`, inner)
  }
}
