import { Agent, request } from 'node:http'
import { getTableColumns } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import * as fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { tables } from '../../fixtures/collections/tables'
import { type CollectionFixture, startCollectionFixture } from './collection-fixture'

const RUNS = 1000
const SEED = 20_261_121

let fixture: CollectionFixture
const agent = new Agent({ keepAlive: true, maxSockets: 4 })
beforeAll(async () => {
  fixture = await startCollectionFixture()
})
afterAll(async () => {
  agent.destroy()
  await fixture.stop()
})

const words = (text: string) => text.split(' ')
const NAMES = words(
  'page itemsPerPage pagination partial cursor order Page __proto__ constructor id name score code createdAt category ' +
    'tag toString hasOwnProperty length ',
)
const KEYS = words('lt gt lte gte id score name category 0 1 __proto__ x [ lt][gt ')
const VALUES = [
  ...words('0 1 2 3 -1 -0 +1 1.5 1e1 007 abc true false on OFF null asc desc ASC sideways NaN Infinity 1e400 ٣ 🂡 % _ '),
  ...words('2024-01-03T12:00:00+00:00 2024-01-03 a&b 9007199254740991 9007199254740993 -9223372036854775808 {"a":1}'),
  'c d',
  "it's",
  '9'.repeat(40),
  '\0',
  'a\0b',
  '\uFEFF1',
  ' 2 ',
  '\n2',
  "' or 1=1 --",
  'x'.repeat(3000),
]

/** Percent-encoding as browsers apply it, missing, complete or broken. */
const encoded = (text: fc.Arbitrary<string>) =>
  fc.tuple(text, fc.constantFrom('usual', 'usual', 'bytes', 'plus', 'bare', 'broken')).map(([value, way]) => {
    const usual = encodeURIComponent(value.toWellFormed())
    if (way === 'bytes') return Buffer.from(value).toString('hex').replaceAll(/../g, '%$&')
    if (way === 'plus') return usual.replaceAll('%20', '+')
    if (way === 'bare') return value.replaceAll(/[^!-~]|[#&]/g, '')
    return way === 'broken' ? `${usual}%${'zED%A0%80'.slice(value.length % 4)}` : usual
  })

const text = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...VALUES) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 12 }) },
  { weight: 2, arbitrary: fc.integer().map(String) },
)
/** A parameter that usually names something in the collection. */
const parameter = (fields: string[]) => {
  const operator = fc.constantFrom('lt', 'gt', 'lte', 'gte', '')
  const ownField = fc.constantFrom(...fields)
  const wild = fc.tuple(
    encoded(fc.oneof(fc.constantFrom(...NAMES), fc.string({ maxLength: 6 }))),
    fc.array(encoded(fc.constantFrom(...KEYS)), { maxLength: 2 }),
  )
  const name = fc.oneof(
    { weight: 3, arbitrary: fc.tuple(ownField, operator).map(([field, key]) => [field, [key]] as const) },
    { weight: 1, arbitrary: ownField.map(field => [field, []] as const) },
    { weight: 1, arbitrary: ownField.map(field => ['order', [field]] as const) },
    {
      weight: 2,
      arbitrary: fc.constantFrom('page', 'itemsPerPage', 'pagination', 'partial').map(own => [own, []] as const),
    },
    { weight: 3, arbitrary: wild },
  )
  return fc.tuple(name, fc.boolean(), fc.option(encoded(text), { freq: 10 })).map(([[own, keys], isEncoded, value]) => {
    const [open, close] = isEncoded ? ['%5B', '%5D'] : ['[', ']']
    return `${own}${keys.map(key => `${open}${key}${close}`).join('')}${value === null ? '' : `=${value}`}`
  })
}
const path = fc
  .constantFrom(...Object.entries(tables))
  .chain(([name, table]) =>
    fc
      .array(parameter(Object.keys(getTableColumns<SQLiteTable>(table))), { maxLength: 5 })
      .map(parameters => `/${name}?${parameters.join('&')}`),
  )

/** Sends the path unchanged; `fetch` would normalize it. */
function get(target: string): Promise<{ status: number; body: string }> {
  const { hostname, port } = new URL(fixture.origin)
  return new Promise((resolve, reject) => {
    const sent = request(
      { agent, hostname, port, path: target, headers: { accept: 'application/ld+json' } },
      answer => {
        const chunks: Buffer[] = []
        answer.on('data', (chunk: Buffer) => chunks.push(chunk))
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body: Buffer.concat(chunks).toString() }))
      },
    )
    sent.on('error', reject)
    sent.end()
  })
}

const LINKS = ['@id', 'first', 'last', 'previous', 'next'] as const

it(`returns no failure for ${RUNS} random queries, and a page for every link in a response`, async () => {
  const followed = new Set<string>()
  const statuses = new Map<number, number>()
  const property = fc.asyncProperty(path, async target => {
    const { status, body } = await get(target)
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
    // Node returns 431 for a request head over 16 KiB.
    expect([200, 400, 431], `${target}: ${body.slice(0, 500)}`).toContain(status)
    if (status !== 200) return
    const { view } = JSON.parse(body) as { view?: Record<string, string> }
    for (const name of LINKS) {
      const link = view?.[name]
      if (link === undefined || followed.has(link)) continue
      followed.add(link)
      const answer = await get(link)
      expect(answer.status, `${target} has ${name} ${link}: ${answer.body.slice(0, 500)}`).toBe(200)
    }
  })
  await fc.assert(property, { numRuns: RUNS, seed: SEED })
  // Without enough accepted and refused queries the test proves nothing.
  expect(statuses.get(200)).toBeGreaterThan(RUNS / 5)
  expect(statuses.get(400)).toBeGreaterThan(RUNS / 50)
  expect(fixture.errors()).not.toContain('request failed')
}, 120_000)
