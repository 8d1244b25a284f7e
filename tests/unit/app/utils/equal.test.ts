import { isDeepStrictEqual } from 'node:util'
import { describe, expect, it } from 'vitest'
import { diff, isEqual } from '#fairway/app/equal'

const values = [
  undefined,
  null,
  0,
  '0',
  Number.NaN,
  [],
  {},
  ['a', 'b'],
  ['b', 'a'],
  { a: 1, b: { c: [2] } },
  { b: { c: [2] }, a: 1 },
  { a: 1, b: { c: [3] } },
  { a: undefined },
  new Date(0),
  new Date(1),
]

describe('isEqual', () => {
  it.each(values.map((value, index) => [index, value] as const))(
    'compares value %i deeply, like isDeepStrictEqual',
    (_, value) => {
      const clones = values.map(other => (other && typeof other === 'object' ? structuredClone(other) : other))
      expect(clones.map(other => isEqual(value, other))).toEqual(clones.map(other => isDeepStrictEqual(value, other)))
    },
  )
})

describe('diff', () => {
  it('returns the keys that only the second object has', () => {
    expect(diff({ page: '1', q: 'x' }, { page: '2', lang: 'de' })).toEqual([{ type: 'added', key: 'lang' }])
  })
})
