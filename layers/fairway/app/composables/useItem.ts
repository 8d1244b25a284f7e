import type { CollectionTypes } from '#fw/collection-types'
import type { ActionTypes } from '#fw/action-types'
import { unseen, useOptimistic, withPatches } from '../collections/optimistic'
import { sendJson } from '../request/send-json'
import type { ItemOf } from '../collections/collection-list'
import { useChangeWatch, useFreshness } from '../live/use-freshness'

export interface UseItemOptions {
  /** Actions of this tab that may change the item. Actions that name the row refresh it anyway. */
  refreshAfter?: readonly (keyof ActionTypes & string)[]
}

/**
 * One item of a declared collection, typed by its declaration and kept up to date. It is requested once the component is mounted;
 * without an ID there is no request. An item with another ID, or from another organization, is never shown as this one.
 */
export function useItem<Name extends keyof CollectionTypes & string>(
  name: Name,
  id: MaybeRefOrGetter<string | undefined>,
  { refreshAfter = [] }: UseItemOptions = {},
) {
  const wanted = computed(() => toValue(id))
  const { read, status, error, readAt, askedAt, load, forget } = useItemRequest<ItemOf<Name>>(name, wanted)
  const { patches, during } = useOptimistic()
  const open = computed(() => unseen(patches.value, name, readAt.value).filter(patch => patch.id === wanted.value))

  async function restart(): Promise<void> {
    forget()
    await load()
  }

  const refreshQuietly = () => load({ isQuiet: true })
  const { refreshFor } = useFreshness({
    isConcerned: ({ action, collections, id: changed }) =>
      refreshAfter.some(each => each === action) ||
      (collections.includes(name) && (changed === null || changed === wanted.value)),
    askedAt,
    isBusy: () => status.value === 'pending',
    refresh: refreshQuietly,
  })
  useChangeWatch({ open, refreshFor, refresh: refreshQuietly, restart, refreshAfter })
  watch(wanted, restart)
  onMounted(() => load())

  return {
    /** The item; undefined while loading, and when it is missing, forbidden or being deleted. */
    item: computed(() => read.value && withPatches(read.value, open.value)),
    status: readonly(status),
    /** The item does not exist, or the user may not read it. */
    isMissing: computed(() => error.value?.status === 404),
    /** `error.detail` has the reason, and who can grant access if the response names them. */
    isForbidden: computed(() => error.value?.status === 403),
    /** The item is shown while a newer version is loading, or after that request failed. */
    isStale: computed(() => read.value !== undefined && status.value !== 'success'),
    error: shallowReadonly(error),
    refresh: () => load(),
    /** Shows these values immediately while `run` is pending, and reverts them on failure. Throws what `run` throws. */
    change: <T>(values: Partial<CollectionTypes[Name]['item']>, run: () => Promise<T>): Promise<T> =>
      during(wanted.value === undefined ? [] : [{ collection: name, id: wanted.value, values }], run),
  }
}

/** Requests one item. A deleted item disappears even after a background request. */
function useItemRequest<Item extends object>(name: string, id: Ref<string | undefined>) {
  const read = shallowRef<Item>()
  const request = useKeptRequest(failure => {
    const isGone = failure.status === 404 || failure.status === 403
    if (isGone) read.value = undefined
    return isGone
  })

  function forget(): void {
    read.value = undefined
    request.forget()
  }

  async function load({ isQuiet = false } = {}): Promise<void> {
    if (id.value === undefined) return
    const path = `/${encodeURIComponent(name)}/${encodeURIComponent(id.value)}`
    await request.load({
      ask: signal => sendJson(path, { signal }),
      take: answer => {
        // The server has validated the item against the schema of this type.
        if (!isQuiet || JSON.stringify(answer) !== JSON.stringify(read.value)) read.value = answer as Item
      },
      isQuiet,
    })
  }

  return { ...request, read, load, forget }
}
