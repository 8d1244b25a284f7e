import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { quickParse, withShortcut } from '#fairway/server/kernel/quick-parse'

interface Tree {
  name: string
  children: Tree[]
}
const tree: z.ZodType<Tree> = z.object({ name: z.string(), children: z.array(z.lazy(() => tree)) })
const nested = z.object({
  name: z.string(),
  get child() {
    return nested.optional()
  },
})

const upper = z.string().transform(text => text.toUpperCase())
const row = z.object({
  id: z.string(),
  size: z.int(),
  share: z.number().nullable(),
  isOpen: z.boolean(),
  role: z.enum(['viewer', 'editor']),
  kind: z.literal('row'),
  note: z.string().optional(),
})

const schemas: Record<string, z.ZodType> = {
  string: z.string(),
  'short string': z.string().max(3),
  email: z.email(),
  number: z.number(),
  integer: z.int(),
  'small integer': z.int().max(3),
  '32 bits': z.int32(),
  'number that was a text': z.coerce.number(),
  boolean: z.boolean(),
  enum: z.enum(['one', 'two']),
  literal: z.literal([1, 'one', null]),
  nullable: z.string().nullable(),
  nullish: z.number().nullish(),
  optional: z.string().optional(),
  default: z.string().default('none'),
  unknown: z.unknown(),
  date: z.date(),
  transform: upper,
  array: z.array(z.string()),
  'array of one': z.array(z.string()).length(1),
  tuple: z.tuple([z.string(), z.number()]),
  record: z.record(z.string(), z.number()),
  union: z.union([z.string(), z.number()]),
  object: z.object({ a: z.string() }),
  'loose object': z.looseObject({ a: z.string() }),
  'strict object': z.strictObject({ a: z.string() }),
  'object with a rule': z.object({ a: z.string() }).refine(({ a }) => a !== 'no'),
  'object of options': z.object({ a: z.string().optional(), b: upper.optional(), c: z.string().default('c') }),
  'object of anything': z.object({ a: z.unknown(), b: z.any(), c: z.undefined() }),
  'object of refused names': z.object({ constructor: z.string(), toString: z.string().optional() }),
  'object of numbers': z.object({ 2: z.string(), 1: z.string() }),
  rows: z.object({ rows: z.array(row), total: z.int() }),
  tree,
  nested,
  readonly: z.object({ a: z.string() }).readonly(),
  catch: z.object({ a: z.string().catch('caught') }),
}

const whole = { id: 'a', size: 1, share: null, isOpen: true, role: 'viewer', kind: 'row', extra: 'dropped' }
const fine: readonly unknown[] = [
  '',
  'one',
  'no',
  'a@example.test',
  0,
  -0,
  1.5,
  4,
  2 ** 31,
  2 ** 53,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  1n,
  true,
  null,
  undefined,
  new Date(0),
  new Date(Number.NaN),
  Symbol('a'),
  () => 'a',
  'long text',
  [],
  ['a'],
  ['a', 1],
  [undefined],
  Array.from({ length: 2 }),
  {},
  { a: 'a' },
  { a: 'no' },
  { a: undefined },
  { a: 1 },
  { a: 'a', b: 'b', c: undefined },
  { a: 'a', more: 1 },
  { b: undefined },
  Object.create({ a: 'a' }),
  { 1: 'a', 2: 'b' },
  { constructor: 'a' },
  new Map([['a', 'a']]),
  JSON.parse('{"__proto__":{"a":"a"}}'),

  { name: 'a', children: [] },
  { name: 'a', children: [{ name: 'b', children: [{}] }] },
  { name: 'a', child: {} },

  { name: 'a', child: { name: 'b' } },
  { name: 'a', child: undefined },
]
const rows: readonly unknown[] = [
  { ...whole },
  { ...whole, note: 'x' },
  { ...whole, note: undefined },
  { ...whole, note: null },
  ...Object.keys(whole).flatMap(name => [
    Object.fromEntries(Object.entries(whole).filter(([key]) => key !== name)),
    ...[undefined, null, 1.5, 'text', {}].map(value => ({ ...whole, [name]: value })),
  ]),
]

describe('a quick parse', () => {
  it.each(Object.entries(schemas))('gives what Zod gives: %s', (_name, schema) => {
    const values = [...fine, ...rows, ...rows.map(one => ({ rows: [whole, one], total: 2 })), ...fine.map(one => [one])]
    for (const value of values) {
      const [ours, zods] = [quickParse(schema, value), schema.safeParse(value)]
      expect(ours.success).toBe(zods.success)
      expect(ours.error?.issues).toEqual(zods.error?.issues)
      expect(ours.data).toStrictEqual(zods.data)
      if (isObject(zods.data)) expect(Object.keys(ours.data as object)).toEqual(Object.keys(zods.data))
    }
  })

  it('gives a new object and leaves the given one as it is', () => {
    const given = { rows: [{ ...whole }], total: 1 }
    const { data } = quickParse(schemas.rows!, given)
    expect(data).not.toBe(given)
    expect(given.rows[0]).toEqual(whole)
    expect((data as typeof given).rows[0]).not.toHaveProperty('extra')
  })
})

describe('a shortcut', () => {
  const moment = withShortcut(z.union([z.date().transform(date => date.toISOString()), z.iso.datetime()]), value =>
    value instanceof Date && value.getTime() >= 0 ? value.toISOString() : undefined,
  )
  const schema = z.object({ at: moment, end: moment.nullable() })

  it('answers for what it knows and leaves the rest to the schema', () => {
    const at = new Date(0)
    const text = at.toISOString()
    expect(quickParse(schema, { at, end: null }).data).toEqual({ at: text, end: null })
    expect(quickParse(schema, { at: text, end: new Date(-1) }).data).toEqual({
      at: text,
      end: '1969-12-31T23:59:59.999Z',
    })
    expect(quickParse(schema, { at: 'never', end: null }).error?.issues).toEqual(
      schema.safeParse({ at: 'never', end: null }).error?.issues,
    )
  })
})

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
