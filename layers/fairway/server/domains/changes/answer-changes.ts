// The stream of changes as server-sent events (HTML standard, §9.2).
import { type H3Event, setResponseHeaders } from 'h3'
import { z } from 'zod'
import type { HeardUntil } from '#fairway/server/domains/actions'
import { checkOrgOpens } from '#fairway/server/domains/organizations'
import { requireSession, sessionNow } from '#fairway/server/domains/sessions'
import { getApp, type App } from '#fairway/server/kernel/app-context'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { readQuery } from '#fairway/server/kernel/http/read-input'
import { addressKey } from '#fairway/server/kernel/http/client-address'
import { requestInfo } from '#fairway/server/kernel/http/request-info'
import { streamLimits } from '#fairway/server/kernel/limits/limits'
import { isStopping } from '#fairway/server/kernel/background'
import type { Session } from '#fairway/shared/schemas/session'
import type { Declared } from './change'
import { listen, type Listener } from './change-feed'

const HEARTBEAT_EVERY_IN_MS = 15_000
/** How long a browser waits before it reconnects after it lost the connection. */
const ASK_AGAIN_IN_MS = 2000
/** A client that reads more slowly than the server writes is disconnected at this backlog. */
const MOST_UNREAD_BYTES = 256 * 1024
const LATER = { headers: { 'retry-after': '30' } }

const querySchema = z.object({
  /**
   * The ID of the newest change that the page received. A browser that reconnects sends it in the `last-event-id` header instead.
   */
  after: z.uuid().optional(),
  /** How many milliseconds ago the page began to load the data that it shows. */
  since: z.coerce.number().int().min(0).max(600_000).optional(),
})

/**
 * Streams the writes in the person's active organization until they disconnect or their session ends. Throws `unauthenticated`,
 * `provider-required`, and what `takePlace` throws.
 */
export async function answerChangesRequest(event: H3Event, declared: Declared): Promise<void> {
  const app = getApp(event)
  const session = await requireSession(event)
  checkOrgOpens(session)
  const until = heardUntil(event)
  const network = addressKey(requestInfo(event).clientAddress)
  const leave = takePlace(app, { session: session.id ?? session.userId, person: session.userId, network })
  try {
    if (event.method !== 'HEAD') await stream(event, { app, session, declared, until })
  } finally {
    leave()
  }
}

interface Place {
  session: string
  person: string
  network: string
}

/**
 * Reserves a place for one more stream and returns a function that releases it. Throws `rate-limited` when the session, the
 * person or the network has reached its limit, and `unavailable` when the instance has, or is shutting down; both with
 * `Retry-After`.
 */
export function takePlace(app: App, place: Place): () => void {
  const places = app.memo('change-stream-places', () => new Set<Place>())
  const held = (key: keyof Place) => [...places].filter(other => other[key] === place[key]).length
  if (isStopping(app) || places.size >= streamLimits.perProcess) throw new AppError('unavailable', LATER)
  const isOver =
    held('session') >= streamLimits.perSession ||
    held('person') >= streamLimits.perPerson ||
    held('network') >= streamLimits.perNetwork
  if (isOver) throw new AppError('rate-limited', LATER)
  places.add(place)
  return () => void places.delete(place)
}

function heardUntil(event: H3Event): HeardUntil | undefined {
  const { after, since } = readQuery(event, querySchema)
  const id = z.uuid().safeParse(event.node.req.headers['last-event-id']).data ?? after
  if (id !== undefined) return { id }
  return since === undefined ? undefined : { agoInMs: since }
}

interface StreamInput {
  app: App
  session: Session
  declared: Declared
  until: HeardUntil | undefined
}

async function stream(event: H3Event, { app, session, declared, until }: StreamInput): Promise<void> {
  const { res } = event.node
  setResponseHeaders(event, {
    'content-type': 'text/event-stream; charset=utf-8',
    // Proxies must not store, transform or buffer the stream.
    'cache-control': 'no-store, no-transform',
    'x-accel-buffering': 'no',
  })
  res.statusCode = 200
  const gone = new Promise<void>(resolve => res.once('close', resolve))
  const write = (text: string) => {
    if (res.writableEnded || res.destroyed) return
    res.write(text)
    if (res.writableLength > MOST_UNREAD_BYTES) res.destroy()
  }
  const listener: Listener = {
    session,
    sessionNow: () => sessionNow(event),
    tell: (change, id) => write(`event: change\n${id ? `id: ${id}\n` : ''}data: ${JSON.stringify(change)}\n\n`),
    tellToReload: () => write('event: reload\ndata: {}\n\n'),
    end: reason => {
      write(`event: end\ndata: ${JSON.stringify({ reason })}\n\n`)
      res.end()
    },
  }
  write(`retry: ${ASK_AGAIN_IN_MS}\n\n`)
  const heart = setInterval(() => write(':\n\n'), HEARTBEAT_EVERY_IN_MS)
  heart.unref()
  try {
    const stop = await listen(app, declared, listener, until)
    write('event: ready\ndata: {}\n\n')
    await gone.finally(stop)
  } catch (error) {
    app.log.warn('a stream of changes could not begin', { error })
    res.end()
  } finally {
    clearInterval(heart)
  }
}
