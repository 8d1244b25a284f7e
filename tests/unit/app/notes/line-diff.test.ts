import { describe, expect, it } from 'vitest'
import { lineDiff } from '~/notes/line-diff'

const SIGNS = { same: ' ', mine: '-', theirs: '+', gap: '…' }
const shown = (mine: string[], theirs: string[]) =>
  lineDiff(mine.join('\n'), theirs.join('\n')).map(({ kind, text }) => SIGNS[kind] + text)

describe('lineDiff', () => {
  it('marks the lines that appear in only one of the two texts', () => {
    expect(shown(['a', 'b', 'c', 'd'], ['a', 'x', 'c', 'd', 'e'])).toEqual([' a', '-b', '+x', ' c', ' d', '+e'])
  })

  it('marks every line when the other text is empty', () => {
    expect(shown(['a', 'b'], [''])).toEqual(['-a', '-b', '+'])
  })

  it('replaces lines far from a change with gaps', () => {
    const many = Array.from({ length: 20 }, (_, index) => `line ${index}`)
    expect(shown(many, many.with(10, 'other'))).toEqual([
      '…',
      ' line 8',
      ' line 9',
      '-line 10',
      '+other',
      ' line 11',
      ' line 12',
      '…',
    ])
  })

  it('returns a single gap for identical texts', () => {
    expect(shown(['a', 'b'], ['a', 'b'])).toEqual(['…'])
  })

  it('keeps every line of both texts when there is no gap', () => {
    const texts = ['', 'a', 'a\na\nb', 'b\na\na\n', '\n\n', 'c\nb\na\nb\nc']
    for (const mine of texts)
      for (const theirs of texts) {
        if (mine === theirs) continue
        const of = (kinds: string[]) => lineDiff(mine, theirs).filter(({ kind }) => kinds.includes(kind))
        const text = (lines: { text: string }[]) => lines.map(each => each.text).join('\n')
        if (of(['gap']).length > 0) continue
        expect([text(of(['same', 'mine'])), text(of(['same', 'theirs']))]).toEqual([mine, theirs])
      }
  })

  it('returns every line of two texts of 10,000 different lines', () => {
    const [mine, theirs] = ['x', 'y'].map(each => Array.from({ length: 10_000 }, (_, index) => `${each}${index}`))
    expect(shown(mine!, theirs!)).toHaveLength(20_000)
  })
})
