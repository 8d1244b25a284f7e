import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { toSchemaFields } from '#fairway/app/tools/schema-fields'

const fields = (schema: z.ZodType, io: 'input' | 'output' = 'input') => toSchemaFields(z.toJSONSchema(schema, { io }))
const types = (schema: z.ZodType) => Object.fromEntries(fields(schema).map(({ path, type }) => [path, type]))

describe('toSchemaFields', () => {
  it('returns readable types, including those of nested objects', () => {
    const schema = z.object({
      title: z.string(),
      count: z.int(),
      tags: z.array(z.string()),
      note: z.object({ id: z.string(), owner: z.object({ name: z.string().nullable() }) }),
      rows: z.array(z.object({ on: z.boolean() })),
      kind: z.literal('x'),
      any: z.unknown(),
      maybe: z.object({ deep: z.number() }).nullable(),
    })
    expect(types(schema)).toEqual({
      title: 'string',
      count: 'integer',
      tags: 'string[]',
      note: 'object',
      'note.id': 'string',
      'note.owner': 'object',
      'note.owner.name': 'string | null',
      rows: 'object[]',
      'rows[].on': 'boolean',
      kind: '"x"',
      any: 'any',
      maybe: 'object | null',
      'maybe.deep': 'number',
    })
  })

  it('returns required flags, descriptions and limits', () => {
    const schema = z.object({
      title: z.string().min(1).max(200).describe('One line'),
      page: z.int().min(1).default(1),
      view: z.enum(['a', 'b']).optional(),
      until: z.string().max(9).nullable(),
    })
    expect(fields(schema)).toEqual([
      {
        path: 'title',
        type: 'string',
        isRequired: true,
        description: 'One line',
        limits: [
          { key: 'minLength', value: '1' },
          { key: 'maxLength', value: '200' },
        ],
      },
      {
        path: 'page',
        type: 'integer',
        isRequired: false,
        description: undefined,
        limits: [
          { key: 'min', value: '1' },
          { key: 'default', value: '1' },
        ],
      },
      {
        path: 'view',
        type: 'string',
        isRequired: false,
        description: undefined,
        limits: [{ key: 'oneOf', value: 'a, b' }],
      },
      {
        path: 'until',
        type: 'string | null',
        isRequired: true,
        description: undefined,
        limits: [{ key: 'maxLength', value: '9' }],
      },
    ])
  })

  it.each([undefined, null, 'x', { type: 'object' }, { properties: 3 }])('returns no fields for %j', schema => {
    expect(toSchemaFields(schema)).toEqual([])
  })

  it('stops after three levels of nesting', () => {
    const deep = z.object({ a: z.object({ b: z.object({ c: z.object({ d: z.string() }) }) }) })
    expect(fields(deep).map(({ path }) => path)).toEqual(['a', 'a.b', 'a.b.c'])
  })
})
