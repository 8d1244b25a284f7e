import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { App } from '#server/foundation/app-context'
import { createOrm } from '#server/foundation/database/orm'
import { listen, type WebServer } from './web-server'

/** The same app over a database whose every call takes a moment before and after, so that what can interleave does. */
export function withLatency(app: App, mostInMs = 8): App {
  const pause = () => sleep(Math.random() * mostInMs)
  const slow =
    <Args extends unknown[], T>(call: (...args: Args) => Promise<T>) =>
    async (...args: Args): Promise<T> => {
      await pause()
      const result = await call(...args)
      await pause()
      return result
    }
  const { db } = app
  const client = { ...db.client, execute: slow(db.client.execute), batch: slow(db.client.batch) } as typeof db.client
  return {
    ...app,
    db: { ...db, client, orm: createOrm(client), prepareRead: sql => slow(db.prepareRead(sql)) },
    // A memo of its own: what the fast app has kept does not wait.
    once: (_name, make) => make(),
  }
}

/** Counts the statements that `work` sends. */
export async function countStatements(app: App, work: (app: App) => Promise<unknown>): Promise<number> {
  let statements = 0
  const counted =
    <Args extends unknown[], T>(call: (...args: Args) => T) =>
    (...args: Args): T => {
      statements += 1
      return call(...args)
    }
  const { db } = app
  const client = {
    ...db.client,
    execute: counted(db.client.execute),
    batch: counted(db.client.batch),
  } as typeof db.client
  await work({
    ...app,
    db: { ...db, client, orm: createOrm(client), prepareRead: sql => counted(db.prepareRead(sql)) },
    once: (_name, make) => make(),
  })
  return statements
}

/**
 * The same app, in which something else happens just before its database call number `at` (from 0), once; `calls` says how many
 * there were, so that a test can go through all of them.
 */
export function withInterruption(app: App, at: number, happens: () => Promise<unknown>): { app: App; calls(): number } {
  let calls = 0
  const interrupted =
    <Args extends unknown[], T>(call: (...args: Args) => Promise<T>) =>
    async (...args: Args): Promise<T> => {
      if (calls++ === at) await happens()
      return call(...args)
    }
  const { db } = app
  const client = {
    ...db.client,
    execute: interrupted(db.client.execute),
    batch: interrupted(db.client.batch),
  } as typeof db.client
  const changed = {
    ...db,
    client,
    orm: createOrm(client),
    prepareRead: (sql: string) => interrupted(db.prepareRead(sql)),
  }
  return { app: { ...app, db: changed, once: (_name, make) => make() } as App, calls: () => calls }
}

/** A way to a database server on which every piece of data takes a moment, in its order: for servers that are other processes. */
export async function startSlowLink(url: string, mostInMs = 15): Promise<WebServer> {
  const { hostname, port } = new URL(url)
  const pass = (from: Socket, to: Socket) => {
    let last = Promise.resolve()
    from.on('data', piece => {
      last = last.then(() => sleep(Math.random() * mostInMs)).then(() => void (to.destroyed || to.write(piece)))
    })
    from.on('close', () => void last.then(() => to.end()))
    from.on('error', () => to.destroy())
  }
  return listen(
    createServer(near => {
      const far = connect(Number(port), hostname)
      pass(near, far)
      pass(far, near)
    }),
  )
}
