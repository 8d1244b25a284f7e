import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { App } from '#fairway/server/kernel/app-context'
import { createOrm } from '#fairway/server/kernel/database/orm'
import { listen, type WebServer } from './web-server'

type Wrap = <Args extends unknown[], T>(call: (...args: Args) => Promise<T>) => (...args: Args) => Promise<T>

/** The same app, whose every call of the database goes through `wrap`. */
function withCalls(app: App, wrap: Wrap): App {
  const { db } = app
  const { execute, batch, rows } = db.client
  const client = { ...db.client, execute: wrap(execute), batch: wrap(batch), rows: wrap(rows) } as typeof db.client
  return {
    ...app,
    db: { ...db, client, orm: createOrm(client), prepareRead: sql => wrap(db.prepareRead(sql)) },
    // A memo of its own: what the other app has kept is not wrapped.
    memo: (_name, make) => make(),
  }
}

/** The same app over a database whose every call takes a moment before and after, so that what can interleave does. */
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
 * The same app, in which something else happens just before its database call number `at` (from 0), once; `calls` says how many
 * there were, so that a test can go through all of them.
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
  /** From now on every piece of data takes so long to arrive, in its order. */
  delay(pauseInMs: () => number): void
  /** Ends all connections and takes no new one; `mend` ends that. */
  cut(): void
  /** Takes everything and passes nothing on, as a network that loses its packets. */
  lose(): void
  mend(): void
}

/** A way to a database server that can be slow, cut off or silent: for servers that are other processes. */
export async function startLink(url: string): Promise<Link> {
  const { hostname, port } = new URL(url)
  const sockets = new Set<Socket>()
  let pauseInMs = () => 0
  let way: 'open' | 'cut' | 'lost' = 'open'

  const pass = (from: Socket, to: Socket) => {
    let last: Promise<void> = Promise.resolve()
    from.on('data', piece => {
      // Each is on its way for so long from its own arrival on: slow is not narrow.
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
  // What was lost stays lost: a connection that has missed a piece never goes on.
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

/** A way to a database server on which every piece of data takes a moment. */
export async function startSlowLink(url: string, mostInMs = 15): Promise<Link> {
  const link = await startLink(url)
  link.delay(() => Math.random() * mostInMs)
  return link
}
