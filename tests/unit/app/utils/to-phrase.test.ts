import { describe, expect, it } from 'vitest'
import { toPhrase } from '#fairway/app/utils/words'

describe('toPhrase', () => {
  it.each([
    ['Idea', 'Idea'],
    ['  two   words ', 'two words'],
    ['one two three four five', 'one two three four'],
    ['a'.repeat(60), 'a'.repeat(40)],
  ])('turns “%s” into the phrase “%s”', (name, phrase) => {
    expect(toPhrase(name)).toBe(phrase)
  })

  it('returns the same phrase for the whole name and for its shortened form', () => {
    expect(toPhrase(toPhrase('one two three four five'))).toBe(toPhrase('one two three four five'))
  })
})
