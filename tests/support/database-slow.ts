import { setTimeout as sleep } from 'node:timers/promises'
import type { App } from '#server/foundation/app-context'
import { createOrm } from '#server/foundation/database/orm'

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
