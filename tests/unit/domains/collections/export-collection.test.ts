import { splitPlace } from '#fairway/server/domains/actions/audit/audit-place'
import { eq } from 'drizzle-orm'
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { definePolicy, moneySchema, rowIs } from 'nuxt-fairway/tables'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { AppError, ArrayPaginator, defineCollection } from '#fw'
import { makePersonalToken } from '#fairway/server/domains/oauth-server'
import { requireRun } from '#fairway/server/kernel/current-run'
import { creator } from '#fairway/server/kernel/owned-rows'
import type { Session } from '#fairway/shared/schemas/session'
import { addTo, aMember, sessionNow } from '../../../support/members'
import { query } from '../../../support/query'
import { serveCollections } from './serve'

const BOM = '\u{FEFF}'

const deals = sqliteTable('export_deals', {
  id: text('id').primaryKey(),
  orgId: text('org_id').notNull(),
  createdBy: creator('created_by'),
  name: text('name').notNull(),
  status: text('status').notNull(),
  amount: integer('amount'),
  closedAt: integer('closed_at', { mode: 'timestamp_ms' }),
})
const { can } = definePolicy(deals, {
  read: ['admin', rowIs({ status: 'open' })],
  create: 'member',
  update: 'admin',
  delete: 'admin',
  fields: { amount: { read: 'admin' } },
})
const deal = z.object({
  id: z.string(),
  name: z.string(),
  status: z.string(),
  amount: moneySchema('EUR').nullable(),
  closedAt: z.string().nullable(),
  can,
})

const numbers = sqliteTable('export_numbers', {
  id: integer('id').primaryKey(),
  place: integer('place'),
  name: text('name').notNull(),
})
const number = z.object({ id: z.number(), place: z.number().nullable(), name: z.string() })
const ofNumbers = { description: 'Numbers.', item: number, source: numbers, public: true } as const

const one = z.object({ id: z.number() })
const ids = (from: number, count: number) => Array.from({ length: count }, (_, index) => ({ id: from + index }))
const provided = { description: 'Rows from elsewhere.', item: one, public: true, paginationItemsPerPage: 10 } as const

/** The pages that the export requested from `array`, and for whom. */
let asked: { page: number; limit: number; person?: string }[] = []
/** The signals that `endless` received, one for each page. */
let signals: AbortSignal[] = []

/** A collection without an end. */
const endless = defineCollection({
  ...provided,
  source: ({ signal, pagination: { page, limit, offset } }) => {
    signals.push(signal)
    return {
      getCurrentPage: () => page,
      getItemsPerPage: () => limit,
      count: () => limit,
      hasNextPage: () => true,
      [Symbol.iterator]: () => ids(offset, limit)[Symbol.iterator](),
    }
  },
})

type Site = Awaited<ReturnType<typeof serveCollections>>
let site: Site
let owner: Session
let member: Session
let stranger: Session
const tokens = new Map<string, string>()
beforeAll(async () => {
  site = await serveCollections(
    {
      deals: defineCollection({
        description: 'Deals.',
        item: deal,
        source: deals,
        filters: { status: 'exact', name: 'search', amount: 'range' },
        order: ['name', 'amount'],
        defaultOrder: [{ field: 'name', direction: 'ASC' }],
      }),
      closed: defineCollection({ ...provided, public: false, guard: () => false, source: () => [] }),
      mine: defineCollection({
        ...ofNumbers,
        public: false,
        scope: ({ email }) => eq(numbers.name, email),
      }),
      numbers: defineCollection({ ...ofNumbers, order: ['place'], filters: { id: 'range' } }),
      cursor: defineCollection({
        ...ofNumbers,
        order: ['place'],
        paginationPartial: true,
        paginationViaCursor: [{ field: 'id', direction: 'DESC' }],
      }),
      array: defineCollection({
        ...provided,
        source: ({ pagination: { page, offset, limit } }) => {
          const { session } = requireRun()
          asked.push({ page, limit, person: typeof session === 'object' ? session?.email : undefined })
          return new ArrayPaginator(ids(1, 25), offset, limit)
        },
      }),
      bare: defineCollection({ ...provided, source: () => ids(1, 25) }),
      tokens: defineCollection({
        ...provided,
        paginationPartial: true,
        paginationViaCursor: [{ field: 'id', direction: 'ASC' }],
        paginationCursorFormat: 'opaque',
        source: ({ pagination: { cursor } }) => {
          const at = Number(cursor?.token ?? 1)
          return { items: ids(at, 10), ...(at < 21 && { next: { token: String(at + 10) } }) }
        },
      }),
      // Without cursor pagination, its second page cannot be requested.
      cut: defineCollection({ ...provided, source: () => ({ items: ids(1, 10), next: { token: '11' } }) }),
      endless,
      refusing: defineCollection({
        ...provided,
        source: () => {
          throw new AppError('forbidden', { detail: 'Not today.' })
        },
      }),
      breaking: defineCollection({
        ...provided,
        source: ({ pagination: { page, limit, offset } }) => {
          if (page > 1) throw new Error('the other side is gone')
          return new ArrayPaginator(ids(1, 25), offset, limit)
        },
      }),
      // The address of its item is the address of the export without the format.
      slugs: defineCollection({
        ...provided,
        item: z.object({ id: z.string() }),
        source: () => [{ id: 'export' }],
        getItem: id => (id === 'export' ? { id } : null),
      }),
    },
    {},
    {},
    { FW_RATE_LIMITS: 'on' },
  )
  const { app } = site
  await app.db.client.executeMultiple(
    `create table export_deals (id text primary key, org_id text not null, created_by text_creator, name text not null,
       status text not null, amount integer, closed_at integer);
     create table export_numbers (id integer primary key, place integer, name text not null);
     create index export_numbers_place on export_numbers (place, id);
     with recursive n(i) as (select 1 union all select i + 1 from n where i < 2000)
       insert into export_numbers select i, case when i % 7 = 0 then null else i % 5 end, 'Number ' || i from n`,
  )
  owner = await aMember(app)
  stranger = await aMember(app)
  const joined = await aMember(app)
  await addTo(app, owner, joined, 'member')
  await query(app, `insert into user_settings values (?, 'active-org-id', ?)`, [joined.userId, owner.orgId])
  member = await sessionNow(app, joined)
  const given = [
    { name: 'Boat', status: 'open', amount: -500 },
    { name: '=1+1', status: 'won', amount: 1250 },
    { name: 'Anchor, "new"\nand old', status: 'open', amount: null },
    { name: 'Zoë', status: 'won', amount: 300 },
  ]
  for (const [index, { name, status, amount }] of given.entries())
    await query(app, 'insert into export_deals values (?, ?, ?, ?, ?, ?, ?)', [
      `d${index}`,
      owner.orgId,
      owner.email,
      name,
      status,
      amount,
      index === 0 ? 1_700_000_000_000 : null,
    ])
  await query(app, 'insert into export_deals values (?, ?, ?, ?, ?, ?, ?)', [
    'other',
    stranger.orgId,
    stranger.email,
    'Secret',
    'open',
    1,
    null,
  ])
  for (const person of [owner, member, stranger]) {
    const input = { name: 'Script', scopes: ['mcp:read' as const], expiresInDays: 7 as const }
    tokens.set(person.email, (await makePersonalToken(app, { ...person, id: null }, input)).token)
  }
})
afterAll(() => site.stop())

const as = (person: Session) => ({ authorization: `Bearer ${tokens.get(person.email)}` })
const fetchAs = (person: Session | null, path: string, method?: string) =>
  site.get(path, person ? as(person) : {}, method)
/** Returns the text of a file, including its byte order mark. */
const fileOf = async (answer: Response) =>
  new TextDecoder('utf-8', { ignoreBOM: true }).decode(await answer.arrayBuffer())
const csv = async (path: string, person: Session | null = null) => {
  const answer = await fetchAs(person, path)
  expect(answer.status).toBe(200)
  return (await fileOf(answer)).replace(BOM, '').trimEnd().split('\r\n')
}
const rowsOf = async (path: string, person: Session | null = null) => {
  const text = await (await fetchAs(person, path)).text()
  return text
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line))
}
const idsOf = async (path: string, person?: Session) => (await rowsOf(path, person)).map(({ id }) => id)

describe('GET /{collection}/export/{format}', () => {
  it('returns CSV as an attachment with a byte order mark, safe in spreadsheets, without `can`', async () => {
    const answer = await fetchAs(owner, '/deals/export/csv')
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8'])
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="deals.csv"')
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(await fileOf(answer)).toBe(
      [
        `${BOM}id,name,status,amount,closedAt`,
        "d1,'=1+1,won,12.5,",
        'd2,"Anchor, ""new""\nand old",open,,',
        'd0,Boat,open,-5,2023-11-14T22:13:20.000Z',
        'd3,Zoë,won,3,',
        '',
      ].join('\r\n'),
    )
  })

  it('returns JSON Lines with unformatted values', async () => {
    const answer = await fetchAs(owner, '/deals/export/jsonl?name=boat')
    expect(answer.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8')
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="deals.jsonl"')
    expect(await answer.text()).toBe(
      '{"id":"d0","name":"Boat","status":"open","amount":-500,"closedAt":"2023-11-14T22:13:20.000Z"}\n',
    )
  })

  it('returns the rows that the caller may read, without the values of hidden fields', async () => {
    expect(await csv('/deals/export/csv', member)).toEqual([
      'id,name,status,amount,closedAt',
      'd2,"Anchor, ""new""\nand old",open,,',
      'd0,Boat,open,,2023-11-14T22:13:20.000Z',
    ])
    expect(await rowsOf('/deals/export/jsonl?name=boat', member)).toMatchObject([{ id: 'd0', amount: null }])
    expect(await idsOf('/deals/export/jsonl', stranger)).toEqual(['other'])
    await query(site.app, 'update export_numbers set name = ? where id = 9', [member.email])
    expect(await idsOf('/mine/export/jsonl', member)).toEqual([9])
    expect(await idsOf('/mine/export/jsonl', owner)).toEqual([])
  })

  it('applies the filters and order of the list', async () => {
    expect(await idsOf('/deals/export/jsonl?status=won&order[name]=desc', owner)).toEqual(['d3', 'd1'])
    expect(await idsOf('/deals/export/jsonl?amount[gt]=0&order[amount]=desc', owner)).toEqual(['d1', 'd3'])
    // Filters on a hidden field do not find its values.
    expect(await idsOf('/deals/export/jsonl?amount[gt]=-1000', member)).toEqual([])
  })

  it.each(['', 'order[place]=asc', 'order[place]=desc', 'id[gt]=700&order[place]=desc', 'id[gt]=500&id[lte]=1500'])(
    'returns each row once in the order of the list: ?%s',
    async parameters => {
      const [, order, direction] = /order\[(\w+)\]=(\w+)/.exec(parameters) ?? []
      const conditions = [...parameters.matchAll(/id\[(gt|lte)\]=(\d+)/g)].map(
        ([, operator, value]) => `id ${operator === 'gt' ? '>' : '<='} ${value}`,
      )
      const sorted = await query(
        site.app,
        `select id from export_numbers where ${['1', ...conditions].join(' and ')} order by ${order ? `${order} ${direction}, id` : 'id'}`,
      )
      expect(await idsOf(`/numbers/export/jsonl?${parameters}`)).toEqual(sorted.map(({ id }) => id))
    },
  )

  it('returns all rows for any page parameter, and cursor collections in cursor order', async () => {
    const all = ids(1, 2000).map(({ id }) => id)
    for (const parameters of ['page=3', 'page=abc&itemsPerPage=5', 'pagination=false', 'partial=maybe'])
      expect(await idsOf(`/numbers/export/jsonl?${parameters}`)).toEqual(all)
    expect(await idsOf('/cursor/export/jsonl?id[lt]=8&cursor=x')).toEqual(all.toReversed())
    expect((await idsOf('/cursor/export/jsonl?order[place]=asc')).slice(0, 2)).toEqual([1995, 1988])
  })

  it('returns the same errors as the list for a bad filter, without a session, and when the guard denies', async () => {
    const refused = await fetchAs(owner, '/deals/export/csv?amount[gt]=much')
    expect([refused.status, await refused.json()]).toMatchObject([
      400,
      { code: 'invalid-input', detail: 'The value of amount[gt] should be a whole number' },
    ])
    for (const [person, path, status] of [
      [null, '/deals/export/csv', 401],
      [owner, '/closed/export/csv', 403],
      [null, '/refusing/export/csv', 403],
      [owner, '/deals/export/xlsx', 404],
      [owner, '/deals/export/csv/more', 404],
      [null, '/nothing/export/csv', 404],
    ] as const) {
      const answer = await fetchAs(person, path)
      expect([path, answer.status]).toEqual([path, status])
      expect(answer.headers.get('content-disposition')).toBeNull()
    }
    expect((await fetchAs(owner, '/deals/export/csv', 'DELETE')).status).toBe(405)
  })

  it('still serves the item with the id export', async () => {
    expect(await (await site.get('/slugs/export')).json()).toMatchObject({ '@id': '/slugs/export', id: 'export' })
    expect(await csv('/slugs/export/csv')).toEqual(['id', 'export'])
  })

  it('returns only the headers for HEAD', async () => {
    signals = []
    const answer = await fetchAs(null, '/endless/export/csv', 'HEAD')
    expect([answer.status, answer.headers.get('content-disposition'), await answer.text()]).toEqual([
      200,
      'attachment; filename="endless.csv"',
      '',
    ])
    expect(signals).toEqual([])
  })

  it('writes an audit row with the filters, also when denied', async () => {
    await query(site.app, 'delete from audit_log')
    await csv('/deals/export/csv?status=open&secret=x', member)
    await fetchAs(member, '/closed/export/jsonl')
    await fetchAs(member, '/deals/export/csv', 'HEAD')
    const rows = await query(site.app, 'select action, via, outcome, user_email, input from audit_log order by id')
    const withoutPlace = (input: unknown) => JSON.parse(splitPlace(String(input)).input ?? '')
    expect(rows.map(({ input, ...row }) => ({ ...row, input: withoutPlace(input) }))).toEqual([
      {
        action: 'export-collection',
        via: 'personal-token',
        outcome: 'ok',
        user_email: member.email,
        input: {
          name: 'deals',
          format: 'csv',
          filters: [{ kind: 'exact', field: 'status', values: ['open'] }],
        },
      },
      {
        action: 'export-collection',
        via: 'personal-token',
        outcome: 'denied',
        user_email: member.email,
        input: { name: 'closed', format: 'jsonl' },
      },
    ])
  })
})

describe('export of a function source', () => {
  it('returns the rows of all pages, each read in the context of the request', async () => {
    asked = []
    expect(await idsOf('/array/export/jsonl?page=2', member)).toEqual(ids(1, 25).map(({ id }) => id))
    expect(asked.map(({ page, limit, person }) => [page, limit, person])).toEqual(
      [1, 2, 3].map(page => [page, 10, member.email]),
    )
    expect(await idsOf('/bare/export/jsonl')).toHaveLength(25)
    expect(await idsOf('/tokens/export/jsonl')).toEqual(ids(1, 30).map(({ id }) => id))
  })

  it('aborts when a later page fails, so that the file does not look complete', async () => {
    for (const name of ['breaking', 'cut']) {
      const answer = await site.get(`/${name}/export/csv`)
      expect(answer.status).toBe(200)
      await expect(answer.text()).rejects.toThrow('terminated')
    }
  })
})

describe('running export', () => {
  it('reads at most 500 rows ahead of the client in a collection of 100,000 rows', async () => {
    let made = 0
    const { reader } = defineCollection({
      ...ofNumbers,
      order: ['place'],
      toItem: row => {
        made += 1
        return row
      },
    })
    await query(
      site.app,
      `with recursive n(i) as (select 2001 union all select i + 1 from n where i < 100000)
        insert into export_numbers select i, i % 97, 'x' from n`,
    )
    const context = { app: site.app, session: null, signal: new AbortController().signal, requestId: 'test' }
    const order = [{ field: 'place', direction: 'DESC' } as const]
    const selection = { mode: 'full', page: 1, offset: 0, limit: 30 } as const
    let taken = 0
    let ahead = 0
    for await (const _row of reader.readAll(context, { filters: [], order, selection })) {
      ahead = Math.max(ahead, made - taken)
      taken += 1
    }
    expect([taken, ahead]).toEqual([100_000, 500])
    expect(await idsOf('/numbers/export/jsonl?order[place]=desc')).toHaveLength(100_000)
    await query(site.app, 'delete from export_numbers where id > 2000')
  })

  it('is unaffected by rows added or deleted before its position', async () => {
    const { reader } = defineCollection(ofNumbers)
    const context = { app: site.app, session: null, signal: new AbortController().signal, requestId: 'test' }
    const selection = { mode: 'full', page: 1, offset: 0, limit: 30 } as const
    const seen: unknown[] = []
    for await (const row of reader.readAll(context, { filters: [], order: [], selection })) {
      seen.push(row.id)
      if (seen.length === 500)
        await site.app.db.client.executeMultiple(
          "delete from export_numbers where id in (1, 400, 1999); insert into export_numbers values (0, 0, 'x')",
        )
    }
    expect(seen).toEqual([...ids(1, 1998).map(({ id }) => id), 2000])
  })

  it('is limited to three per person and ends when the client disconnects', async () => {
    signals = []
    const clients = [1, 2, 3].map(() => new AbortController())
    const start = ({ signal }: AbortController) =>
      fetch(`${site.origin}/endless/export/csv`, { headers: as(member), signal })
    const running = await Promise.all(clients.map(start))
    expect(running.map(({ status }) => status)).toEqual([200, 200, 200])
    const refused = await fetchAs(member, '/array/export/csv')
    expect([refused.status, refused.headers.get('retry-after'), await refused.json()]).toMatchObject([
      429,
      '1',
      { code: 'rate-limited' },
    ])
    expect((await fetchAs(owner, '/array/export/csv')).status).toBe(200)
    expect((await fetchAs(member, '/array')).status).toBe(200)

    for (const client of clients) client.abort()
    await expect.poll(() => signals.every(({ aborted }) => aborted)).toBe(true)
    const { length: pages } = signals
    await expect.poll(async () => (await fetchAs(member, '/array/export/csv')).status).toBe(200)
    expect(signals).toHaveLength(pages)
  })
})
