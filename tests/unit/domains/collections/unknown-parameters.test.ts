import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { defineCollection } from '#fw'
import { serveCollections } from './serve'

const STATES = ['open', 'done'] as const
const issues = sqliteTable('issues', {
  id: integer('id').primaryKey(),
  title: text('title').notNull(),
  status: text('status', { enum: STATES }).notNull(),
})
const options = {
  description: 'Issues.',
  item: z.object({ id: z.int(), title: z.string(), status: z.enum(STATES) }),
  source: issues,
  public: true as const,
  filters: { title: 'search', status: 'exact', id: 'range' } as const,
  order: ['title'] as const,
}
const cursor = { paginationPartial: true, paginationViaCursor: [{ field: 'title', direction: 'ASC' as const }] }
const NAMES = 'title, status, status[], id[lt], id[lte], id[gt], id[gte], order[title]'

type Site = Awaited<ReturnType<typeof serveCollections>>
let site: Site
let strict: Site
const create = (served: Site) =>
  served.app.db.client.executeMultiple(
    `create table issues (id integer primary key, title text not null, status text not null);
    insert into issues values (1, 'Leak', 'open'), (2, 'Noise', 'done')`,
  )
beforeAll(async () => {
  site = await serveCollections({
    lenient: defineCollection({ ...options, shortName: 'Lenient' }),
    refusing: defineCollection({ ...options, shortName: 'Refusing', unknownParameters: 'refuse' }),
    walked: defineCollection({ ...options, ...cursor, shortName: 'Walked', unknownParameters: 'refuse' }),
  })
  strict = await serveCollections(
    {
      usual: defineCollection({ ...options, shortName: 'Usual' }),
      lenient: defineCollection({ ...options, shortName: 'Lenient', unknownParameters: 'ignore' }),
    },
    { collections: { unknownParameters: 'refuse' } },
  )
  await Promise.all([site, strict].map(create))
})
afterAll(() => Promise.all([site.stop(), strict.stop()]))

const ask = async (path: string, accept = 'application/ld+json', served = site) => {
  const answer = await served.get(path, { accept })
  const { code, detail, errors, totalItems } = await answer.json()
  return answer.ok
    ? { totalItems }
    : { status: answer.status, code, detail, paths: errors.map((each: { path: string }) => each.path) }
}

describe('an unknown filter or order', () => {
  it.each(['titel=x', 'order[body]=asc', 'order=title', 'status[lt]=a', 'id=1', 'order[title]=sideways'])(
    'is ignored by default: %s',
    async sent => {
      expect(await ask(`/lenient?${sent}`)).toEqual({ totalItems: 2 })
    },
  )

  it.each([
    ['titel=x', 'titel', 'There is no filter or order titel. Did you mean title?'],
    ['order[body]=asc', 'order[body]', 'There is no filter or order order[body].'],
    ['order=title', 'order', 'There is no filter or order order.'],
    ['status[lt]=a', 'status[lt]', 'There is no filter or order status[lt].'],
    ['id=1', 'id', 'There is no filter or order id.'],
    ['a[b][c]=1', 'a[b][c]', 'There is no filter or order a[b][c].'],
    ['order[title]=sideways', 'order[title]', 'An order is asc or desc.'],
  ])('returns 400 with the names that exist where the collection refuses it: %s', async (sent, path, message) => {
    const { status, code, detail, paths } = await ask(`/refusing?${sent}`)
    expect([status, code, paths]).toEqual([400, 'unknown-filter', [path]])
    expect(detail).toContain(message)
    expect(detail).toContain(` There are: ${NAMES}.`)
  })

  it('is named for each parameter, also of JSON:API and of exports', async () => {
    expect((await ask('/refusing?titel=x&stat=open')).paths).toEqual(['titel', 'stat'])
    expect((await ask('/refusing?filter[titel]=x', 'application/vnd.api+json')).code).toBe('unknown-filter')
  })

  it.each([
    '',
    'title=leak&status=open&status[]=open&id[gt]=0&order[title]=DESC',
    'page=1&itemsPerPage=5&pagination=true&partial=false&cursor=x',
    'status[0]=open&status[1]=',
  ])('is no declared filter, order or parameter of pages: %s', async sent => {
    expect(await ask(`/refusing?${sent}`)).toHaveProperty('totalItems')
  })

  it('is no value of a cursor, of which links consist', async () => {
    const walked = await site.get('/walked?title[gt]=Leak&id[gt]=1')
    expect((await walked.json()).member).toMatchObject([{ id: 2 }])
    expect((await ask('/walked?status[gt]=x')).code).toBe('unknown-filter')
  })

  it('is refused everywhere with the setting of the application, except where a collection says otherwise', async () => {
    expect((await ask('/usual?titel=x', undefined, strict)).code).toBe('unknown-filter')
    expect(await ask('/lenient?titel=x', undefined, strict)).toEqual({ totalItems: 2 })
  })
})

it('an unknown value of a column with listed values returns 400 with the values', async () => {
  const detail = 'The value of status should be one of open, done'
  const refusal = { status: 400, code: 'invalid-input', detail, paths: ['status'] }
  expect(await ask('/lenient?status=opne')).toEqual(refusal)
  expect(await ask('/lenient?status[]=open&status[]=opne')).toEqual(refusal)
  expect(await ask('/lenient?status=open')).toEqual({ totalItems: 1 })
  expect(await ask('/lenient?status=')).toEqual({ totalItems: 2 })
})
