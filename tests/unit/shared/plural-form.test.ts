import { describe, expect, it } from 'vitest'
import { pluralForm } from '#fairway/shared/plural-form'

describe('pluralForm', () => {
  const chosen = (forms: number, counts: number[], language: string) =>
    counts.map(count => pluralForm(forms, count, language))

  it('chooses among six forms by the plural category of the language', () => {
    expect(chosen(6, [0, 1, 2, 3, 10, 11, 99, 100, 102, 103], 'ar')).toEqual([0, 1, 2, 3, 3, 4, 4, 5, 5, 3])
    expect(chosen(6, [0, 1, 2, 5, 21, 22], 'ru')).toEqual([4, 1, 3, 4, 1, 3])
  })

  it('chooses the first of two forms for counts that the language treats as one', () => {
    expect(chosen(2, [0, 1, 2, 11, -1], 'en')).toEqual([1, 0, 1, 1, 0])
    expect(chosen(2, [0, 1, 2], 'fr')).toEqual([0, 0, 1])
    expect(chosen(2, [0, 1, 2, 11], 'ar')).toEqual([1, 0, 1, 1])
  })

  it('chooses the first of three forms for zero', () => {
    expect(chosen(3, [0, 1, 2, 11], 'de')).toEqual([0, 1, 2, 2])
  })
})
