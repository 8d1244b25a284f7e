// What a route's code may do to the database before anybody is known. The build reads such code; this holds where it cannot.
import { createError, createRouter, defineEventHandler, type EventHandler, getQuery, type H3Event } from 'h3'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { sql } from 'drizzle-orm'
import { integer, sqliteTable } from 'drizzle-orm/sqlite-core'
import { definePublicRoute, getSession, requireSession, setActiveOrgId, useFairway } from '#fw'
import { type Action, defineAction, runAction } from '#fairway/server/domains/actions'
import { authorDb } from '#fairway/server/kernel/database/author-database'
import type { Session } from '#fairway/shared/schemas/session'
import { createTestApp, type TestApp } from '../../../../support/app'
import { statusAndCode } from '../../../../support/error-code'
import { aMember, signInAs } from '../../../../support/members'
import { query } from '../../../../support/query'
import { freePort } from '../../../../support/server'
import { serveHandlers } from '../../../../support/web-handlers'
import type { WebServer } from '../../../../support/web-server'

const marks = sqliteTable('marks', { n: integer('n').notNull() })
const WRITE = sql`insert into marks values (1)`
const inHand = (event: H3Event) => useFairway(event, { public: true })
async function write(event: H3Event): Promise<string> {
  await (await inHand(event)).db.run(WRITE)
  return 'written'
}

const inRouter = createRouter()
inRouter.get('/in-a-router', defineEventHandler(write))

/** An event that carries the session that the author invented. */
const imitated = (event: H3Event): H3Event =>
  Object.assign(Object.create(event) as H3Event, { context: { ...event.context, session: Promise.resolve(owner) } })

/** Routes that write, each in another way, although nobody is signed in. */
const unprotected: Record<string, EventHandler> = {
  '/get': defineEventHandler(write),
  '/in-a-router': inRouter.handler,
  '/in-a-batch': defineEventHandler(async event => {
    const { db } = await inHand(event)
    await db.batch([db.insert(marks).values({ n: 1 }), db.insert(marks).values({ n: 2 })])
  }),
  '/in-a-transaction': defineEventHandler(async event => (await inHand(event)).db.transaction(tx => tx.run(WRITE))),
  '/behind-a-name': defineEventHandler(async event =>
    (await inHand(event)).db.all(sql`with one as (select 1) insert into marks select * from one returning *`),
  ),
  '/before-the-check': defineEventHandler(async event => {
    const schema = z.object({}).transform(() => write(event))
    await schema.parseAsync(getQuery(event))
    return (await requireSession(event)).email
  }),
  '/after-a-refusal-that-is-none': defineEventHandler(async event => {
    if (!(await getSession(event))) await write(event)
    throw createError({ statusCode: 200 })
  }),
  '/with-an-imitated-event': defineEventHandler(async event => {
    const { session, db } = await useFairway(imitated(event))
    await db.run(WRITE)
    return session.email
  }),
  '/with-an-imitated-declaration': defineEventHandler(async event => {
    await definePublicRoute(() => 'public')(imitated(event))
    await write(event)
  }),
}

const writer = defineAction({
  description: 'Writes.',
  input: z.object({}),
  public: true,
  mcp: false,
  run: async (_input, { db }) => void (await db.run(WRITE)),
}) as unknown as Action

const others: Record<string, EventHandler> = {
  '/public': definePublicRoute(write),
  '/read': defineEventHandler(async event =>
    (await inHand(event)).db.all(sql`with all_marks as (select * from marks) select count(*) as n from all_marks`),
  ),
  '/action': defineEventHandler(async event =>
    runAction(test.app, {
      name: 'writer',
      action: writer,
      input: {},
      session: null,
      caller: 'http',
      requestId: event.path,
    }),
  ),
  '/by-another-function': defineEventHandler(() => setActiveOrgId(owner.email, null, 'a stranger')),
  '/beside-middleware': defineEventHandler(() => 'answered'),
}

const middleware: EventHandler[] = [
  defineEventHandler(async event => {
    if (event.path === '/beside-middleware') return write(event)
    return undefined
  }),
]

let test: TestApp
let server: WebServer
let owner: Session
beforeAll(async () => {
  const origin = `http://localhost:${await freePort()}`
  test = await createTestApp({ FW_BASE_URL: origin })
  owner = await aMember(test.app)
  await query(test.app, 'create table marks (n integer not null)')
  server = await serveHandlers(test.app, { middleware, routes: { ...unprotected, ...others } })
})
afterAll(async () => {
  await server.stop()
  await test.close()
})
beforeEach(() => query(test.app, 'delete from marks'))

const written = async () => Number((await query(test.app, 'select count(*) as n from marks'))[0]?.n)
const get = (path: string, cookie = '') => fetch(server.origin + path, { headers: { cookie } })

describe('code of an author in a request', () => {
  it.each([...Object.keys(unprotected), '/beside-middleware', '/by-another-function'])(
    'writes nothing for a stranger: %s',
    async path => {
      expect(await statusAndCode(await get(path))).toEqual([500, 'unprotected-write'])
      expect(await written()).toBe(0)
      const { error } = test.lines().at(-1) as { error: { message: string } }
      expect(JSON.stringify(error)).toContain(`GET ${path} changes data and nobody is signed in. Begin with`)
    },
  )

  it.each(Object.keys(unprotected).filter(path => !path.includes('imitated') && !path.includes('before')))(
    'writes for a person who is signed in: %s',
    async path => {
      const cookie = (await signInAs(test.app, owner)).split(';')[0]
      await get(path, cookie)
      expect(await written()).toBe(path.includes('refusal') ? 0 : path.includes('batch') ? 2 : 1)
    },
  )

  it('writes nothing with an imitated event, not even for a person who is signed in', async () => {
    const cookie = (await signInAs(test.app, owner)).split(';')[0]
    expect((await get('/with-an-imitated-event', cookie)).status).toBe(500)
    expect(await written()).toBe(0)
  })

  it('reads for everyone, and writes in declared public routes and actions, and outside requests', async () => {
    expect(await (await get('/read')).json()).toEqual([{ n: 0 }])
    for (const path of ['/public', '/action']) expect((await get(path)).ok, path).toBe(true)
    await authorDb(test.app).run(WRITE)
    expect(await written()).toBe(3)
  })
})
