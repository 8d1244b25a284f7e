import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { toFields, initialValues, readInput, shownInput } from '#fairway/app/tools/action-form'

const schema = z.object({
  title: z.string(),
  text: z.string().optional(),
  count: z.int().default(3),
  isDone: z.boolean(),
  isLoud: z.boolean().optional(),
  tags: z.array(z.string()).optional(),
  sizes: z.array(z.number()).default([1, 2]),
  filter: z.object({ a: z.number() }).optional(),
})
const fields = toFields(z.toJSONSchema(schema, { io: 'input' }))
const read = (values: Record<string, string | boolean>) => readInput(fields, { ...initialValues(fields), ...values })

describe('readInput', () => {
  it('starts with the defaults of the schema', () => {
    expect(initialValues(fields)).toEqual({
      title: '',
      text: '',
      count: '3',
      isDone: false,
      isLoud: '',
      tags: '',
      sizes: '1\n2',
      filter: '',
    })
  })

  it('omits empty optional fields and sends required texts unchanged', () => {
    expect(read({}).input).toEqual({ title: '', count: 3, isDone: false, sizes: [1, 2] })
  })

  it('converts every value to the type in its schema', () => {
    const { input } = read({
      title: ' a ',
      text: 'b',
      count: '4',
      isDone: true,
      isLoud: 'false',
      tags: 'x\n\n y ',
      sizes: '5\n6.5',
      filter: '{"a":1}',
    })
    expect(input).toEqual({
      title: ' a ',
      text: 'b',
      count: 4,
      isDone: true,
      isLoud: false,
      tags: ['x', 'y'],
      sizes: [5, 6.5],
      filter: { a: 1 },
    })
    expect(schema.safeParse(input).success).toBe(true)
  })

  it('names the fields whose values cannot be converted to JSON', () => {
    expect(read({ count: 'three', filter: '{a', sizes: 'x' })).toEqual({
      faults: { count: 'not-a-number', filter: 'not-json', sizes: 'not-json' },
    })
  })

  it('shows missing required values as an ellipsis in commands, and no input for invalid values', () => {
    expect(shownInput(fields, initialValues(fields))).toMatchObject({ title: '…', count: 3 })
    expect(shownInput(fields, { ...initialValues(fields), title: 'Now' })).toMatchObject({ title: 'Now' })
    expect(shownInput(fields, { ...initialValues(fields), count: 'three' })).toEqual({})
  })
})
