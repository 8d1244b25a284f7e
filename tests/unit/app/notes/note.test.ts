import { expect, it } from 'vitest'
import { excerpt } from '~/notes/note'

it('excerpt returns the first 400 characters of a note without Markdown syntax', () => {
  const text =
    '# Berths\n\nThree **berths**, see [the plan](https://example.com).\n\n- [x] call\n- ropes\n> Tide\n\n|---|---|\n`x`'
  expect(excerpt(text)).toBe('Three berths, see the plan.\ncall\nropes\nTide\nx')
  expect(excerpt('Before\n\n```ts\nconst a = 1\n```\n\nAfter\n```\nopen')).toBe('Before\nAfter')
  expect(excerpt('2 * 3 - 1 and snake_case')).toBe('2 * 3 - 1 and snake_case')
  expect(excerpt('a'.repeat(1000))).toHaveLength(400)
})
