import type { Change } from '#fairway/shared/schemas/change'
import type { Patch } from '../collections/optimistic'
import { useDoneAction } from '../composables/useRequest'
import type { Heard } from './change-stream'

type Listener = (heard: Heard) => void

/**
 * Opens the stream for the first listener; `startedAt` is when it was added (`performance.now()`). Returns a function that closes
 * it.
 */
type Open = (options: { startedAt: number; hear: Listener }) => Promise<() => void>

/** By then, the first page is rendered and idle. */
const OPEN_AFTER_IN_MS = 2000
/** Between two pages, there is briefly no listener. */
const CLOSE_AFTER_IN_MS = 5000

/** Changes from other tabs and users, for everything that one tab shows. The stream is open while there are listeners. */
function createLiveFeed(open: Open) {
  const listeners = new Set<Listener>()
  let opened: Promise<() => void> | undefined
  let timer: ReturnType<typeof setTimeout> | undefined

  function close(): void {
    void opened?.then(stop => stop())
    opened = undefined
  }

  return {
    isUsed: () => listeners.size > 0,
    /** Calls `listener` for each event. Returns a function that removes it. */
    listen(listener: Listener): () => void {
      const startedAt = performance.now()
      listeners.add(listener)
      clearTimeout(timer)
      const hear = (heard: Heard) => listeners.forEach(each => each(heard))
      if (!opened) timer = setTimeout(() => void (opened = open({ startedAt, hear })), OPEN_AFTER_IN_MS)
      return () => {
        listeners.delete(listener)
        if (listeners.size > 0) return
        clearTimeout(timer)
        timer = setTimeout(close, CLOSE_AFTER_IN_MS)
      }
    },
  }
}

type LiveFeed = ReturnType<typeof createLiveFeed>

const feeds = new WeakMap<object, LiveFeed>()

/** The single feed of this tab. */
function useLiveFeed(): LiveFeed {
  const nuxtApp = useNuxtApp()
  const known = feeds.get(nuxtApp)
  if (known) return known
  const feed = createLiveFeed(async ({ startedAt, hear }) => {
    const { openChangeStream } = await import('./change-stream')
    return openChangeStream({
      startedAt,
      hear(heard) {
        // The stream ends a moment after the page.
        if (!feed.isUsed()) return
        hear(heard)
        // An app may ask the user for approval.
        if (heard.kind === 'change' && heard.change.action.startsWith('request-'))
          void import('./approval-notice').then(({ noticeApproval }) => noticeApproval(nuxtApp, heard.change))
      },
    })
  })
  feeds.set(nuxtApp, feed)
  return feed
}

interface FreshnessOptions {
  /** Whether this change may affect the shown data. */
  isConcerned: (change: Change) => boolean
  /** When the newest request for it began (`performance.now()`). */
  askedAt: () => number
  isBusy: () => boolean
  /** Requests the data again without a loading state. */
  refresh: () => Promise<unknown>
}

const SHORTLY_IN_MS = 50
const AT_MOST_EVERY_IN_MS = 1000

/**
 * Keeps the shown data up to date: requests it again after a change by another tab or user. Returns a function that does the same
 * for a change at that moment (`performance.now()`). A change before the newest request is ignored.
 */
export function useFreshness({ isConcerned, askedAt, isBusy, refresh }: FreshnessOptions) {
  const { $session } = useNuxtApp()
  const feed = useLiveFeed()
  let changedAt = 0
  let lastAt = Number.NEGATIVE_INFINITY
  let timer: ReturnType<typeof setTimeout> | undefined

  function refreshFor(at: number): void {
    changedAt = Math.max(changedAt, at)
    clearTimeout(timer)
    timer = setTimeout(look, Math.max(SHORTLY_IN_MS, lastAt + AT_MOST_EVERY_IN_MS - performance.now()))
  }
  function look(): void {
    if (askedAt() > changedAt) return
    // The user's own requests come first.
    if (isBusy()) return refreshFor(changedAt)
    lastAt = performance.now()
    void refresh()
  }

  let stop: (() => void) | undefined
  onMounted(() => {
    stop = feed.listen(heard => {
      const now = performance.now()
      if (heard.kind === 'session') void $session.recheck()
      else if (heard.kind === 'reload') refreshFor(now)
      else if (isConcerned(heard.change)) refreshFor(now - heard.change.ageInMs)
    })
  })
  onScopeDispose(() => {
    clearTimeout(timer)
    stop?.()
  })

  return { refreshFor }
}

/**
 * Loads data when the page shows it, and again after a change that concerns it. Returns the function that loads it at once.
 */
export function useLiveLoad(
  { attempt, pending }: { attempt: () => Promise<boolean>; pending: Ref<boolean> },
  isConcerned: (change: Change) => boolean,
): () => Promise<boolean> {
  let startedAt = 0
  function load(): Promise<boolean> {
    startedAt = performance.now()
    return attempt()
  }
  useFreshness({ isConcerned, askedAt: () => startedAt, isBusy: () => pending.value, refresh: load })
  onMounted(load)
  return load
}

interface ChangeWatch {
  /** The changes that the shown data does not include yet. */
  open: Ref<readonly Patch[]>
  refreshFor: (at: number) => void
  refresh: () => unknown
  restart: () => unknown
  refreshAfter: readonly string[]
}

/**
 * Requests the data again after changes by this tab: the named actions, a changing action of the palette, an optimistic change.
 * Restarts in another organization.
 */
export function useChangeWatch({ open, refreshFor, refresh, restart, refreshAfter }: ChangeWatch): void {
  const { changes } = usePalette()
  const { session } = useSession()
  watch(useDoneAction(), done => done && refreshAfter.includes(done.name) && refresh())
  watch(changes, () => refresh())
  watch(open, patches => {
    const settled = patches.flatMap(({ settledAt = [] }) => settledAt)
    if (settled.length > 0) refreshFor(Math.max(...settled))
  })
  // Another organization has other rows.
  watch(
    () => session.value?.orgId,
    () => restart(),
  )
}
