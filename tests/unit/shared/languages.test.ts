import { describe, expect, it } from 'vitest'
import { type LanguageInfo, toLanguage } from '#fairway/shared/languages'

const languages: LanguageInfo[] = ['en', 'de', 'pt', 'pt-BR', 'zh-Hant'].map(code => ({
  code,
  name: code,
  direction: 'ltr',
}))

describe('toLanguage', () => {
  it.each([
    ['de', 'de'],
    ['de-AT', 'de'],
    ['de-AT,de;q=0.9,en;q=0.8', 'de'],
    ['EN-us', 'en'],
    ['pt-br', 'pt-BR'],
    ['pt-PT', 'pt'],
    ['zh-Hant-TW', 'zh-Hant'],
    ['zh', undefined],
    ['fr', undefined],
    ['fr, de', undefined],
    ['deutsch', undefined],
    ['de_AT', undefined],
    ['', undefined],
    [null, undefined],
    [['de'], undefined],
  ])('maps %j to %s', (value, language) => {
    expect(toLanguage(value, languages)).toBe(language)
  })
})
