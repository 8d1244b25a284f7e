import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { parseInput } from '#fairway/server/kernel/http/read-input'
import { emailSchema } from '#fairway/shared/schemas/email'

function codeOf(value: unknown): unknown {
  try {
    return parseInput(emailSchema, value)
  } catch (error) {
    return error instanceof AppError && error.errors?.[0]?.code
  }
}

describe('emailSchema', () => {
  it.each([
    ['  Ada@Example.COM ', 'ada@example.com'],
    // Full-width characters, as input methods write them.
    ['ada＠example.com', 'ada@example.com'],
    ['ＡＤＡ@example.com', 'ada@example.com'],
    [`${'a'.repeat(242)}@example.com`, `${'a'.repeat(242)}@example.com`],
  ])('converts %j to %j', (written, kept) => {
    expect(emailSchema.parse(written)).toBe(kept)
  })

  it.each([
    [undefined, 'required'],
    [7, 'not-text'],
    ['', 'not-an-email'],
    ['ada@example.com, bob@example.com', 'not-an-email'],
    // A Cyrillic a.
    ['\u0430da@example.com', 'not-an-email'],
    [`${'a'.repeat(243)}@example.com`, 'too-long'],
  ])('refuses %j', (written, code) => {
    expect(codeOf(written)).toBe(code)
  })

  it('is a described string in the JSON Schema of an input', () => {
    expect(z.toJSONSchema(emailSchema, { io: 'input' })).toMatchObject({
      type: 'string',
      description: 'An email address.',
    })
  })
})
