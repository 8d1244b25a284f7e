import { describe, expect, it } from 'vitest'
import { lineDiff } from '~/notes/line-diff'

const SIGNS = { same: ' ', mine: '-', theirs: '+', gap: '…' }
const shown = (mine: string[], theirs: string[]) =>
  lineDiff(mine.join('\n'), theirs.join('\n')).map(({ kind, text }) => SIGNS[kind] + text)

describe('lineDiff', () => {
  it('marks the lines that only one of two texts has', () => {
    expect(shown(['a', 'b', 'c', 'd'], ['a', 'x', 'c', 'd', 'e'])).toEqual([' a', '-b', '+x', ' c', ' d', '+e'])
  })

  it('is all of a text beside an empty one', () => {
    expect(shown(['a', 'b'], [''])).toEqual(['-a', '-b', '+'])
  })

  it('leaves out what is far from a change', () => {
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

  it('is a gap alone for texts that are the same', () => {
    expect(shown(['a', 'b'], ['a', 'b'])).toEqual(['…'])
  })

  it('loses no line of either, whatever they are', () => {
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

  it('shows texts of very many lines as one block each', () => {
    const [mine, theirs] = ['x', 'y'].map(each => Array.from({ length: 10_000 }, (_, index) => `${each}${index}`))
    expect(shown(mine!, theirs!)).toHaveLength(20_000)
  })
})
