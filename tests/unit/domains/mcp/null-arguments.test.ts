import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { withoutNulls } from '#fairway/server/domains/mcp/null-arguments'
import { toolSchema } from '#fairway/server/domains/mcp/surface'

const dropped = (schema: z.ZodType, value: unknown) => withoutNulls(toolSchema(schema, 'input'), value)
const inner = z.object({ note: z.string().optional(), kept: z.string().nullish() })

describe('withoutNulls', () => {
  it('drops null for optional arguments at every level of objects and lists', () => {
    const schema = z.object({
      title: z.string().optional(),
      page: z.int().default(1),
      one: inner.optional(),
      many: z.array(inner).optional(),
      named: z.record(z.string(), inner).optional(),
      pair: z.tuple([inner, z.string()]).optional(),
    })
    const value = { note: null, kept: null }
    const given = { title: null, page: null, one: value, many: [value, null], named: { a: value }, pair: [value, 'x'] }
    const left = { kept: null }
    expect(dropped(schema, given)).toEqual({ one: left, many: [left, null], named: { a: left }, pair: [left, 'x'] })
    expect(dropped(schema, { one: null, many: null, named: null, pair: null })).toEqual({})
    expect(given.title).toBeNull()
  })

  it.each([
    ['nullable', z.string().nullable().optional()],
    ['any value', z.unknown().optional()],
    ['JSON', z.json().optional()],
    ['null or a list', z.union([z.null(), z.array(z.string())]).optional()],
    ['a choice with null', z.literal(['a', null]).optional()],
  ])('keeps null where the schema has it: %s', (_name, schema) => {
    expect(dropped(z.object({ a: schema }), { a: null })).toEqual({ a: null })
  })

  it('keeps null for required and unknown arguments, which validation then refuses or reads', () => {
    expect(dropped(z.object({ a: z.string() }), { a: null })).toEqual({ a: null })
    expect(dropped(z.looseObject({}), { a: null })).toEqual({ a: null })
    expect(dropped(z.object({ a: z.record(z.string(), z.string()) }), { a: { b: null } })).toEqual({ a: { b: null } })
  })

  it('reads the alternatives of a union that the value can be', () => {
    const schema = z.object({
      filter: z.discriminatedUnion('kind', [
        z.object({ kind: z.literal('text'), value: z.string().optional() }),
        z.object({ kind: z.literal('any'), value: z.null().optional() }),
      ]),
    })
    expect(dropped(schema, { filter: { kind: 'text', value: null } })).toEqual({ filter: { kind: 'text' } })
    expect(dropped(schema, { filter: { kind: 'any', value: null } })).toEqual({ filter: { kind: 'any', value: null } })
  })

  it('follows recursive schemas', () => {
    const tree = z.object({
      name: z.string().optional(),
      get children() {
        return z.array(tree).optional()
      },
    })
    const given = { name: 'a', children: [{ name: null, children: [{ children: null }] }] }
    expect(dropped(tree, given)).toEqual({ name: 'a', children: [{ children: [{}] }] })
  })

  it('reads a deep value of a recursive union without a long delay', () => {
    const shape = { name: z.string().optional() }
    const node: z.ZodType = z.lazy(() => z.union([one, other]))
    const one = z.object({ ...shape, children: z.array(node).optional() })
    const other = z.object({ ...shape, children: z.array(node).optional(), more: z.string().optional() })
    const deep = (levels: number, name?: null): object =>
      levels === 0 ? { name } : { children: [deep(levels - 1, name)] }
    expect(dropped(z.object({ node }), { node: deep(30, null) })).toEqual({ node: deep(30) })
  })

  it('leaves other values unchanged', () => {
    for (const value of [null, 'x', 1, [null], {}]) expect(dropped(z.object({}), value)).toEqual(value)
    const own = JSON.parse('{"__proto__":{"a":null},"constructor":null}')
    expect(Object.keys(dropped(z.object({ a: z.string().optional() }), own) as object)).toEqual(Object.keys(own))
  })
})
