import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { parseInput } from '#fairway/server/kernel/http/read-input'
import { claimedEmailSchema, emailSchema } from '#fairway/shared/schemas/email'

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
    // Zero-width and no-break spaces, as pages and mail programs add them.
    ['\u200bada@example.com\u200b', 'ada@example.com'],
    ['\u2066\u00a0ada@example.com\ufeff\n', 'ada@example.com'],
    // Every character of RFC 5322 §3.2.3, and dots as HTML accepts them.
    ["R&D!#$%'*+/=?^_`{|}~-@firm.example", "r&d!#$%'*+/=?^_`{|}~-@firm.example"],
    ['ada..l.@x.example', 'ada..l.@x.example'],
    ['ada@9.xn--p1ai', 'ada@9.xn--p1ai'],
    ['ada@example.a', 'ada@example.a'],
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
    // KELVIN SIGN, whose lower case is k.
    ['\u212aate@example.com', 'not-an-email'],
    ['kate@\u212a.example', 'not-an-email'],
    ['a\u200bda@example.com', 'not-an-email'],
    ['a da@example.com', 'not-an-email'],
    ['Ada <ada@example.com>', 'not-an-email'],
    ['ada@example', 'not-an-email'],
    ['ada@-example.com', 'not-an-email'],
    [`ada@${'a'.repeat(64)}.example`, 'not-an-email'],
    [`${'a'.repeat(243)}@example.com`, 'too-long'],
    [`a${' '.repeat(60_000)}b`, 'not-an-email'],
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

describe('claimedEmailSchema', () => {
  it('accepts and refuses what emailSchema does', () => {
    expect(claimedEmailSchema.parse(' R&D@Firm.example\u200b')).toBe('r&d@firm.example')
    expect(claimedEmailSchema.safeParse('\u212aate@example.com').success).toBe(false)
  })

  it('refuses full-width characters, which may name the mailbox of another person', () => {
    expect(claimedEmailSchema.safeParse('ａda@example.com').success).toBe(false)
  })
})
