import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { textFilesIn } from '#fairway/modules/texts/read-texts'
import { platformDir } from '#fairway/modules/registry/roots'
import { fill, languageOf, messagesOf } from '#fairway/server/kernel/messages'
import { errorCatalog } from '#fairway/shared/errors'

const locales = `${platformDir}/app/locales`
const shownByPages = new Set(textFilesIn(`${platformDir}/app`, 'en'))
const featuresOf = (language: string) =>
  readdirSync(`${locales}/${language}`).filter(file => !shownByPages.has(`${locales}/en/${file}`))

function flatten(value: unknown, prefix = ''): [key: string, text: string][] {
  if (typeof value === 'string') return [[prefix, value]]
  return Object.entries(value ?? {}).flatMap(([key, child]) => flatten(child, prefix ? `${prefix}.${key}` : key))
}
const textsOf = (language: string) =>
  new Map(
    featuresOf(language).flatMap(file => flatten(JSON.parse(readFileSync(`${locales}/${language}/${file}`, 'utf8')))),
  )
const en = textsOf('en')
const de = textsOf('de')
const placeholders = (text = '') => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).toSorted()
const groupOf = (key: string) =>
  key
    .split('.')
    .slice(0, key.startsWith('mails.') ? 2 : 1)
    .join('.')
const germanGroups = new Set([...de.keys()].map(groupOf))

describe('the texts of server pages and mails', () => {
  it('say in German all of what they say in English, with the same values, wherever they speak German', () => {
    const translated = [...en].filter(([key]) => germanGroups.has(groupOf(key)))
    expect(translated.filter(([key, text]) => placeholders(de.get(key)).join() !== placeholders(text).join())).toEqual(
      [],
    )
    expect(translated.filter(([key]) => !de.has(key))).toEqual([])
    expect([...de.keys()].filter(key => !en.has(key) && !key.startsWith('signInErrors.'))).toEqual([])
  })

  it('translate error codes that there are', () => {
    expect(Object.keys(messagesOf('de').signInErrors).filter(code => !(code in errorCatalog))).toEqual([])
  })

  it('are English where a page has no German texts', () => {
    expect(messagesOf('de').consent).toBe(messagesOf('en').consent)
    expect(messagesOf('de').signIn.title).toBe('Anmelden')
  })

  it('do not shout', () => {
    expect([...en.values(), ...de.values()].filter(text => text.includes('!'))).toEqual([])
  })
})

describe('fill', () => {
  it('replaces placeholders once: a value that looks like one is shown as it is', () => {
    expect(fill('{name} in {place}', { name: '{place}', place: 'Rome' })).toBe('{place} in Rome')
  })

  it('leaves a placeholder without a value', () => {
    expect(fill('{name}, {name} and {other}', { name: 3 })).toBe('3, 3 and {other}')
  })
})

describe('languageOf', () => {
  it.each([
    ['de', 'de'],
    ['de-AT,de;q=0.9,en;q=0.8', 'de'],
    ['fr-FR,de;q=0.9', 'en'],
    [undefined, 'en'],
    [['de'], 'en'],
  ])('%j is %s', (value, language) => {
    expect(languageOf(value)).toBe(language)
  })
})
