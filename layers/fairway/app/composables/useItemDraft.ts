import type { UnwrapRef } from 'vue'
import { isSame } from '../utils/is-same'

/**
 * An editable copy of an item. Changes of others replace the copy as long as the person has changed nothing. Without an item the
 * draft is undefined.
 */
export function useItemDraft<Draft extends object>(item: () => Draft | undefined) {
  const saved = computed(item)
  const draft = ref<Draft>()
  const changes = computed(() => changedFields(draft.value as Draft | undefined, saved.value))

  watch(
    saved,
    (now, before) => {
      const isUnchanged = Object.keys(changedFields(draft.value as Draft | undefined, before)).length === 0
      if (now && isUnchanged) draft.value = structuredClone(now) as UnwrapRef<Draft>
    },
    { immediate: true },
  )

  return {
    draft: draft as Ref<Draft | undefined>,
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
