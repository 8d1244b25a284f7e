import type { CollectionList } from '../collections/collection-list'
import { shownRange } from '../collections/shown-range'
import type { TableColumn } from '../collections/table-column'

/** What a screen reader says when other rows have come: their order and which they are; empty until the first change. */
export function useListAnnouncement(list: CollectionList<unknown>, columns: () => readonly TableColumn[]) {
  const { t } = useI18n()
  const rangeText = useRangeText()
  const announcement = ref('')

  watch(list.page, (page, before) => {
    if (!page || !before) return
    const [first] = list.order.value
    const column = columns().find(({ sort }) => sort === first?.field)
    const sorted = first && column ? t(`collection.sorted.${first.direction}`, { column: column.label }) : ''
    announcement.value = [sorted, rangeText(shownRange(page, list.mode === 'infinite'))].filter(Boolean).join('. ')
  })

  return { announcement }
}
