import type { CollectionPage } from '#fairway/shared/collections/collection-page'

/** Which rows a page holds, as far as it says so. */
export type ShownRange =
  | { kind: 'counted'; first: number; last: number; total: number }
  | { kind: 'paged'; page: number; rows: number }
  | { kind: 'rows'; rows: number }

/** The place of a page in its collection: of a total when somebody counted, else by its number, else only how many rows it has; `isJoined` when it holds the pages before it too. */
export function shownRange({ items, totalItems, view }: CollectionPage<unknown>, isJoined = false): ShownRange {
  const rows = items.length
  if (isJoined) return totalItems === undefined ? { kind: 'rows', rows } : counted(0, rows, totalItems)
  const page = view ? pageNumber(view['@id']) : 1
  if (totalItems !== undefined && page !== undefined) {
    // The last page may be shorter than the others; it is counted from the end.
    const before = view?.next === undefined ? totalItems - rows : (page - 1) * rows
    return counted(before, rows, totalItems)
  }
  return page === undefined ? { kind: 'rows', rows } : { kind: 'paged', page, rows }
}

const counted = (before: number, rows: number, total: number): ShownRange => ({
  kind: 'counted',
  first: rows === 0 ? 0 : before + 1,
  last: rows === 0 ? 0 : before + rows,
  total,
})

function pageNumber(link: string): number | undefined {
  const page = Number(new URL(link, 'http://collection.invalid').searchParams.get('page') ?? Number.NaN)
  return Number.isInteger(page) ? page : undefined
}
