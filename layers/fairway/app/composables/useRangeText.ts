import type { ShownRange } from '../collections/shown-range'

/** Says in words which rows a page shows, for example “31–60 of 100”. */
export function useRangeText() {
  const { t } = useI18n()

  return (range: ShownRange): string => {
    if (range.kind === 'counted') return t('collection.range.counted', { ...range })
    return range.kind === 'paged'
      ? t('collection.range.paged', { page: range.page, rows: t('collection.range.rows', range.rows) })
      : t('collection.range.rows', range.rows)
  }
}
