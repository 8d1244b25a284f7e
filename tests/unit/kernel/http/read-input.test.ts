import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { checkInput, parseInput } from '#fairway/server/kernel/http/read-input'

function faultsOf(work: () => unknown): unknown {
  try {
    return work()
  } catch (error) {
    return error instanceof AppError && [error.code, ...(error.errors ?? []).map(({ path, code }) => `${path} ${code}`)]
  }
}

describe('parseInput', () => {
  const schema = z.object({ title: z.string(), tags: z.array(z.record(z.string(), z.unknown())).default([]) })

  it.each([
    ['NUL', 'kept before\u0000and after'],
    ['half of a surrogate pair at its end', 'a\ud83d'],
    ['half of a surrogate pair at its start', '\ude00a'],
  ])('refuses a text with %s and names its field', (_what, title) => {
    expect(faultsOf(() => parseInput(schema, { title }))).toEqual(['invalid-input', 'title broken-text'])
  })

  it('names every field with such a text, also in lists, in names and in fields that it ignores', () => {
    const input = { title: 'a', tags: [{}, { 'b\u0000': 1, c: { d: ['\ud800'] } }], unknown: '\u0000' }
    expect(faultsOf(() => parseInput(schema, input))).toEqual([
      'invalid-input',
      'tags.1.b\u0000 broken-text',
      'tags.1.c.d.0 broken-text',
      'unknown broken-text',
    ])
  })

  it('accepts every other character', () => {
    const title = '\u0001\u200b\u202e\ufffe😀\u{10ffff}'
    expect(parseInput(schema, { title })).toEqual({ title, tags: [] })
  })
})

describe('checkInput', () => {
  it('names at most 100 fields', () => {
    expect(faultsOf(() => checkInput(Array.from({ length: 1000 }, () => '\u0000')))).toHaveLength(101)
  })

  it('refuses input that is nested deeper than 64 levels before it reads on', () => {
    const nest = (levels: number) => JSON.parse('['.repeat(levels) + ']'.repeat(levels))
    expect(checkInput(nest(64))).toEqual(nest(64))
    expect(faultsOf(() => checkInput(nest(20_000)))).toEqual(['invalid-input', ' undefined'])
  })
})
