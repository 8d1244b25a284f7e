import { getTableColumns } from 'drizzle-orm'
import { sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { person } from 'nuxt-fairway/tables'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { defineAction, defineCollection, shownPersonSchema, withPeople } from '#fw'
import { runAction } from '#fairway/server/domains/actions'
import type { Collection } from '#fairway/server/domains/collections'
import { makePersonalToken } from '#fairway/server/domains/oauth-server'
import { withRun } from '#fairway/server/kernel/current-run'
import { creator } from '#fairway/server/kernel/owned-rows'
import type { Session } from '#fairway/shared/schemas/session'
import { countStatements } from '../../../support/database-slow'
import { addTo, aMember, anotherOrg, sessionNow } from '../../../support/members'
import { query } from '../../../support/query'
import { aContext, aQuery, full } from '../collections/sql/reading'
import { serveCollections } from '../collections/serve'

const deals = sqliteTable('shown_deals', {
  id: text('id').primaryKey(),
  orgId: text('org_id').notNull(),
  assignee: person('assignee'),
  createdBy: creator('created_by'),
})
const item = z.object({
  id: z.string(),
  assignee: shownPersonSchema.nullable(),
  createdBy: z.string().nullable(),
  creator: shownPersonSchema.nullable(),
})
const list = defineCollection({
  description: 'Deals.',
  item,
  source: deals,
  people: { assignee: 'assignee', creator: 'createdBy' },
  filters: { createdBy: 'exact' },
})
const { reader } = list as unknown as Collection
const listDeals = defineAction({
  description: 'Lists deals.',
  readOnly: true,
  input: z.object({}),
  output: z.object({ deals: z.array(item) }),
  async run(_input, { db }) {
    const rows = await db.select(getTableColumns(deals)).from(deals).orderBy(deals.id)
    return { deals: await withPeople(rows, { creator: 'createdBy', assignee: 'assignee' }) }
  },
})

let site: Awaited<ReturnType<typeof serveCollections>>
let ada: Session
let ben: Session
/** A colleague of Ada in another organization, not in the one that she works in. */
let cyd: Session
let stranger: Session

beforeAll(async () => {
  site = await serveCollections({ 'shown-deals': list })
  const { app } = site
  await app.db.client.execute(
    'create table shown_deals (id text primary key, org_id text not null, assignee text_person, created_by text_creator)',
  )
  ada = await aMember(app, { name: 'Ada' })
  ben = await aMember(app, { name: 'Ben' })
  cyd = await aMember(app, { name: 'Cyd' })
  stranger = await aMember(app, { name: 'Stranger' })
  await query(app, 'update users set image = ? where id = ?', [`/_fw/people/${ben.userId}/picture?v=1`, ben.userId])
  await query(app, `update users set image = 'https://pictures.example/cyd.png', name = '' where id = ?`, [cyd.userId])
  const elsewhere = await anotherOrg(app, ada)
  await addTo(app, elsewhere, cyd, 'member')
  await query(app, `delete from user_settings where user_id = ? and key = 'active-org-id'`, [ada.userId])
  await addTo(app, ada, ben, 'member')
  const rows: [string, string, string | null][] = [
    ['d1', ada.email, ben.email],
    ['d2', ben.email, ada.email],
    ['d3', stranger.email, cyd.email],
    ['d4', 'nobody@example.test', null],
  ]
  for (const [id, assignee, createdBy] of rows)
    await query(app, 'insert into shown_deals values (?, ?, ?, ?)', [id, ada.orgId, assignee, createdBy])
  ada = await sessionNow(app, ada)
})
afterAll(() => site.stop())

const shown = ({ userId, name, email }: Session, image: string | null = null) => ({ id: userId, name, email, image })
const shownBen = () => shown(ben, `/_fw/people/${ben.userId}/picture?v=1`)
const addressOf = (email: string) => ({ id: null, name: email, email, image: null })
const as = <T>(session: Session, work: () => T): T => withRun({ app: site.app, session }, work)

const itemsFor = (session: Session) =>
  as(session, async () => (await reader.readPage(aContext(site.app, session), aQuery(full(1, 30)))).items)

const fetchAs = async (session: Session, path: string) => {
  const input = { name: 'Script', scopes: ['mcp:read' as const], expiresInDays: 7 as const }
  const { token } = await makePersonalToken(site.app, { ...session, id: null }, input)
  return site.get(path, { authorization: `Bearer ${token}` })
}

describe('people of rows', () => {
  it('are the reader and the members of the same organization, by id, name and picture', async () => {
    expect(await itemsFor(ada)).toEqual([
      { id: 'd1', assignee: shown(ada), createdBy: ben.email, creator: shownBen() },
      { id: 'd2', assignee: shownBen(), createdBy: ada.email, creator: shown(ada) },
      { id: 'd3', assignee: addressOf(stranger.email), createdBy: cyd.email, creator: addressOf(cyd.email) },
      { id: 'd4', assignee: addressOf('nobody@example.test'), createdBy: null, creator: null },
    ])
  })

  it('never leave an organization, although the reader is a colleague of the person in another one', async () => {
    const [, , third] = await itemsFor(ada)
    expect(third).toMatchObject({ creator: { id: null, name: cyd.email } })
    const { rows } = await site.app.db.client.execute({
      sql: 'select org_id from org_members where user_id in (?, ?) group by org_id having count(*) = 2',
      args: [ada.userId, cyd.userId],
    })
    expect(rows).toHaveLength(1)
    const there = { ...ada, orgId: String(rows[0]?.org_id) }
    const rowsThere = await as(there, () => withPeople([{ by: cyd.email }, { by: ben.email }], { who: 'by' }))
    expect(rowsThere).toEqual([
      { by: cyd.email, who: { id: cyd.userId, name: cyd.email, email: cyd.email, image: null } },
      { by: ben.email, who: addressOf(ben.email) },
    ])
  })

  it('are the same in an action, and nobody but oneself outside an organization', async () => {
    const call = { name: 'list-deals', action: listDeals as never, input: {}, caller: 'http' as const, requestId: 'r' }
    const run = (session: Session) => as(session, () => runAction(site.app, { ...call, session }))
    expect(await run(ada)).toEqual({ deals: await itemsFor(ada) })
    const alone = await as({ ...ada, orgId: null }, () =>
      withPeople([{ a: ada.email, b: ben.email }], { x: 'a', y: 'b' }),
    )
    expect(alone).toMatchObject([{ x: shown(ada), y: addressOf(ben.email) }])
  })

  it('cost one statement for all rows, and none for rows of the reader', async () => {
    const statementsFor = (...addresses: string[]) =>
      countStatements(site.app, app =>
        withRun({ app, session: ada }, () =>
          withPeople(
            addresses.map(by => ({ by })),
            { who: 'by' },
          ),
        ),
      )
    expect(await statementsFor(...Array<string>(50).fill(ada.email))).toBe(0)
    expect(await statementsFor(ada.email, ben.email, cyd.email, ben.email, stranger.email)).toBe(1)
    const pageFor = (createdBy: string) => {
      const filters = [{ kind: 'exact' as const, field: 'createdBy', values: [createdBy] }]
      return countStatements(site.app, app => reader.readPage(aContext(app, ada), aQuery(full(1, 30), { filters })))
    }
    expect((await pageFor(ben.email)) - (await pageFor('nobody@example.test'))).toBe(1)
  })

  it('are objects in documents and in JSON Lines, and names in CSV', async () => {
    const page = await (await fetchAs(ada, '/shown-deals')).json()
    expect(page.member[0]).toMatchObject({ id: 'd1', creator: shownBen() })
    const lines = await (await fetchAs(ada, '/shown-deals/export/jsonl')).text()
    expect(JSON.parse(lines.split('\n')[0] ?? '')).toMatchObject({ id: 'd1', creator: shownBen() })
    const csv = await (await fetchAs(ada, '/shown-deals/export/csv')).text()
    expect(csv.split('\r\n').slice(0, 2)).toEqual([
      expect.stringContaining('id,assignee,createdBy,creator'),
      `d1,Ada,${ben.email},Ben`,
    ])
  })

  it.each<[string, object, RegExp]>([
    ['an unknown field', { people: { boss: 'assignee' } }, /people: the item has no field boss/],
    [
      'an unknown column',
      { people: { creator: 'maker' } },
      /people: creator: the source has no column maker; it has id, /,
    ],
    ['a public collection', { public: true }, /people: needs a session/],
    ['a function', { source: () => [] }, /people: belongs to a table or a query; a function calls withPeople/],
  ])('are refused at load for %s', (_title, options, message) => {
    const people = { assignee: 'assignee', creator: 'createdBy' }
    const define = defineCollection as unknown as (options: object) => unknown
    expect(() => define({ description: 'Deals.', item, source: deals, people, ...options })).toThrow(message)
  })
})
