import type { Change } from '#fairway/shared/schemas/change'

/** What a page hears: of one change, that everything it shows may be old, or that the session is no longer what it was. */
export type Heard = { kind: 'change'; change: Change } | { kind: 'reload' } | { kind: 'session' }

type Listener = (heard: Heard) => void

/** What opens the stream once somebody listens; `startedAt` is when that was (`performance.now()`). Gives a function that closes it. */
type Open = (options: { startedAt: number; hear: Listener }) => Promise<() => void>

/** The first page is drawn and quiet by then. */
const OPEN_AFTER_IN_MS = 2000
/** Between two pages nobody listens for a moment. */
const CLOSE_AFTER_IN_MS = 5000

/** What is written elsewhere, for all that one tab shows: the stream is open while somebody listens. */
export function createLiveFeed(open: Open) {
  const listeners = new Set<Listener>()
  let opened: Promise<() => void> | undefined
  let timer: ReturnType<typeof setTimeout> | undefined

  function close(): void {
    void opened?.then(stop => stop())
    opened = undefined
  }

  return {
    /** Calls `listener` for whatever is heard; gives a function that stops it. */
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
