import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { createApp as createH3, defineEventHandler, toNodeListener } from 'h3'
import NativeDatabase from 'libsql'
import { z } from 'zod'
import { defineCollection, defineFwConfig } from '#fw'
import { createApp } from '#fairway/server/compose'
import {
  answerCollectionRequest,
  checkCollections,
  keepTotals,
  type CollectionEntry,
} from '#fairway/server/domains/collections'
import type { App } from '#fairway/server/kernel/app-context'
import { enterRequest } from '#fairway/server/enter-request'

/** Returns a table for this number of rows and the collections over it. */
const bedOf = (rows: number) => {
  const table = sqliteTable(
    `rows_${rows}`,
    {
      id: integer('id').primaryKey(),
      name: text('name').notNull(),
      category: integer('category').notNull(),
      takenAt: integer('taken_at', { mode: 'timestamp_ms' }).notNull(),
      body: text('body').notNull(),
    },
    columns => [index(`rows_${rows}_taken`).on(columns.takenAt, columns.id)],
  )
  const item = z.object({
    id: z.number(),
    name: z.string(),
    category: z.number(),
    takenAt: z.string(),
    body: z.string(),
  })
  const base = { description: 'Rows.', public: true, item, source: table } as const
  return {
    rows,
    collections: {
      [`full-${rows}`]: defineCollection(base),
      [`kept-${rows}`]: defineCollection({ ...base, keepTotal: true }),
      [`partial-${rows}`]: defineCollection({ ...base, paginationPartial: true }),
      [`cursor-${rows}`]: defineCollection({
        ...base,
        paginationPartial: true,
        paginationViaCursor: [{ field: 'id', direction: 'ASC' }],
      }),
      [`taken-${rows}`]: defineCollection({
        ...base,
        paginationPartial: true,
        paginationViaCursor: [
          { field: 'takenAt', direction: 'DESC' },
          { field: 'id', direction: 'DESC' },
        ],
      }),
    },
  }
}

/** The environment of the measured app. */
export const settings = (dataDir: string) => ({
  NODE_ENV: 'production',
  FW_DATA_DIR: dataDir,
  FW_BASE_URL: 'http://localhost',
  FW_LOG_LEVEL: 'error',
  BETTER_AUTH_SECRET: 'Yw4nTq8ZrB2kM6xVs9HdJ3gLc7PfE5uA',
})

const DAY = 86_400_000

/** Opens an app over a database with a table of each size, and the same rows through a bare driver statement. */
export async function openBed(sizes: readonly number[]) {
  const dataDir = mkdtempSync(join(tmpdir(), 'fw-bench-collections-'))
  const app = await createApp({
    env: settings(dataDir),
    fwConfig: defineFwConfig(),
  })
  const beds = [20, ...sizes].map(bedOf)
  for (const { rows } of beds) await fill(app.db.client, rows)
  const tables = readFileSync('layers/fairway/drizzle/0000_initial.sql', 'utf8').split('--> statement-breakpoint')
  await app.db.client.executeMultiple(tables.filter(sql => sql.includes('fw_total')).join(''))
  const file = join(dataDir, 'fairway.db')
  const native = new NativeDatabase(file)
  const entries = beds
    .flatMap(bed => Object.entries(bed.collections))
    .map(([name, collection]) => ({ name, collection }))
  checkCollections(app, entries)
  await keepTotals(app, entries)
  const statement = native.prepare(
    `select id, name, category, taken_at, body from rows_${sizes[0]} order by id limit 31`,
  )
  /** The baseline: the driver's prepared statement, and its rows as JSON. */
  const limit = () => JSON.stringify(statement.all([]))
  return {
    listener: toNodeListener(listenerOf(app, entries, limit)),
    limit,
    async close() {
      native.close()
      await app.db.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

function listenerOf(app: App, entries: readonly CollectionEntry[], limit: () => string) {
  const h3 = createH3()
  h3.use(
    defineEventHandler(event => {
      event.context.app = app
      event.context.requestId = 'bench'
    }),
  )
  h3.use(defineEventHandler(enterRequest))
  h3.use(
    '/limit',
    defineEventHandler(() => limit()),
  )
  h3.use(defineEventHandler(event => answerCollectionRequest(event, entries)))
  return h3
}

type Client = Awaited<ReturnType<typeof createApp>>['db']['client']

async function fill(client: Client, rows: number): Promise<void> {
  const name = `rows_${rows}`
  await client.batch(
    [
      `create table ${name} (id integer primary key, name text not null, category integer not null, taken_at integer not null, body text not null)`,
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${rows})
       insert into ${name} select i, 'Item ' || i, i % 10, (i / 3) * ${DAY}, printf('%0200d', i) from n`,
      `create index ${name}_taken on ${name} (taken_at, id)`,
    ],
    'write',
  )
}
