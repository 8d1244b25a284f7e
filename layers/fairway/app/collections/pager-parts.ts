import type { CollectionPage } from '#fairway/shared/collections/collection-page'

const NO_PAGE: CollectionPage<unknown> = { items: [] }

/** What a pager offers below this page: turning, and those page sizes; nothing of it for a list that fits. */
export function pagerParts(page = NO_PAGE, pageSizes: readonly number[] = []) {
  const { view, totalItems: total = Number.POSITIVE_INFINITY } = page
  const canTurn = view !== undefined && (view.previous ?? view.next) !== undefined
  const sizes = view !== undefined && total > Math.min(...pageSizes) ? pageSizes : []
  return { canTurn, sizes, isNeeded: canTurn || sizes.length > 0 }
}
