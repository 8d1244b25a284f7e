import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { ArrayPaginator, defineCollection } from '#fw'
import { query } from '../../../support/query'
import { serveCollections } from './serve'

const item = z.object({ id: z.string() })
const one = { description: 'Who asks.', item }
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

describe('a collection that is not public', () => {
  it.each(['/mine', '/mine?page=0', '/mine/x', '/denied', '/curious'])('%s opens nothing to strangers', async path => {
    const answer = await strangers.get(path)
    expect(answer.status).toBe(401)
    expect(answer.headers.get('content-type')).toContain('application/problem+json')
    expect(await answer.json()).toMatchObject({ code: 'unauthenticated' })
  })

  it('opens nothing to a bearer credential', async () => {
    const answer = await people.get('/mine', { authorization: 'Bearer abc' })
    expect(answer.status).toBe(401)
  })

  it('shows a person what is theirs, and nobody keeps it', async () => {
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
  ])('%s is guarded by exactly true: %i', async (path, status) => {
    expect((await people.get(path)).status).toBe(status)
    expect((await people.get(path, {}, 'HEAD')).status).toBe(status)
  })
})

describe('a collection that is not public, of an organization that is closed to the session', () => {
  it('answers with the way to open it, and a public one as before', async () => {
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

describe('a public collection', () => {
  it('is kept by caches only as strangers see it', async () => {
    const answer = await strangers.get('/open')
    expect(answer.headers.get('cache-control')).toBe('public, max-age=0')
    expect((await answer.json()).member[0]).toMatchObject({ id: 'nobody' })
    const own = await people.get('/open')
    expect(own.headers.get('cache-control')).toBe('no-store')
    expect((await own.json()).member[0]).toMatchObject({ id: 'dev@local.test' })
  })
})
