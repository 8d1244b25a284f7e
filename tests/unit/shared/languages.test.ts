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
    ['fr, de', 'de'],
    ['fr-CH, de;q=0.8', 'de'],
    ['en;q=0.5, fr, de-AT ; Q=0.9', 'de'],
    ['de;q=0.5,en;q=0.500,pt;q=0.501', 'pt'],
    ['de;q=0, fr', undefined],
    ['de-AT;q=0, de', 'de'],
    ['fr, *;q=0.1', 'en'],
    ['fr, en;q=0, *;q=0.1', 'de'],
    ['de;q=0, *', 'en'],
    ['*', 'en'],
    ['de;q=2, pt', 'pt'],
    ['de;x=1, ;;, en-, pt', 'pt'],
    [`${'x,'.repeat(8000)}de`, 'de'],
    ['deutsch', undefined],
    ['de_AT', undefined],
    ['', undefined],
    [null, undefined],
    [['de'], undefined],
  ])('maps %j to %s', (value, language) => {
    expect(toLanguage(value, languages)).toBe(language)
  })
})
