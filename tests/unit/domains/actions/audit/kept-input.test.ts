import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { keptInput } from '#fairway/server/domains/actions/audit/kept-input'

const ID = '019f4f7e-52b1-7c3a-8d20-1f7a9b3c5d6e'

const schema = z.object({
  id: z.uuid().optional(),
  olderId: z.string().uuid().optional(),
  title: z.string().optional(),
  text: z.string().default(''),
  email: z.string().trim().toLowerCase().pipe(z.email()).optional(),
  role: z.enum(['viewer', 'editor']).optional(),
  trimmedRole: z
    .string()
    .trim()
    .pipe(z.enum(['viewer', 'editor']))
    .optional(),
  kind: z.literal('note').nullish(),
  day: z.iso.date().optional(),
  at: z.iso
    .datetime()
    .transform(value => new Date(value))
    .optional(),
  since: z.coerce.date().optional(),
  count: z.number().optional(),
  pinned: z.boolean().default(false),
  either: z.union([z.uuid(), z.string()]).optional(),
  tags: z.array(z.string()).optional(),
  roles: z.array(z.enum(['viewer', 'editor'])).optional(),
  part: z.object({ title: z.string(), size: z.number() }).nullable().optional(),
  shape: z
    .discriminatedUnion('kind', [
      z.object({ kind: z.literal('circle'), label: z.string() }),
      z.object({ kind: z.literal('square'), edge: z.number() }),
    ])
    .optional(),
  words: z.record(z.string(), z.string()).optional(),
  anything: z.unknown(),
  apiToken: z.enum(['swordfish']).optional(),
})

const kept = (input: unknown, keeps: string[] = []): unknown => JSON.parse(keptInput({ input, schema, keeps }))

describe('keptInput', () => {
  it.each([
    ['an id', { id: ID, olderId: ID }],
    ['an enumeration', { role: 'editor', trimmedRole: 'viewer', kind: 'note', roles: ['viewer'] }],
    ['a date', { day: '2026-11-22', at: '2026-11-22T04:14:00.000Z', since: '2026-11-22' }],
    ['a number', { count: 3.5 }],
    ['a boolean', { pinned: true }],
    ['nothing at all', { kind: null, part: null }],
    ['numbers and enumerations inside', { shape: { kind: 'square', edge: 2 } }],
  ])('keeps %s', (_what, input) => {
    expect(kept(input)).toEqual(input)
  })

  it.each([
    ['a text', { title: 'My dismissal' }, { title: '[text]' }],
    ['an address', { email: 'ada@example.test' }, { email: '[text]' }],
    ['a text where an id is meant', { id: 'My dismissal', olderId: 'x' }, { id: '[text]', olderId: '[text]' }],
    ['a text where an enumeration is meant', { role: 'My dismissal' }, { role: '[text]' }],
    ['a text where a number is meant', { count: 'My dismissal' }, { count: '[text]' }],
    [
      'a text where a date is meant',
      { day: '2026-11-22 my dismissal', since: 'soon' },
      { day: '[text]', since: '[text]' },
    ],
    ['a text where an id may stand', { either: 'My dismissal' }, { either: '[text]' }],
    ['the texts of a list', { tags: ['a', 'b'] }, { tags: ['[text]', '[text]'] }],
    ['a text inside', { part: { title: 'Mine', size: 2 } }, { part: { title: '[text]', size: 2 } }],
    [
      'a text of a choice',
      { shape: { kind: 'circle', label: 'Mine' } },
      { shape: { kind: 'circle', label: '[text]' } },
    ],
    ['names that people give', { words: { 'my dismissal': 'x' } }, { words: {} }],
    ['a text of an unknown kind', { anything: 'x' }, { anything: '[text]' }],
    ['an object of an unknown kind', { anything: { mine: 'x' } }, { anything: {} }],
    ['a field that the action does not have', { mine: 'x', count: 1 }, { count: 1 }],
  ])('does not keep %s', (_what, input, row) => {
    expect(kept(input)).toEqual(row)
  })

  it('cuts input below six levels, however deep it is', () => {
    const tree: unknown = JSON.parse('['.repeat(20_000) + ']'.repeat(20_000))
    const cut = [[[[[['[deep]']]]]]]
    expect(kept({ tags: tree })).toEqual({ tags: cut })
    expect(kept({ tags: tree }, ['tags'])).toEqual({ tags: cut })
  })

  it('keeps texts that the action declares, cut to 200 characters', () => {
    const long = 'x'.repeat(500)
    expect(kept({ title: long, text: 'y', tags: ['a'] }, ['title', 'tags'])).toEqual({
      title: `${'x'.repeat(200)}…`,
      text: '[text]',
      tags: ['a'],
    })
  })

  it('redacts fields with the name of a secret, even when declared', () => {
    expect(kept({ apiToken: 'swordfish' }, ['apiToken'])).toEqual({ apiToken: '[redacted]' })
  })

  it('keeps only declared fields when there is no schema', () => {
    const input = { email: 'ada@example.test', role: 'admin', note: 'Mine', count: 1 }
    expect(JSON.parse(keptInput({ input, keeps: ['email', 'role', 'absent'] }))).toEqual({
      email: 'ada@example.test',
      role: 'admin',
    })
  })

  it('returns an empty object for input that is not an object', () => {
    for (const input of ['My dismissal', ['My dismissal'], undefined, null]) {
      expect(keptInput({ input, schema, keeps: ['title'] })).toBe('{}')
    }
  })
})
