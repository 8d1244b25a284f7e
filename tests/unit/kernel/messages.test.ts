import { describe, expect, it } from 'vitest'
import { errorTitle, fill, fillCount, htmlAttributes, languageOf, messagesOf } from '#fairway/server/kernel/messages'
import { errorCatalog } from '#fairway/shared/errors'

describe('messagesOf', () => {
  it('returns texts in the language, and English for an unknown language', () => {
    expect(messagesOf('de').signIn.title).toBe('Anmelden')
    expect(messagesOf('tlh')).toBe(messagesOf('en'))
  })
})

describe('errorTitle', () => {
  it('returns the title in the language, and in English from the error catalog', () => {
    expect(errorTitle('link-used', 'de')).toBe('Dieser Link wurde bereits verwendet. Fordern Sie einen neuen an.')
    expect(errorTitle('link-used', 'en')).toBe(errorCatalog['link-used'].title)
    expect(errorTitle('link-used', 'tlh')).toBe(errorCatalog['link-used'].title)
  })
})

describe('htmlAttributes', () => {
  it('returns the language, and its direction when it is written from right to left', () => {
    expect(['en', 'ar'].map(htmlAttributes)).toEqual(['lang="en"', 'lang="ar" dir="rtl"'])
  })
})

describe('fill', () => {
  it('replaces placeholders once, so a value that looks like one is kept', () => {
    expect(fill('{name} in {place}', { name: '{place}', place: 'Rome' })).toBe('{place} in Rome')
  })

  it('keeps a placeholder without a value', () => {
    expect(fill('{name}, {name} and {other}', { name: 3 })).toBe('3, 3 and {other}')
  })
})

describe('fillCount', () => {
  it('chooses the form of a text by the plural rules of the language', () => {
    expect([1, 2].map(count => fillCount('{count} day | {count} days', { count }))).toEqual(['1 day', '2 days'])
    const arabic = 'zero | one | two | few {count} | many {count} | other {count}'
    const said = [0, 1, 2, 3, 11, 100].map(count => fillCount(arabic, { count }, 'ar'))
    expect(said).toEqual(['zero', 'one', 'two', 'few 3', 'many 11', 'other 100'])
    expect(fillCount('At least {minLength}', { minLength: 12 }, 'ar')).toBe('At least 12')
  })
})

describe('languageOf', () => {
  it.each([
    ['de', 'de'],
    ['de-AT,de;q=0.9,en;q=0.8', 'de'],
    ['ar-EG', 'ar'],
    ['fr-FR,de;q=0.9', 'de'],
    ['fr-FR,es;q=0.9', 'en'],
    [undefined, 'en'],
    [['de'], 'en'],
  ])('maps %j to %s', (value, language) => {
    expect(languageOf(value)).toBe(language)
  })
})
