import type { CollectionPage } from '#fairway/shared/collections/collection-page'
import type { ShownList, ShownPage, TableColumn } from './collection-list'

/** The rows of a page, as far as the page states them. */
type ShownRange =
  | { kind: 'counted'; first: number; last: number; total: number }
  | { kind: 'paged'; page: number; rows: number }
  | { kind: 'rows'; rows: number }

/**
 * The position of a page in its collection: within the total, else by page number, else only a row count. `isJoined` when it
 * includes the previous pages.
 */
export function shownRange({ items, totalItems, view }: CollectionPage<unknown>, isJoined = false): ShownRange {
  const rows = items.length
  if (isJoined) return totalItems === undefined ? { kind: 'rows', rows } : counted(0, rows, totalItems)
  const page = view ? pageNumber(view['@id']) : 1
  if (totalItems !== undefined && page !== undefined) {
    // The final page may be shorter than the others, so its position is counted from the end.
    const before = view?.next === undefined ? totalItems - rows : (page - 1) * rows
    return counted(before, rows, totalItems)
  }
  return page === undefined ? { kind: 'rows', rows } : { kind: 'paged', page, rows }
}

const counted = (before: number, rows: number, total: number): ShownRange =>
  rows === 0 ? { kind: 'rows', rows } : { kind: 'counted', first: before + 1, last: before + rows, total }

function pageNumber(link: string): number | undefined {
  const page = Number(new URL(link, 'http://collection.invalid').searchParams.get('page') ?? Number.NaN)
  return Number.isInteger(page) ? page : undefined
}

/** The total of a list in words, for example “100”, or “10,000+” when the list has more rows than were counted. */
function useTotalText() {
  const { n } = useI18n()
  return ({ totalItems = 0, isTotalCapped }: ShownPage<unknown>): string =>
    isTotalCapped ? `${n(totalItems)}+` : n(totalItems)
}

/** How many rows a list has, by a plural text with `count`, for example “10,000+ events”; null before they arrive. */
export function useCountText({ page }: Pick<ShownList<unknown>, 'page'>, text: string) {
  const { t } = useI18n()
  const totalText = useTotalText()
  return computed(() => (page.value ? t(text, { count: totalText(page.value) }, page.value.totalItems ?? 0) : null))
}

/** The shown rows in words, for example “31–60 of 100”. */
export function useRangeText() {
  const { t } = useI18n()
  const totalText = useTotalText()

  return (page: ShownPage<unknown>, isJoined = false): string => {
    const range = shownRange(page, isJoined)
    if (range.kind === 'counted') return t('collection.range.counted', { ...range, total: totalText(page) })
    return range.kind === 'paged'
      ? t('collection.range.paged', { page: range.page, rows: t('collection.range.rows', range.rows) })
      : t('collection.range.rows', range.rows)
  }
}

/** The announcement for screen readers when the rows change: their order and range. Empty until the first change. */
export function useListAnnouncement(list: ShownList<unknown>, columns: () => readonly TableColumn[]) {
  const { t } = useI18n()
  const rangeText = useRangeText()
  const announcement = ref('')

  watch(list.page, (page, before) => {
    if (!page || !before || page.isQuiet) return
    const [first] = list.order?.value ?? []
    const column = columns().find(({ sort }) => sort === first?.field)
    const sorted = first && column ? t(`collection.sorted.${first.direction}`, { column: column.label }) : ''
    announcement.value = [sorted, rangeText(page, list.mode === 'infinite')].filter(Boolean).join('. ')
  })

  return { announcement }
}
