import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { coerceInput, defineAction } from '#fairway/server/domains/actions'

const action = defineAction({
  description: 'Reads.',
  readOnly: true,
  input: z.object({
    ids: z.array(z.string()).optional(),
    numbers: z.array(z.number()).optional(),
    on: z.boolean().optional(),
    n: z.number().nullable().optional(),
    count: z.int().default(1),
    text: z.string().optional(),
    kind: z.enum(['1', '2']).optional(),
    where: z.object({ a: z.number() }).optional(),
  }),
  run: input => input,
})

const coerce = (query: string) => coerceInput(action, new URLSearchParams(query))

describe('coerceInput', () => {
  it.each([
    ['ids[]=1&ids[]=2', { ids: ['1', '2'] }],
    ['ids=1', { ids: ['1'] }],
    ['numbers=1&numbers=2.5', { numbers: [1, 2.5] }],
    ['on=true', { on: true }],
    ['on=0', { on: false }],
    ['on=yes', { on: 'yes' }],
    ['n=3', { n: 3 }],
    ['n=null', { n: null }],
    ['n=-1e3', { n: -1000 }],
    ['n=0x10', { n: '0x10' }],
    ['n=', { n: '' }],
    ['text=5', { text: '5' }],
    ['text=true', { text: 'true' }],
    ['kind=1', { kind: '1' }],
    ['where={"a":1}', { where: { a: 1 } }],
    ['where={broken', { where: '{broken' }],
    ['unknown=5', { unknown: '5' }],
  ])('parses %s according to the schema', (query, expected) => {
    expect(coerce(query)).toEqual(expected)
  })

  it('parses a list in linear time', () => {
    const query = Array(100_000).fill('ids[]=1').join('&')
    const began = process.cpuUsage()
    expect(coerce(query).ids).toHaveLength(100_000)
    // Quadratic time would take half a minute.
    expect(process.cpuUsage(began).user / 1000).toBeLessThan(2000)
  })

  it('rejects a single value that is given twice', () => {
    expect(() => coerce('n=1&n=2')).toThrow(
      expect.objectContaining({ code: 'invalid-input', errors: [{ path: 'n', message: 'This was given twice.' }] }),
    )
  })

  it('treats __proto__ as an ordinary field name', () => {
    const input = coerce('__proto__=x')
    expect(Object.getPrototypeOf(input)).toBe(Object.prototype)
    expect(Object.hasOwn(input, '__proto__')).toBe(true)
  })
})
