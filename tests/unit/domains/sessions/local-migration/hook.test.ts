import { inArray, isNull, or } from 'drizzle-orm'
import { sqliteTable, text } from 'drizzle-orm/sqlite-core'
import {
  createApp as createH3,
  createRouter,
  defineEventHandler,
  type EventHandler,
  setResponseStatus,
  toNodeListener,
  toWebHandler,
} from 'h3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ensureDevAccount } from '#fairway/server/domains/people'
import { callHook, defineLocalMigration, moveLocalData } from '#fairway/server/domains/sessions'
import type { Session } from '#fairway/shared/schemas/session'
import { createTestApp, type TestApp } from '../../../../support/app'
import { aMember } from '../../../../support/members'
import { statusAndCode } from '../../../../support/error-code'
import { query } from '../../../../support/query'
import { serveHandlers } from '../../../../support/web-handlers'
import { serveListener, type WebServer } from '../../../../support/web-server'

let test: TestApp
let server: WebServer
let calls: { cookie: string | undefined }[]
let status = 200
let ada: Session
/** The hook of the application under test. */
let hook: EventHandler

const countCalls = defineEventHandler(event => {
  calls.push({ cookie: event.headers.get('cookie') ?? undefined })
  setResponseStatus(event, status)
  return { ok: status === 200, prefixes: 2 }
})

/** The application has its own hook. The route moves the data and calls the hook as Fairway's route does. */
beforeEach(async () => {
  test = await createTestApp()
  await ensureDevAccount(test.app)
  ada = await aMember(test.app)
  calls = []
  hook = countCalls
  const router = createRouter()
    .post(
      '/api/local-migration',
      defineEventHandler(event => hook(event)),
    )
    .post(
      '/move',
      defineEventHandler(async event => {
        const { isHookDue, people } = await moveLocalData(test.app, ada, { hasHook: true })
        return isHookDue ? callHook(event, people) : { state: 'none' }
      }),
    )
  const app = createH3({
    onRequest(event) {
      event.context.app = test.app
      const headers = { cookie: event.headers.get('cookie') ?? '' }
      // Calls the route in this process, as the server does.
      event.fetch = (path, init) => within(new Request(server.origin + String(path), { headers, ...init }))
    },
  }).use(router)
  const within = toWebHandler(app)
  server = await serveListener(toNodeListener(app))
})
afterEach(async () => {
  status = 200
  await server.stop()
  await test.close()
})

async function move(): Promise<unknown> {
  const answer = await fetch(`${server.origin}/move`, { method: 'POST', headers: { cookie: 'a=b' } })
  return answer.json()
}

describe('the local-migration hook', () => {
  it('is called once as the caller, and its response is returned', async () => {
    expect(await move()).toEqual({ state: 'done', answer: { ok: true, prefixes: 2 } })
    expect(await move()).toEqual({ state: 'none' })
    expect(calls).toEqual([{ cookie: 'a=b' }])
  })

  it('is called once for five concurrent moves', async () => {
    const states = await Promise.all(Array.from({ length: 5 }, move))
    expect(states.filter(answer => (answer as { state: string }).state === 'done')).toHaveLength(1)
    expect(calls).toHaveLength(1)
  })

  it('is reported and logged when it fails, and called again by the next move', async () => {
    status = 500
    expect(await move()).toEqual({ state: 'failed', status: 500 })
    expect(test.lines()).toContainEqual(
      expect.objectContaining({ level: 'error', message: 'the local-migration hook failed' }),
    )
    status = 200
    expect(await move()).toMatchObject({ state: 'done' })
    expect(calls).toHaveLength(2)
  })
})

describe('defineLocalMigration', () => {
  const legacy = sqliteTable('legacy_settings', { name: text('name'), owner: text('owner') })
  beforeEach(async () => {
    await query(test.app, 'create table legacy_settings (name text, owner text)')
    await query(test.app, `insert into legacy_settings values ('theme', null), ('size', 'local@localhost')`)
  })
  const owners = async () => (await query(test.app, 'select owner from legacy_settings')).map(row => row.owner)

  it('receives the database and both people, and its counts are returned', async () => {
    const [dev] = await query(test.app, `select id, email from users where kind = 'dev'`)
    const seen: unknown[] = []
    hook = defineLocalMigration(async ({ db, from, to }) => {
      seen.push({ from, to })
      const nobodys = or(isNull(legacy.owner), inArray(legacy.owner, [...from.emails]))
      const { rowsAffected } = await db.update(legacy).set({ owner: to.email }).where(nobodys)
      return { legacySettings: rowsAffected }
    })
    expect(await move()).toEqual({ state: 'done', answer: { legacySettings: 2 } })
    expect(await owners()).toEqual([ada.email, ada.email])
    expect(seen).toEqual([
      {
        from: { userIds: [dev?.id], emails: expect.arrayContaining([dev?.email, 'local@localhost']) },
        to: { userId: ada.userId, email: ada.email, orgId: ada.orgId },
      },
    ])
  })

  it('changes no rows when it fails, and is called again by the next move', async () => {
    const failures = [new Error('half way')]
    hook = defineLocalMigration(async ({ db, to }) => {
      await db.update(legacy).set({ owner: to.email })
      const failure = failures.pop()
      if (failure) throw failure
    })
    expect(await move()).toMatchObject({ state: 'failed' })
    expect(await owners()).toEqual([null, 'local@localhost'])
    expect(await move()).toMatchObject({ state: 'done' })
    expect(await owners()).toEqual([ada.email, ada.email])
  })

  it('returns 404 for every request except the move', async () => {
    hook = defineLocalMigration(async ({ db, to }) => db.update(legacy).set({ owner: to.email }))
    const open = await serveHandlers(test.app, { routes: { '/api/local-migration': hook } }, 0)
    const answer = await fetch(`${open.origin}/api/local-migration`, { method: 'POST' })
    expect(await statusAndCode(answer)).toEqual([404, 'not-found'])
    expect(await owners()).toEqual([null, 'local@localhost'])
    await open.stop()
  })
})
