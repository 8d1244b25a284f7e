import { isSame } from '../utils/is-same'

/**
 * An editable copy of an item. Changes of others replace the copy as long as the person has changed nothing. Without an item the
 * draft is undefined.
 */
export function useItemDraft<Draft extends object>(item: () => Draft | undefined) {
  const saved = computed(item)
  const draft = ref() as Ref<Draft | undefined>
  const changes = computed(() => changedFields(draft.value, saved.value))

  watch(
    saved,
    (now, before) => {
      const isUnchanged = Object.keys(changedFields(draft.value, before)).length === 0
      if (now && isUnchanged) draft.value = structuredClone(now)
    },
    { immediate: true },
  )

  return {
    draft,
    /** The fields that differ from the item, with their new values. */
    changes,
    isChanged: computed(() => Object.keys(changes.value).length > 0),
  }
}

const changedFields = <Draft extends object>(draft: Draft | undefined, saved: Draft | undefined): Partial<Draft> => {
  const was = new Map<string, unknown>(Object.entries(saved ?? {}))
  const changed = Object.entries(draft ?? {}).filter(([name, value]) => !isSame(value, was.get(name)))
  return Object.fromEntries(changed) as Partial<Draft>
}
