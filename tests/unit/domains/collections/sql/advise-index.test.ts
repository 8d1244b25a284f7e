import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import type { SqlDeclaration } from '#fairway/server/domains/collections/collection'
import { backgroundDone } from '#fairway/server/kernel/background'
import type { Session } from '#fairway/shared/schemas/session'
import { shareTestApp } from '../../../../support/use-app'
import { aMember } from '../../../../support/members'
import { query } from '../../../../support/query'
import { aContext, aQuery, aReader, cursorPage, full, partial } from './reading'

const tasks = sqliteTable(
  'advised-tasks',
  {
    id: integer('id').primaryKey(),
    orgId: text('org_id').notNull(),
    state: text('state').notNull(),
    rank: integer('rank').notNull(),
    due: integer('due_at', { mode: 'timestamp_ms' }),
  },
  table => [index('advised-org').on(table.orgId)],
)
const item = z.object({ id: z.number(), state: z.string(), rank: z.number(), due: z.string().nullable() })

const test = shareTestApp({ NODE_ENV: 'development' })
let member: Session
let read = 0

beforeAll(async () => {
  member = await aMember(test.app)
  await query(
    test.app,
    'create table "advised-tasks" (id integer primary key, org_id text not null, state text not null, rank integer not null, due_at integer)',
  )
})

/** Returns the log lines about missing indexes since the previous call. */
async function advice(): Promise<unknown[]> {
  await backgroundDone(test.app)
  const lines = test.lines().filter(({ message }) => String(message).includes('without an index'))
  const fresh = lines.slice(read).map(({ collection, fault, index }) => [collection, fault, index])
  read = lines.length
  return fresh
}

const declared = (more: Partial<SqlDeclaration> = {}) =>
  aReader(item, tasks, {
    scope: 'organization',
    filters: { state: ['exact', 'search'], rank: 'range' },
    order: ['rank'],
    ...more,
  })
const context = () => aContext(test.app, member)
const byRank = [{ field: 'rank', direction: 'DESC' } as const]
const done = [{ kind: 'exact', field: 'state', values: ['done'] } as const]

it('index advice names the index missing for a cursor sort once, and stops when it exists', async () => {
  const reader = declared()
  await cursorPage(reader, context(), { via: byRank, limit: 3, filters: done })
  await cursorPage(reader, context(), { via: byRank, limit: 5, filters: done })
  const [found, ...others] = await advice()
  expect(found).toEqual([
    'advised-tasks',
    'sorts every row',
    'create index advised_tasks_org_id_state_rank_id on "advised-tasks" ("org_id", "state", "rank" desc, "id" desc)',
  ])
  expect(others).toEqual([])
  await query(test.app, (found as string[])[2]!)
  const again = declared()
  const page = await cursorPage(again, context(), { via: byRank, limit: 3, filters: done })
  expect(page.items).toEqual([])
  const at = {
    bounds: [
      { field: 'rank', operator: 'lt', value: '5' },
      { field: 'id', operator: 'lt', value: '5' },
    ],
  } as const
  await cursorPage(again, context(), { via: byRank, limit: 3, filters: done, at })
  await again.readPage(
    context(),
    aQuery(full(1, 3), { filters: done, order: [...byRank, { field: 'id', direction: 'DESC' }] }),
  )
  expect(await advice()).toEqual([])
})

it('index advice names the index missing for a count', async () => {
  const reader = declared({ scope: 'everybody' })
  const rank = [{ kind: 'range', field: 'rank', operator: 'gt', value: '3' } as const]
  await reader.countItems(context(), rank)
  expect(await advice()).toEqual([
    ['advised-tasks', 'looks at every row', 'create index advised_tasks_rank on "advised-tasks" ("rank")'],
  ])
})

it('index advice is silent for pages in key order and when no index helps', async () => {
  const reader = declared({ scope: 'everybody' })
  await reader.readPage(context(), aQuery(partial(1, 3)))
  await reader.readPage(context(), aQuery(full(1, 3)))
  await reader.countItems(context(), [{ kind: 'search', field: 'state', value: 'one' }])
  expect(await advice()).toEqual([])
})
