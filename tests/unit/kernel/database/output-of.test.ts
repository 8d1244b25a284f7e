import { blob, customType, integer, numeric, real, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { type ActionTypeOf, runAction } from '#fairway/server/domains/actions'
import type { CollectionTypeOf } from '#fairway/server/domains/collections/define-collection'
import { foldedText } from '#fairway/server/fw-tables'
import { toolSchema } from '#fairway/server/domains/mcp/surface'
import { defineAction, defineCollection, outputOf } from '#fw'
import { createTestApp } from '../../../support/app'

const place = customType<{ data: { lat: number; at: Date }; driverData: string }>({ dataType: () => 'text' })
const issues = sqliteTable('issues', {
  id: text('id').primaryKey(),
  orgId: text('org_id').notNull(),
  status: text('status', { enum: ['open', 'done'] }).notNull(),
  stars: integer('stars').notNull(),
  share: real('share'),
  price: numeric('price').notNull(),
  isUrgent: integer('is_urgent', { mode: 'boolean' }).notNull(),
  labels: text('labels', { mode: 'json' }).$type<string[]>().notNull(),
  place: place('place'),
  dueAt: integer('due_at', { mode: 'timestamp' }),
  createdAt: integer('created_at', { mode: 'timestamp_ms' }).notNull(),
})
const row: typeof issues.$inferSelect = {
  id: 'a',
  orgId: 'o',
  status: 'open',
  stars: 3,
  share: null,
  price: '9.5',
  isUrgent: true,
  labels: ['x'],
  place: { lat: 1.5, at: new Date(0) },
  dueAt: null,
  createdAt: new Date(0),
}
const sent = {
  id: 'a',
  status: 'open',
  stars: 3,
  share: null,
  price: '9.5',
  isUrgent: true,
  labels: ['x'],
  place: { lat: 1.5, at: '1970-01-01T00:00:00.000Z' },
  dueAt: null,
  createdAt: '1970-01-01T00:00:00.000Z',
}
const issueSchema = outputOf(issues, { omit: ['orgId'] })

describe('outputOf', () => {
  it('leaves out columns of foldedText', () => {
    const titles = sqliteTable('titles', { title: text('title').notNull(), titleFolded: foldedText('title') })
    const schema = outputOf(titles)
    expect(schema.parse({ title: 'Ärzte', titleFolded: 'arzte' })).toEqual({ title: 'Ärzte' })
    expectTypeOf<z.output<typeof schema>>().toEqualTypeOf<{ title: string }>()
  })

  it('accepts a row with extra fields and returns its JSON form', () => {
    expect(issueSchema.parse({ ...row, joined: 1 })).toEqual(sent)
    expect(issueSchema.parse(issueSchema.parse(row))).toEqual(sent)
    const wrong = issueSchema.safeParse({ ...row, status: 'closed', stars: '3', dueAt: 'soon', createdAt: null })
    expect(wrong.error?.issues.map(issue => issue.path.join('.'))).toEqual(['status', 'stars', 'dueAt', 'createdAt'])
  })

  it('has the types of a table row as input and of its JSON as output', () => {
    type Sent = z.output<typeof issueSchema>
    expectTypeOf<Sent['status']>().toEqualTypeOf<'open' | 'done'>()
    expectTypeOf<Sent['createdAt']>().toEqualTypeOf<string>()
    expectTypeOf<Sent['dueAt']>().toEqualTypeOf<string | null>()
    expectTypeOf<Sent['labels']>().toEqualTypeOf<string[]>()
    expectTypeOf<Sent['place']>().toEqualTypeOf<{ lat: number; at: string } | null>()
    expectTypeOf<Sent>().not.toHaveProperty('orgId')
    expectTypeOf(row).toExtend<z.input<typeof issueSchema>>()
    expectTypeOf<z.input<typeof issueSchema>['createdAt']>().toEqualTypeOf<Date | string>()
  })

  it('throws at load for an unknown column or a type that JSON cannot hold', () => {
    // @ts-expect-error There is no such column.
    expect(() => outputOf(issues, { omit: ['orgid'] })).toThrow('omit: issues has no column orgid; it has id, orgId')
    const files = sqliteTable('files', {
      id: text('id').primaryKey(),
      body: blob('body'),
      size: blob('size', { mode: 'bigint' }),
    })
    expect(() => outputOf(files, { omit: ['size'] })).toThrow('files.body holds a buffer, which JSON has no value for')
    expect(
      outputOf(files, { omit: ['body'], extend: { size: z.bigint().transform(Number) } }).parse({ id: 'a', size: 9n }),
    ).toEqual({ id: 'a', size: 9 })
  })

  it('describes the JSON form to MCP hosts and in OpenAPI', () => {
    const schema = toolSchema(
      z.object({ issue: issueSchema.pick({ dueAt: true, createdAt: true, status: true }) }),
      'output',
    )
    const date = { type: 'string', format: 'date-time' }
    expect(JSON.parse(JSON.stringify(schema))).toMatchObject({
      properties: {
        issue: {
          required: ['dueAt', 'createdAt', 'status'],
          properties: {
            status: { type: 'string', enum: ['open', 'done'] },
            createdAt: date,
            dueAt: { anyOf: [date, { type: 'null' }] },
          },
        },
      },
    })
  })
})

describe('the output of an action', () => {
  const base = { description: 'Gives an issue.', input: z.object({ id: z.string() }) }

  it('converts a returned row to its JSON form', async () => {
    const action = defineAction({ ...base, output: z.object({ issue: issueSchema }), run: () => ({ issue: row }) })
    const { app, close } = await createTestApp()
    const call = {
      name: 'get-issue',
      action,
      input: { id: 'a' },
      session: null,
      caller: 'cli' as const,
      requestId: 'r',
    }
    expect(await runAction(app, { ...call, action: { ...action, public: true } })).toEqual({ issue: sent })
    await close()
    expectTypeOf<ActionTypeOf<typeof action>['output']['issue']['createdAt']>().toEqualTypeOf<string>()
  })

  it('has the JSON type of the result without an output schema', () => {
    const action = defineAction({
      ...base,
      run: async () => ({ at: new Date(0), all: [new Date(0)], who: 'Ada' as const }),
    })
    expectTypeOf<ActionTypeOf<typeof action>['output']>().toEqualTypeOf<{ at: string; all: string[]; who: 'Ada' }>()
    const nothing = defineAction({ ...base, run: () => null })
    expectTypeOf<ActionTypeOf<typeof nothing>['output']>().toEqualTypeOf<null>()
  })

  it('is type-checked where the action is written and accepts enum literals', () => {
    const output = outputOf(issues, { omit: ['orgId', 'place', 'price', 'share', 'labels', 'isUrgent', 'stars'] })
    defineAction({
      ...base,
      output,
      async run({ id }) {
        return { id, status: 'done', dueAt: null, createdAt: new Date(), extra: 'is dropped' }
      },
    })
    defineAction({
      ...base,
      output,
      // @ts-expect-error The column createdAt is missing.
      async run({ id }) {
        return { id, status: 'done', dueAt: null }
      },
    })
    // @ts-expect-error There is no such status.
    defineAction({ ...base, output, run: ({ id }) => ({ id, status: 'closed', dueAt: null, createdAt: new Date() }) })
  })
})

it('a collection item has the JSON types of its table without a mapping', () => {
  const collection = defineCollection({
    description: 'Issues.',
    item: issueSchema,
    source: issues,
    order: ['createdAt'],
  })
  type Item = CollectionTypeOf<{ default: typeof collection }>['item']
  expectTypeOf<Item['createdAt']>().toEqualTypeOf<string>()
  expectTypeOf<Item['status']>().toEqualTypeOf<'open' | 'done'>()
})
