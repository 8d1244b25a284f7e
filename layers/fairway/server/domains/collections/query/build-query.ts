import { isListIndex, type QueryTree, type QueryValue } from './parse-query'

/** Percent-encodes everything but the unreserved characters of RFC 3986. */
export const encode = (text: string): string =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, sign => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)

/** Writes a query, without `?`; the index of a list's last level is left out (`foo%5B%5D=a`). */
export function buildQuery(tree: QueryTree): string {
  const pairs: string[] = []
  for (const [name, value] of tree) append(pairs, encode(name), value)
  return pairs.join('&')
}

/** The same query with its names in byte order; what is inside one name keeps its order. */
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
