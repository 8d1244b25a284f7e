// Loaded after the first page. One tab of the browser listens to the server and forwards events to the others.
import { CHANGES_PATH } from '#fairway/shared/paths'
import { isRecord } from '#fairway/shared/record'
import { pageOrg, withOrg } from '../session/page-org'
import type { Change } from '#fairway/shared/schemas/change'

/** An event for a page: one change, a reload of everything it shows, or a change of the session. */
export type Heard = { kind: 'change'; change: Change } | { kind: 'reload' } | { kind: 'session' }

/** Tabs in different organizations have streams of their own. */
const NAME = ['fairway-changes', pageOrg.slug].join(' ').trim()
const FIRST_PAUSE_IN_MS = 1000
const LONGEST_PAUSE_IN_MS = 60_000
/** The maximum time for which the server repeats earlier changes. */
const MOST_SINCE_IN_MS = 600_000
/** A tab stops listening after it was hidden for this long. */
const HIDDEN_FOR_IN_MS = 5 * 60_000
/** The minimum interval of reloads on focus while there is no stream. */
const RELOAD_EVERY_IN_MS = 10_000
/**
 * The interval with a stream. Still needed for rows that are no longer shared with the user, which the stream does not report.
 */
const RELOAD_ANYWAY_EVERY_IN_MS = 5 * 60_000

type Message =
  | { kind: 'change'; change: Change; id: string; sentAt: number }
  | { kind: 'reload' | 'session' | 'live' | 'down' | 'ask' }

// Checked without schemas: most pages listen, and would load zod only for this.
const isChange = (value: unknown): value is Change =>
  isRecord(value) &&
  typeof value.action === 'string' &&
  Array.isArray(value.collections) &&
  (value.id === null || typeof value.id === 'string') &&
  typeof value.ageInMs === 'number'
/** Another tab may run another version of this code. */
const isMessage = (value: unknown): value is Message =>
  isRecord(value) && (value.kind === 'change' ? isChange(value.change) : typeof value.kind === 'string')

interface StreamOptions {
  /** When the page first requested its data. */
  startedAt: number
  hear: (heard: Heard) => void
}

/** Listens while the page is visible. Returns a function that stops it. */
export function openChangeStream({ startedAt, hear }: StreamOptions): () => void {
  const { state, tell, close } = openChannel(hear)
  let listening: AbortController | undefined
  let hiding: ReturnType<typeof setTimeout> | undefined
  let reloadedAt = startedAt

  const path = () => {
    if (state.lastId !== undefined) return `${CHANGES_PATH}?after=${state.lastId}`
    return `${CHANGES_PATH}?since=${Math.min(MOST_SINCE_IN_MS, Math.round(performance.now() - startedAt))}`
  }
  function start(): void {
    const { signal } = (listening = new AbortController())
    tell({ kind: 'ask' })
    void asTheOnlyTab(signal, async () => {
      Object.assign(state, { isLive: false, isListening: true })
      await listenToServer({ path, tell, signal })
      state.isListening = false
    })
  }
  function stop(): void {
    listening?.abort()
    listening = undefined
    state.isLive = false
  }
  function onSwitch(): void {
    clearTimeout(hiding)
    if (document.hidden) hiding = setTimeout(stop, HIDDEN_FOR_IN_MS)
    else if (!listening) start()
    reloadIfOld()
  }
  function reloadIfOld(): void {
    const now = performance.now()
    const every = state.isLive ? RELOAD_ANYWAY_EVERY_IN_MS : RELOAD_EVERY_IN_MS
    if (document.hidden || now - reloadedAt < every) return
    reloadedAt = now
    hear({ kind: 'reload' })
  }

  const over = new AbortController()
  document.addEventListener('visibilitychange', onSwitch, over)
  window.addEventListener('focus', reloadIfOld, over)
  window.addEventListener('online', reloadIfOld, over)
  onSwitch()
  return () => {
    over.abort()
    clearTimeout(hiding)
    stop()
    close()
  }
}

/** The channel between the tabs of this browser, and the state that this tab derives from it. */
function openChannel(hear: StreamOptions['hear']) {
  const channel = new BroadcastChannel(NAME)
  const state: { isLive: boolean; isListening: boolean; lastId?: string } = { isLive: false, isListening: false }

  function take(message: Message): void {
    if (message.kind === 'live' || message.kind === 'down') state.isLive = message.kind === 'live'
    else if (message.kind === 'change') {
      // A change of the inbox has no ID of its own.
      if (message.id) state.lastId = message.id
      // `performance.now()` starts at zero in each tab, so this uses the age of a change.
      const ageInMs = message.change.ageInMs + Math.max(0, Date.now() - message.sentAt)
      hear({ kind: 'change', change: { ...message.change, ageInMs } })
    } else if (message.kind !== 'ask') hear({ kind: message.kind })
  }
  function tell(message: Message): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has a single origin
    channel.postMessage(message)
    take(message)
  }

  channel.addEventListener('message', ({ data }) => {
    if (!isMessage(data)) return
    if (data.kind === 'ask' && state.isListening && state.isLive) tell({ kind: 'live' })
    else take(data)
  })
  return { state, tell, close: () => channel.close() }
}

/** Runs the work in one tab of this browser at a time. Browsers without locks run it in every tab. */
async function asTheOnlyTab(signal: AbortSignal, work: () => Promise<void>): Promise<void> {
  if (!('locks' in navigator)) return work()
  await navigator.locks.request(NAME, { signal }, work).catch(() => undefined)
}

interface ServerOptions {
  path: () => string
  tell: (message: Message) => void
  signal: AbortSignal
}

/** Listens to the server until the signal aborts. Reconnects after increasing pauses. */
async function listenToServer({ path, tell, signal }: ServerOptions): Promise<void> {
  let pauseInMs = FIRST_PAUSE_IN_MS
  const onReady = () => {
    pauseInMs = FIRST_PAUSE_IN_MS
    tell({ kind: 'live' })
  }
  while (!signal.aborted) {
    await untilClosed({ path, tell, signal }, onReady)
    if (signal.aborted) return
    tell({ kind: 'down' })
    await pause(pauseInMs * (1 + Math.random() / 2), signal)
    pauseInMs = Math.min(LONGEST_PAUSE_IN_MS, pauseInMs * 2)
  }
}

/** One connection. The browser itself reconnects after a short network failure. */
function untilClosed({ path, tell, signal }: ServerOptions, onReady: () => void): Promise<void> {
  return new Promise(resolve => {
    const source = new EventSource(withOrg(path()))
    const close = () => {
      source.close()
      resolve()
    }
    signal.addEventListener('abort', close, { once: true })
    source.addEventListener('ready', onReady)
    source.addEventListener('reload', () => tell({ kind: 'reload' }))
    source.addEventListener('change', ({ data, lastEventId: id }) => {
      const change = parseJson(data)
      if (isChange(change)) tell({ kind: 'change', change, id, sentAt: Date.now() })
    })
    source.addEventListener('end', ({ data }) => {
      const end = parseJson(data)
      if (isRecord(end) && end.reason === 'session') tell({ kind: 'session' })
      close()
    })
    source.addEventListener('error', () => {
      if (source.readyState !== EventSource.CLOSED) return tell({ kind: 'down' })
      // The server refused the connection. Browsers don't report why, and the session may have ended before the stream began.
      tell({ kind: 'session' })
      close()
    })
  })
}

function parseJson(text: unknown): unknown {
  try {
    return JSON.parse(String(text))
  } catch {
    return undefined
  }
}

const pause = (forMs: number, signal: AbortSignal): Promise<void> =>
  new Promise(resolve => {
    const timer = setTimeout(resolve, forMs)
    signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true })
  })
