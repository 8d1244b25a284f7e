import { describe, expect, it } from 'vitest'
import { mergeLines } from '#fairway/cli/generate/merge-lines'

const text = (...lines: string[]) => lines.map(line => `${line}\n`).join('')
const base = text('a', 'b', 'c', 'd')

describe('mergeLines', () => {
  it.each([
    ['edits of different lines', text('A', 'b', 'c', 'd'), text('a', 'b', 'c', 'D'), text('A', 'b', 'c', 'D')],
    [
      'an edit of the line above an insertion',
      text('a', 'B', 'c', 'd'),
      text('a', 'b', 'x', 'c', 'd'),
      text('a', 'B', 'x', 'c', 'd'),
    ],
    ['an edit of the line below an insertion', text('a', 'x', 'b', 'c', 'd'), text('a', 'B', 'c', 'd'), undefined],
    [
      'the same change on both sides, once',
      text('a', 'b', 'x', 'c', 'd'),
      text('a', 'b', 'x', 'c', 'd'),
      text('a', 'b', 'x', 'c', 'd'),
    ],
    ['different edits of a line', text('A', 'b', 'c', 'd'), text('AA', 'b', 'c', 'd'), undefined],
    ['an insertion into deleted lines', text('a', 'd'), text('a', 'b', 'x', 'c', 'd'), undefined],
    ['a deletion and an edit elsewhere', text('a', 'c', 'd'), text('a', 'b', 'c', 'D'), text('a', 'c', 'D')],
  ])('merges %s', (_, own, other, merged) => expect(mergeLines(own, base, other)).toBe(merged))

  it('keeps the entries that both sides add to the end of a list', () => {
    const list = (...entries: string[]) => text('{', ...entries.map(entry => `  ${entry},`), '}')
    expect(mergeLines(list('a: 1', 'mine: 2'), list('a: 1'), list('a: 1', 'theirs: 3'))).toBe(
      list('a: 1', 'mine: 2', 'theirs: 3'),
    )
  })

  it('does not order other lines that both sides insert at the same place', () => {
    expect(mergeLines(text('a', '// Mine', 'b'), text('a', 'b'), text('a', 'x,', 'b'))).toBeUndefined()
  })
})
