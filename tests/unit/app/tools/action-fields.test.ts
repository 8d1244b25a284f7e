import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { toFields } from '#fairway/app/tools/action-form'

const fieldsOf = (schema: z.ZodType) => toFields(z.toJSONSchema(schema, { io: 'input' }))
const kindOf = (schema: z.ZodType) => fieldsOf(z.object({ field: schema }))[0]

describe('toFields', () => {
  it.each([
    ['text', z.string(), { kind: 'text', isText: true, isRequired: true }],
    ['long text', z.string().max(5000), { kind: 'long-text', isText: true }],
    ['an optional text', z.string().optional(), { kind: 'text', isRequired: false }],
    ['a text or null', z.string().nullable(), { kind: 'text', isRequired: true }],
    ['a password', z.string().meta({ format: 'password' }), { kind: 'secret', isText: true }],
    ['what is only written', z.string().meta({ writeOnly: true }), { kind: 'secret' }],
    ['a number', z.number(), { kind: 'number', isText: false }],
    ['a whole number', z.int(), { kind: 'number', isText: false }],
    ['a number with a default', z.number().default(3), { kind: 'number', isRequired: false, initial: 3 }],
    ['a required boolean', z.boolean(), { kind: 'switch' }],
    ['a boolean with a default', z.boolean().default(true), { kind: 'switch', initial: true }],
    ['an optional boolean', z.boolean().optional(), { kind: 'choice', options: ['true', 'false'], isText: false }],
    ['an enum', z.enum(['a', 'b']), { kind: 'choice', options: ['a', 'b'], isText: true }],
    ['numbers to choose from', z.literal([1, 2]), { kind: 'choice', options: ['1', '2'], isText: false }],
    ['a list of texts', z.array(z.string()), { kind: 'list', isText: true }],
    ['a list of numbers', z.array(z.number()), { kind: 'list', isText: false }],
    ['a list of objects', z.array(z.object({})), { kind: 'json', isText: false }],
    ['an object', z.object({ a: z.string() }), { kind: 'json', isText: false }],
    ['one of several types', z.union([z.string(), z.number()]), { kind: 'json', isText: false }],
    ['anything', z.unknown(), { kind: 'json' }],
  ])('returns the field for %s', (_name, schema, expected) => {
    expect(kindOf(schema)).toMatchObject(expected)
  })

  it('recognizes secrets by name, and marks technical fields such as page', () => {
    const fields = fieldsOf(
      z.object({
        apiKey: z.string(),
        clientSecret: z.string().optional(),
        page: z.int().default(1),
        limit: z.int(),
        title: z.string(),
      }),
    )
    expect(fields.filter(({ kind }) => kind === 'secret').map(({ name }) => name)).toEqual(['apiKey', 'clientSecret'])
    expect(fields.filter(({ isTechnical }) => isTechnical).map(({ name }) => name)).toEqual(['page'])
  })

  it('returns the collection and field that a value refers to', () => {
    const fields = fieldsOf(
      z.object({
        id: z.string().meta({ collection: 'books', description: 'The book.' }),
        email: z.email().meta({ collection: 'team-members', collectionField: 'email' }).optional(),
        other: z.string(),
      }),
    )
    expect(fields.map(({ pick, description }) => [pick, description])).toEqual([
      [{ collection: 'books', field: 'id' }, 'The book.'],
      [{ collection: 'team-members', field: 'email' }, undefined],
      [undefined, undefined],
    ])
  })

  it('keeps the order and the descriptions of the schema', () => {
    const fields = fieldsOf(z.object({ b: z.string().describe('The second letter.'), a: z.string() }))
    expect(fields.map(({ name, description }) => [name, description])).toEqual([
      ['b', 'The second letter.'],
      ['a', undefined],
    ])
  })

  it.each([[undefined], [null], [{}], [{ type: 'object' }], ['not a schema'], [{ properties: 3 }]])(
    'returns no fields for %j',
    schema => {
      expect(toFields(schema)).toEqual([])
    },
  )
})
