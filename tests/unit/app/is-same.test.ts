import { expect, it } from 'vitest'
import { isSame } from '#fairway/app/utils/is-same'

it.each([
  [1, 1, true],
  [null, undefined, false],
  ['1', 1, false],
  [{ a: 1, b: [1, { c: null }] }, { b: [1, { c: null }], a: 1 }, true],
  [{ a: undefined }, {}, false],
  [{ a: 1 }, { b: 1 }, false],
  [[], {}, false],
  [[1, 2], [2, 1], false],
])('compares %j with %j: %s', (one, other, same) => expect(isSame(one, other)).toBe(same))
