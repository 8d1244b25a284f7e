import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { parseInput } from '#fairway/server/kernel/http/read-input'
import { nameSchema } from '#fairway/shared/schemas/name'

function codeOf(value: unknown): unknown {
  try {
    return parseInput(nameSchema(10), value)
  } catch (error) {
    return error instanceof AppError && error.errors?.[0]?.code
  }
}

describe('nameSchema', () => {
  it.each([
    ['  Ada Lovelace ', 'Ada Lovelace'],
    // An override and an isolate of direction, a bell, a byte order mark.
    ['Ada\u202e \u2066Lovelace\u2069\u0007\ufeff', 'Ada Lovelace'],
    ['Ada\r\nLovelace\u2028', 'Ada Lovelace'],
    // Joiners of Persian and of emoji.
    ['می\u200cخواهم', 'می\u200cخواهم'],
    ['👩\u200d💻', '👩\u200d💻'],
    // An accent of its own becomes part of its letter.
    ['Jose\u0301', 'José'],
  ])('converts %j to %j', (written, kept) => {
    expect(nameSchema(20).parse(written)).toBe(kept)
  })

  it.each([
    [undefined, 'required'],
    [7, 'not-text'],
    ['', 'required'],
    [' \t', 'required'],
    ['\u200b', 'required'],
    ['\u200d\u200c', 'required'],
    // A letter that shows nothing, and a pattern without dots.
    ['\u3164\u2800', 'required'],
    ['a'.repeat(11), 'too-long'],
  ])('refuses %j', (written, code) => {
    expect(codeOf(written)).toBe(code)
  })

  it('counts characters rather than UTF-16 units, after composing them', () => {
    expect(codeOf('😀'.repeat(10))).toBe('😀'.repeat(10))
    expect(codeOf('e\u0301'.repeat(10))).toBe('é'.repeat(10))
    expect(codeOf('😀'.repeat(11))).toBe('too-long')
  })

  it('is a string with its limits in the JSON Schema of an input', () => {
    expect(z.toJSONSchema(z.object({ name: nameSchema(60) }), { io: 'input' }).properties).toEqual({
      name: { type: 'string', minLength: 1, maxLength: 60 },
    })
  })
})
