import {
  type AuditWrite,
  followAudit,
  type HeardUntil,
  listMissedWrites,
  listWritesAfter,
  newestAuditRow,
} from '#fairway/server/domains/actions'
import { listSignalsAfter, newestSignal } from '#fairway/server/domains/people'
import type { App } from '#fairway/server/kernel/app-context'
import { isStopping } from '#fairway/server/kernel/background'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { type Change, INBOX_CHANGED } from '#fairway/shared/schemas/change'
import type { Session } from '#fairway/shared/schemas/session'
import { changeFor, concerns, type Declared } from './change'

/** One open stream that receives changes. */
export interface Listener {
  session: Session
  /** The current session; null when it has ended. */
  sessionNow(): Promise<Session | null>
  /** Without an ID for a change that is not in the log, which a page that connects again cannot miss: it loads its inbox. */
  tell(change: Change, id?: string): void
  /** Tells the page that changes may be missing and all its data may be stale. */
  tellToReload(): void
  end(reason: 'session' | 'stopping'): void
}

type Place = Pick<AuditWrite, 'place' | 'id'>

interface Feed {
  listeners: Set<Listener>
  /** The newest row that was delivered to all listeners. */
  last: Place | undefined
  /** The newest signal of an inbox that was delivered. */
  lastSignal: number
  /** When this process wrote each row, in milliseconds of its monotonic clock. */
  written: Map<string, number>
  checkedAt: number
  looking?: Promise<void>
  isDue: boolean
  stop?: () => void
}

const LOOK_EVERY_IN_MS = 1000
const CHECK_EVERY_IN_MS = 20_000
/** These writes end sessions. They trigger the session check at once instead of at the next interval, on every instance. */
const ENDS_SESSIONS = new Set(['suspend-person', 'end-person-sessions'])
/** The most rows that one poll reads; the next poll continues from there. */
const MOST_ROWS = 500
const MOST_MISSED = 200
/** With more rows than this, reloading the data costs less than checking who may read each row. */
const MOST_TOLD = 100

const feedOf = (app: App): Feed =>
  app.memo('change-feed', () => ({
    listeners: new Set<Listener>(),
    last: undefined,
    lastSignal: 0,
    written: new Map(),
    checkedAt: 0,
    isDue: false,
  }))

/**
 * Sends a listener every write of any instance from now on, and what it has missed since `until`. Returns a function that stops
 * it. While there are listeners, the log is polled once a second, and at once when this process has written.
 */
export async function listen(
  app: App,
  declared: Declared,
  listener: Listener,
  until: HeardUntil | undefined,
): Promise<() => void> {
  const feed = feedOf(app)
  if (!feed.stop) {
    const last = await newestAuditRow(app)
    const lastSignal = await newestSignal(app)
    // Another listener may have started the feed during the query.
    if (!feed.stop) Object.assign(feed, { last, lastSignal, stop: startLooking(app, declared, feed) })
  }
  feed.listeners.add(listener)
  const stop = () => {
    feed.listeners.delete(listener)
    if (feed.listeners.size > 0) return
    feed.stop?.()
    feed.stop = undefined
    feed.written.clear()
  }
  try {
    if (until) await tellMissed(app, declared, listener, until)
  } catch (error) {
    stop()
    throw error
  }
  return stop
}

/** Ends every stream of this instance. */
export function endChangeStreams(app: App): void {
  for (const listener of feedOf(app).listeners) listener.end('stopping')
}

async function tellMissed(app: App, declared: Declared, listener: Listener, until: HeardUntil): Promise<void> {
  const missed = await listMissedWrites(app, listener.session, until, MOST_MISSED)
  if (!missed) return listener.tellToReload()
  for (const write of missed) {
    const change = await changeFor(app, declared, listener.session, write)
    if (change) listener.tell({ ...change, ageInMs: 0 }, write.id)
  }
}

function startLooking(app: App, declared: Declared, feed: Feed): () => void {
  const look = () => {
    feed.isDue = true
    feed.looking ??= lookWhileDue(app, declared, feed).finally(() => {
      feed.looking = undefined
      if (feed.isDue) look()
    })
  }
  const unfollow = followAudit(app, id => {
    feed.written.set(id, performance.now())
    look()
  })
  const timer = setInterval(() => {
    if (isStopping(app)) endChangeStreams(app)
    else look()
  }, LOOK_EVERY_IN_MS)
  timer.unref()
  return () => {
    clearInterval(timer)
    unfollow()
  }
}

async function lookWhileDue(app: App, declared: Declared, feed: Feed): Promise<void> {
  while (feed.isDue) {
    feed.isDue = false
    try {
      await Promise.all([lookOnce(app, declared, feed), tellInboxes(app, feed)])
    } catch (error) {
      // The next poll starts at the same row again.
      app.log.warn('the log of writes could not be followed', { error })
    }
  }
}

/** Tells the people whose inbox has changed. What is in it is for the request of the page. */
async function tellInboxes(app: App, feed: Feed): Promise<void> {
  const { userIds, last } = await listSignalsAfter(app, feed.lastSignal)
  feed.lastSignal = last
  for (const { session, tell } of feed.listeners)
    if (userIds.has(session.userId)) tell({ action: INBOX_CHANGED, collections: [], id: null, ageInMs: 0 })
}

async function lookOnce(app: App, declared: Declared, feed: Feed): Promise<void> {
  const news = await listWritesAfter(app, feed.last, MOST_ROWS)
  if (!news) {
    feed.last = await newestAuditRow(app)
    for (const listener of feed.listeners) listener.tellToReload()
    return
  }
  const now = performance.now()
  const endsSessions = news.writes.some(({ action }) => ENDS_SESSIONS.has(action))
  const isCheckDue = endsSessions || now - feed.checkedAt >= CHECK_EVERY_IN_MS
  if (isCheckDue) feed.checkedAt = now
  const deliveries = [...feed.listeners].map(listener => {
    const writes = news.writes.filter(write => concerns(write, listener.session))
    return writes.length > 0 || isCheckDue ? deliver(app, { declared, feed, listener, writes }) : undefined
  })
  await Promise.all(deliveries)
  feed.last = news.last
  if (news.isCut) feed.isDue = true
  if (!feed.isDue) feed.written.clear()
}

interface Delivery {
  declared: Declared
  feed: Feed
  listener: Listener
  writes: readonly AuditWrite[]
}

/** Sends the writes to a listener whose session is unchanged; ends the stream of any other listener. */
async function deliver(app: App, { declared, feed, listener, writes }: Delivery): Promise<void> {
  const session = await listener.sessionNow().catch(whileKeptOut)
  if (!session || !isSame(session, listener.session)) return listener.end('session')
  if (writes.length > MOST_TOLD) return listener.tellToReload()
  for (const write of writes) {
    const change = await changeFor(app, declared, session, write)
    const writtenAt = feed.written.get(write.id)
    // The clocks of two instances differ, so only writes of this instance have an age.
    const ageInMs = writtenAt === undefined ? 0 : Math.round(performance.now() - writtenAt)
    if (change) listener.tell({ ...change, ageInMs }, write.id)
  }
}

const KEPT_OUT = new Set(['account-suspended', 'no-such-organization'])

function whileKeptOut(error: unknown): null {
  if (error instanceof AppError && KEPT_OUT.has(error.code)) return null
  throw error
}

/** Whether a session has the same access as before: the same person and organization, with the same role there. */
const isSame = (now: Session, before: Session): boolean =>
  now.userId === before.userId &&
  now.orgId === before.orgId &&
  now.orgRole === before.orgRole &&
  now.email === before.email &&
  now.closedOrg?.id === before.closedOrg?.id
