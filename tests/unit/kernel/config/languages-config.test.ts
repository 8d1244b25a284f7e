import { afterEach, describe, expect, it } from 'vitest'
import { defineFwConfig } from '#fairway/server/kernel/config/fw-config'
import { loadConfig } from '#fairway/server/kernel/config/config'
import { readEnv } from '#fairway/server/kernel/config/env'
import { offeredLanguages } from '#fairway/server/kernel/config/languages-config'
import { createMemo } from '#fairway/server/kernel/app-context'
import { mailContent } from '#fairway/server/kernel/mail/mail-content'
import * as messages from '#fairway/server/kernel/messages'
import type { LanguageInfo } from '#fairway/shared/languages'

const known: LanguageInfo[] = ['en', 'ar', 'de'].map(code => ({ code, name: code, direction: 'ltr' }))

describe('offeredLanguages', () => {
  it.each([
    [{}, ['en', 'ar', 'de'], 'en'],
    [{ defaultLanguage: 'de' }, ['en', 'ar', 'de'], 'de'],
    [{ languages: ['de', 'en'] }, ['de', 'en'], 'en'],
    [{ languages: ['de', 'ar'] }, ['de', 'ar'], 'de'],
    [{ languages: ['ar', 'de'], defaultLanguage: 'de' }, ['ar', 'de'], 'de'],
  ])('reads %j as %j with %s as the default', (settings, codes, defaultLanguage) => {
    const offered = offeredLanguages(settings, known)
    expect({ ...offered, languages: offered.languages.map(({ code }) => code) }).toEqual({
      languages: codes,
      defaultLanguage,
    })
  })

  it.each([
    [{ languages: ['en', 'fr'] }, 'fw.config.ts: languages has “fr”; there are en, ar, de'],
    [{ defaultLanguage: 'fr' }, 'fw.config.ts: defaultLanguage has “fr”; there are en, ar, de'],
    [
      { languages: ['en', 'ar'], defaultLanguage: 'de' },
      'fw.config.ts: defaultLanguage is “de”, which languages lacks',
    ],
  ])('refuses %j', (settings, message) => {
    expect(() => offeredLanguages(settings, known)).toThrow(message)
  })

  it('refuses a list without languages, and a language twice', () => {
    expect(() => defineFwConfig({ languages: [] })).toThrow('languages: ')
    expect(() => defineFwConfig({ languages: ['de', 'de'] })).toThrow('languages: must name each language once')
  })
})

describe('offerLanguages', () => {
  afterEach(() => messages.offerLanguages({}))

  it('makes a language the default one, and hides those that are not offered', () => {
    messages.offerLanguages({ defaultLanguage: 'de', languages: ['en', 'de'] })
    expect(messages.offered.languages.map(({ code }) => code)).toEqual(['en', 'de'])
    expect(messages.offered.defaultLanguage).toBe('de')
    const asked = ['ar', 'fr, *;q=0.1', '*', undefined, 'en-GB'].map(value => messages.languageOf(value))
    expect(asked).toEqual(['de', 'de', 'de', 'de', 'en'])
    const app = {
      config: loadConfig(readEnv({ NODE_ENV: 'development' }), defineFwConfig(), 'x'.repeat(40)),
      memo: createMemo(),
    }
    expect(mailContent(app, 'two-factor-off', { values: {}, href: '/' }).language).toBe('de')
  })
})
