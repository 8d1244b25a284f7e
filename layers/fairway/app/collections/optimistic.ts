import type { CollectionTypes } from '#fw/collection-types'

type CollectionName = keyof CollectionTypes & string

/** What a row will be when an action has done its work; null where it will be gone. */
export type OptimisticChange = {
  [Name in CollectionName]: {
    collection: Name
    id: string
    values: { readonly [key in keyof CollectionTypes[Name]['item']]?: CollectionTypes[Name]['item'][key] } | null
  }
}[CollectionName]

/** A change that is shown before the server has answered, and after that until newer rows are here. */
export interface Patch {
  collection: string
  id: string
  values: object | null
  /** When the server had done it (`performance.now()`); undefined while it has not. */
  settledAt?: number
}

/** What is kept at most for rows that were not asked for again. */
const KEPT_FOR_IN_MS = 60_000

/** The changes under way, in the order in which they were made. */
export function useOptimistic() {
  const patches = useState<readonly Patch[]>('fairway-patches', () => shallowRef([]))

  /** Shows the changes while `run` is under way, and takes back those of one that fails; others of the same row stay. Throws what `run` throws. */
  async function during<T>(changes: readonly Patch[], run: () => Promise<T>): Promise<T> {
    const mine: readonly Patch[] = changes.map(change => ({ ...change }))
    const old = performance.now() - KEPT_FOR_IN_MS
    const kept = patches.value.filter(({ settledAt }) => settledAt === undefined || settledAt > old)
    patches.value = [...kept, ...mine]
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

/** The changes that rows read at this moment (`performance.now()`) do not show yet. */
export const unseen = (patches: readonly Patch[], collection: string, readAt: number): Patch[] =>
  patches.filter(patch => patch.collection === collection && (patch.settledAt ?? Number.POSITIVE_INFINITY) > readAt)

/** A row as it will be; undefined for one that will be gone. */
export function withPatches<Item extends object>(item: Item, patches: readonly Patch[]): Item | undefined {
  const id = 'id' in item ? String(item.id) : undefined
  let changed: Item | undefined = item
  for (const patch of patches) {
    if (patch.id === id) changed = patch.values === null ? undefined : changed && { ...changed, ...said(patch.values) }
  }
  return changed
}

/** What is left out of an input changes nothing. */
const said = (values: object) => Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))

/** Rows as they will be, without those that will be gone or that this filter let in and will not any more. */
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

/** Whether a row had just the value that a filter names, and has another one now: whatever kind of filter it is, the row is out. */
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
