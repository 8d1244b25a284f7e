import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { emailSchema } from '#fairway/shared/schemas/email'

const messageOf = (value: unknown) => emailSchema.safeParse(value).error?.issues[0]?.message

describe('an e-mail address', () => {
  it.each([
    ['  Ada@Example.COM ', 'ada@example.com'],
    // Full-width signs, as input methods write them.
    ['ada＠example.com', 'ada@example.com'],
    ['ＡＤＡ@example.com', 'ada@example.com'],
    [`${'a'.repeat(242)}@example.com`, `${'a'.repeat(242)}@example.com`],
  ])('%j is kept as %j', (written, kept) => {
    expect(emailSchema.parse(written)).toBe(kept)
  })

  it.each([
    [undefined, 'Enter an e-mail address.'],
    [7, 'Enter an e-mail address.'],
    ['', 'This is not an e-mail address.'],
    ['ada@example.com, bob@example.com', 'This is not an e-mail address.'],
    // A Cyrillic a.
    ['\u0430da@example.com', 'This is not an e-mail address.'],
    [`${'a'.repeat(243)}@example.com`, 'This address is too long.'],
  ])('refuses %j', (written, message) => {
    expect(messageOf(written)).toBe(message)
  })

  it('is a described text in the JSON Schema of an input', () => {
    expect(z.toJSONSchema(emailSchema, { io: 'input' })).toMatchObject({
      type: 'string',
      description: 'An e-mail address.',
    })
  })
})
