import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { App } from '#fairway/server/kernel/app-context'
import { createOrm } from '#fairway/server/kernel/database/orm'
import { listen, type WebServer } from './web-server'

type Wrap = <Args extends unknown[], T>(call: (...args: Args) => Promise<T>) => (...args: Args) => Promise<T>

/** The same app with `wrap` around each database call. */
function withCalls(app: App, wrap: Wrap): App {
  const { db } = app
  const { execute, batch, rows } = db.client
  const client = { ...db.client, execute: wrap(execute), batch: wrap(batch), rows: wrap(rows) } as typeof db.client
  return {
    ...app,
    db: { ...db, client, orm: createOrm(client), prepareRead: sql => wrap(db.prepareRead(sql)) },
    // Skips the memo, because the memoized values of the original app use its unwrapped database.
    memo: (_name, make) => make(),
  }
}

/** The same app with a short delay before and after each database call, so that concurrent work interleaves. */
export function withLatency(app: App, mostInMs = 8): App {
  const pause = () => sleep(Math.random() * mostInMs)
  return withCalls(app, call => async (...args) => {
    await pause()
    const result = await call(...args)
    await pause()
    return result
  })
}

/** Counts the statements that `work` sends. */
export async function countStatements(app: App, work: (app: App) => Promise<unknown>): Promise<number> {
  let statements = 0
  const counted = withCalls(app, call => (...args) => {
    statements += 1
    return call(...args)
  })
  await work(counted)
  return statements
}

/**
 * The same app, which runs an interfering function once, just before database call number `at` (from 0).
 * `calls` returns the number of calls, so that a test can try every position.
 */
export function withInterruption(app: App, at: number, happens: () => Promise<unknown>): { app: App; calls(): number } {
  let calls = 0
  const interrupted = withCalls(app, call => async (...args) => {
    if (calls++ === at) await happens()
    return call(...args)
  })
  return { app: interrupted, calls: () => calls }
}

export interface Link extends WebServer {
  /** From now on, delays each piece of data by this time and keeps the order. */
  delay(pauseInMs: () => number): void
  /** Closes all connections and refuses new ones until `mend`. */
  cut(): void
  /** Accepts all data and forwards none, like a network that loses its packets. */
  lose(): void
  mend(): void
}

/** A link to a database server that can be slow, cut off or silent. For servers in other processes. */
export async function startLink(url: string): Promise<Link> {
  const { hostname, port } = new URL(url)
  const sockets = new Set<Socket>()
  let pauseInMs = () => 0
  let way: 'open' | 'cut' | 'lost' = 'open'

  const pass = (from: Socket, to: Socket) => {
    let last: Promise<void> = Promise.resolve()
    from.on('data', piece => {
      // The delay counts from the arrival of each piece: it adds latency but does not limit bandwidth.
      const due = performance.now() + pauseInMs()
      last = last
        .then(() => (due > performance.now() ? sleep(due - performance.now()) : undefined))
        .then(() => void (to.destroyed || way !== 'open' || to.write(piece)))
    })
    from.on('close', () => void last.then(() => to.end()))
    from.on('error', () => to.destroy())
    sockets.add(from)
    from.once('close', () => sockets.delete(from))
  }
  const listener = await listen(
    createServer(near => {
      if (way === 'cut') return void near.destroy()
      const far = connect(Number(port), hostname)
      pass(near, far)
      pass(far, near)
    }),
  )
  // Lost data stays lost: a connection that missed a piece cannot continue.
  const endAll = () => sockets.forEach(socket => socket.destroy())
  return {
    ...listener,
    delay: pause => void (pauseInMs = pause),
    cut() {
      way = 'cut'
      endAll()
    },
    lose: () => void (way = 'lost'),
    mend() {
      way = 'open'
      endAll()
    },
  }
}

/** A link to a database server that delays each piece of data by a random time. */
export async function startSlowLink(url: string, mostInMs = 15): Promise<Link> {
  const link = await startLink(url)
  link.delay(() => Math.random() * mostInMs)
  return link
}
