import { globSync, readFileSync } from 'node:fs'
import { compile, createCoreContext, type LocaleMessage, resolveValue, translate } from '@intlify/core-base'
import { describe, expect, it } from 'vitest'
import { createTexts } from '#fairway/app/language/texts'
import { compileTexts } from '#fairway/modules/texts/compile-texts'
import { pluralForm } from '#fairway/shared/plural-form'

type Catalog = Parameters<typeof compileTexts>[0]

const values = { name: 'Ada <ada@example.com>', n: 3, count: 3, email: '{name} | @:x', organization: null }
const counts = [0, 1, 2, 3, 11, 100]

/** The output of vue-i18n's core with our plural rule. */
function asVueI18n(locale: string, messages: Catalog) {
  const context = createCoreContext({
    locale,
    messages: { [locale]: messages as LocaleMessage<string> },
    messageCompiler: compile,
    messageResolver: resolveValue,
    pluralRules: { [locale]: (count: number, forms: number) => pluralForm(forms, count, locale) },
  })
  return (key: string, ...args: unknown[]) => Reflect.apply(translate, undefined, [context, key, ...args])
}

/** The keys of all texts in a catalog. */
const keysOf = (catalog: object, prefix = ''): string[] =>
  Object.entries(catalog).flatMap(([name, value]) =>
    typeof value === 'string' ? `${prefix}${name}` : keysOf(value, `${prefix}${name}.`),
  )

describe('createTexts', () => {
  it.each(['en', 'de', 'ar'])('formats every text of the %s catalogs like vue-i18n', code => {
    const files = globSync([`layers/fairway/app/locales/${code}/*.json`, `app/locales/${code}/*.json`])
    const catalogs = files.map((file): Catalog => JSON.parse(readFileSync(file, 'utf8')))
    const catalog = Object.assign({}, ...catalogs)
    const t = asVueI18n(code, catalog)
    const texts = createTexts({})
    texts.add(code, compileTexts(catalog))
    texts.locale.value = code
    const keys = keysOf(catalog)
    expect(keys.length).toBeGreaterThan(500)
    for (const key of keys) {
      expect(texts.te(key)).toBe(true)
      expect(texts.t(key)).toBe(t(key))
      expect(texts.t(key, values)).toBe(t(key, values))
      for (const count of counts) {
        expect(texts.t(key, count)).toBe(t(key, count))
        expect(texts.t(key, { name: 'Ada' }, count)).toBe(t(key, { name: 'Ada' }, count))
      }
    }
  })

  it('resolves lists, literals, references and plural choices like vue-i18n', () => {
    const en = {
      list: '{0} and {1}',
      literal: "{'@'} and {'{'}",
      name: 'Fairway',
      link: 'About @:name and @.upper:name and @.capitalize:deep.low',
      deep: { low: 'low {name}' },
      choice: 'none | one | {count} of {n}',
    }
    const t = asVueI18n('en', en)
    const texts = createTexts(compileTexts(en))
    for (const key of ['literal', 'link']) expect(texts.t(key, { name: 'x' })).toBe(t(key, { name: 'x' }))
    expect(texts.t('list', ['a', { b: 1 }])).toBe(t('list', ['a', { b: 1 }]))
    for (const count of [-1, 0, 1, 5]) expect(texts.t('choice', count)).toBe(t('choice', count))
  })

  it('falls back to English for a missing text, and to the key for an unknown one', () => {
    const texts = createTexts({ plan: { title: 'Plan' } })
    texts.add('de', { andere: { a: 'A' } })
    texts.locale.value = 'de'
    expect(texts.t('plan.title')).toBe('Plan')
    expect(texts.te('plan.title')).toBe(false)
    expect([texts.t('plan.constructor'), texts.t('plan')]).toEqual(['plan.constructor', 'plan'])
  })

  it('chooses the plural form by the rules of the language', () => {
    const texts = createTexts({})
    texts.add(
      'ar',
      compileTexts({ rows: 'zero | one | two | few {n} | many {n} | other {n}', english: 'one | {n} rows' }),
    )
    texts.locale.value = 'ar'
    expect(counts.map(count => texts.t('rows', count))).toEqual(['zero', 'one', 'two', 'few 3', 'many 11', 'other 100'])
    expect(counts.map(count => texts.t('rows', { count }))).toEqual(['zero', 'one', 'two', 'few ', 'many ', 'other '])
    expect([1, 2].map(count => texts.t('english', count))).toEqual(['one', '2 rows'])
  })
})
