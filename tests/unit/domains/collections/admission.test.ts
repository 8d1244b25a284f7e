import { sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { ArrayPaginator, defineCollection } from '#fw'
import { makePersonalToken } from '#fairway/server/domains/oauth-server'
import { aMember } from '../../../support/members'
import { query } from '../../../support/query'
import { serveCollections } from './serve'

const item = z.object({ id: z.string() })
const one = { description: 'Who asks.', item }
const tokenRows = sqliteTable('token_rows', { id: text('id').primaryKey() })
const deny = (answer: unknown) => defineCollection({ ...one, guard: () => answer, source: () => [] })

type Site = Awaited<ReturnType<typeof serveCollections>>
let strangers: Site
let people: Site
beforeAll(async () => {
  const collections = {
    mine: defineCollection({
      ...one,
      source: ({ session, orgId, pagination: { offset, limit } }) =>
        new ArrayPaginator([{ id: session.email }, { id: String(orgId) }], offset, limit),
      getItem: (id, { session }) => (id === session.email ? { id } : null),
    }),
    open: defineCollection({
      ...one,
      public: true,
      source: ({ session }) => [{ id: session?.email ?? 'nobody' }],
    }),
    truthy: deny('yes'),
    denied: deny(false),
    later: deny(Promise.resolve(true)),
    curious: defineCollection({ ...one, guard: ({ session }) => session.email === 'dev@local.test', source: () => [] }),
  }
  strangers = await serveCollections(collections)
  people = await serveCollections(collections, {}, {}, { AUTH_DISABLED: 'true' })
})
afterAll(() => Promise.all([strangers.stop(), people.stop()]))

describe('private collection', () => {
  it.each(['/mine', '/mine?page=0', '/mine/x', '/denied', '/curious'])(
    'returns 401 for %s without a session',
    async path => {
      const answer = await strangers.get(path)
      expect(answer.status).toBe(401)
      expect(answer.headers.get('content-type')).toContain('application/problem+json')
      expect(await answer.json()).toMatchObject({ code: 'unauthenticated' })
    },
  )

  it('returns 401 for an unknown bearer token', async () => {
    const answer = await strangers.get('/mine', { authorization: 'Bearer abc' })
    expect(answer.status).toBe(401)
  })

  it('returns the caller’s own items with no-store and without an ETag', async () => {
    const answer = await people.get('/mine')
    expect(answer.status).toBe(200)
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.headers.get('etag')).toBe(null)
    const { member } = await answer.json()
    expect(member[0]).toMatchObject({ id: 'dev@local.test' })
    expect((await people.get('/mine/dev@local.test')).status).toBe(200)
    expect((await people.get('/mine/other@example.test')).status).toBe(404)
  })

  it.each([
    ['/truthy', 403],
    ['/denied', 403],
    ['/later', 200],
    ['/curious', 200],
  ])('serves %s only when its guard returns exactly true: %i', async (path, status) => {
    expect((await people.get(path)).status).toBe(status)
    expect((await people.get(path, {}, 'HEAD')).status).toBe(status)
  })
})

describe('private collection of an organization closed to the session', () => {
  it('returns 403 with the required provider, and still serves public collections', async () => {
    const site = await serveCollections(
      {
        mine: defineCollection({ ...one, source: () => [] }),
        open: defineCollection({ ...one, public: true, source: () => [{ id: 'x' }] }),
      },
      {},
      {},
      { AUTH_DISABLED: 'true' },
    )
    expect((await site.get('/mine')).status).toBe(200)
    await query(site.app, "update organizations set required_auth_provider = 'google'")
    for (const path of ['/mine', '/mine/x', '/mine?page=0']) {
      const answer = await site.get(path)
      expect([answer.status, await answer.json()]).toMatchObject([
        403,
        { code: 'provider-required', provider: 'google' },
      ])
    }
    expect((await site.get('/open')).status).toBe(200)
    await site.stop()
  })
})

describe('API token', () => {
  async function siteWithTokens() {
    const waits: PromiseWithResolvers<void>[] = []
    const site = await serveCollections(
      {
        open: defineCollection({
          ...one,
          public: true,
          source: ({ session, orgId }) => [{ id: `${session?.email ?? 'nobody'} ${orgId}` }],
        }),
        rows: defineCollection({ ...one, public: true, source: tokenRows }),
        slow: defineCollection({
          ...one,
          async source() {
            const wait = Promise.withResolvers<void>()
            waits.push(wait)
            await wait.promise
            return []
          },
        }),
      },
      {},
      {},
      { FW_RATE_LIMITS: 'on' },
    )
    await site.app.db.client.executeMultiple(
      "create table token_rows (id text primary key); insert into token_rows values ('x')",
    )
    const person = await aMember(site.app)
    const input = { name: 'Script', scopes: ['mcp:read' as const], expiresInDays: 7 as const }
    const { token, id } = await makePersonalToken(site.app, { ...person, id: null }, input)
    const get = (path: string, headers: Record<string, string> = {}) =>
      site.get(path, { authorization: `Bearer ${token}`, ...headers })
    return { site, person, id, get, waits }
  }

  it('returns public collections as its owner, uncached and separate from anonymous responses', async () => {
    const { site, person, id, get } = await siteWithTokens()
    for (let turn = 0; turn < 3; turn++) {
      const stranger = await site.get('/open')
      expect(stranger.headers.get('vary')).toContain('Authorization')
      expect(await stranger.json()).toMatchObject({ member: [{ id: 'nobody null' }] })
      const etag = (await site.get('/rows')).headers.get('etag') ?? ''
      expect((await site.get('/rows', { 'if-none-match': etag })).status).toBe(304)
      for (const path of ['/open', '/rows']) {
        const answer = await get(path, { 'if-none-match': etag })
        expect([answer.status, answer.headers.get('cache-control'), answer.headers.get('etag')]).toEqual([
          200,
          'no-store',
          null,
        ])
        const own = path === '/open' ? `${person.email} ${person.orgId}` : 'x'
        expect(await answer.json()).toMatchObject({ member: [{ id: own }] })
      }
    }
    await query(site.app, 'update oauth_grants set revoked_at = 1 where id = ?', [id])
    for (const path of ['/open', '/rows', '/rows/x']) expect((await get(path)).status).toBe(401)
    await site.stop()
  })

  it('allows twenty concurrent requests', async () => {
    const { site, get, waits } = await siteWithTokens()
    const running = Array.from({ length: 20 }, () => get('/slow'))
    await expect.poll(() => waits.length).toBe(20)
    const refused = await get('/open')
    expect([refused.status, await refused.json()]).toMatchObject([429, { code: 'rate-limited' }])
    for (const { resolve } of waits) resolve()
    for (const answer of running) expect((await answer).status).toBe(200)
    expect((await get('/open')).status).toBe(200)
    await site.stop()
  })
})

describe('public collection', () => {
  it('is cacheable only for callers without a session', async () => {
    const answer = await strangers.get('/open')
    expect(answer.headers.get('cache-control')).toBe('public, max-age=0')
    expect((await answer.json()).member[0]).toMatchObject({ id: 'nobody' })
    const own = await people.get('/open')
    expect(own.headers.get('cache-control')).toBe('no-store')
    expect((await own.json()).member[0]).toMatchObject({ id: 'dev@local.test' })
  })
})
