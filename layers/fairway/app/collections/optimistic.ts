import type { CollectionTypes } from '#fw/collection-types'
import type { CollectionName } from './collection-list'

/** The expected state of a row after an action; null for a deleted row. */
export type OptimisticChange = {
  [Name in CollectionName]: {
    collection: Name
    id: string
    values: { readonly [key in keyof CollectionTypes[Name]['item']]?: CollectionTypes[Name]['item'][key] } | null
  }
}[CollectionName]

/** A change that is shown before the server has answered, and until newer rows arrive. */
export interface Patch {
  collection: string
  id: string
  values: object | null
  /** When the server completed it (`performance.now()`); undefined before that. */
  settledAt?: number
}

/** The maximum age of a completed change when its rows are not requested again. */
const KEPT_FOR_IN_MS = 60_000

/** The pending changes, oldest first. */
export function useOptimistic() {
  const patches = useState<readonly Patch[]>('fairway-patches', () => shallowRef([]))

  /**
   * Shows the changes while `run` is pending. Reverts them on failure, without affecting other changes to the same row. Throws
   * what `run` throws.
   */
  async function during<T>(changes: readonly Patch[], run: () => Promise<T>): Promise<T> {
    const mine: readonly Patch[] = changes.map(change => ({ ...change }))
    const old = performance.now() - KEPT_FOR_IN_MS
    const recent = patches.value.filter(({ settledAt }) => settledAt === undefined || settledAt > old)
    patches.value = [...recent, ...mine]
    try {
      const result = await run()
      const settledAt = performance.now()
      patches.value = patches.value.map(patch => (mine.includes(patch) ? { ...patch, settledAt } : patch))
      return result
    } catch (thrown) {
      patches.value = patches.value.filter(patch => !mine.includes(patch))
      throw thrown
    }
  }

  return { patches, during }
}

/** The changes that rows read at this moment (`performance.now()`) do not include yet. */
export const unseen = (patches: readonly Patch[], collection: string, readAt: number): Patch[] =>
  patches.filter(patch => patch.collection === collection && (patch.settledAt ?? Number.POSITIVE_INFINITY) > readAt)

/** A row with the changes applied; undefined for a deleted one. */
export function withPatches<Item extends object>(item: Item, patches: readonly Patch[]): Item | undefined {
  const id = 'id' in item ? String(item.id) : undefined
  let changed: Item | undefined = item
  for (const patch of patches) {
    if (patch.id === id) changed = patch.values === null ? undefined : changed && { ...changed, ...said(patch.values) }
  }
  return changed
}

/** Fields that are left out of an input change nothing. */
const said = (values: object) => Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))

/** Rows with the changes applied, without deleted rows and rows that no longer match this filter. */
export function rowsWithPatches<Item extends object>(
  items: readonly Item[],
  patches: readonly Patch[],
  filters: Readonly<Record<string, unknown>>,
): readonly Item[] {
  if (patches.length === 0) return items
  return items.flatMap(item => {
    const changed = withPatches(item, patches)
    return changed && (changed === item || !leaves(item, changed, filters)) ? [changed] : []
  })
}

/**
 * Whether a row had exactly the value of a filter and now has another one. Such a row no longer matches, for any kind of filter.
 */
function leaves(before: object, after: object, filters: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(filters).some(([field, wanted]) => {
    const passes = (row: object) =>
      [wanted]
        .flat()
        .map(String)
        .includes(String(Reflect.get(row, field)))
    return wanted !== undefined && passes(before) && !passes(after)
  })
}
