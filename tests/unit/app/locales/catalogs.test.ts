import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { samplePlace } from '../../../../scripts/sample.mjs'
import { toLanguage } from '#fairway/shared/languages'
import { textFilesIn } from '#fairway/modules/texts/read-texts'

const root = new URL('../../../../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), 'utf8')

function flatten(value: unknown, prefix = ''): [key: string, text: string][] {
  if (typeof value === 'string') return [[prefix, value]]
  if (typeof value !== 'object' || value === null) throw new Error(`${prefix} is neither a text nor a group`)
  return Object.entries(value).flatMap(([key, child]) => flatten(child, prefix ? `${prefix}.${key}` : key))
}

// The sample's over the platform's, as the build puts them together.
const catalog = (language: string) =>
  new Map(
    ['layers/fairway', samplePlace]
      .flatMap(place => textFilesIn(join(root.pathname, place, 'app'), language))
      .filter(file => existsSync(file))
      .flatMap(file => flatten(JSON.parse(readFileSync(file, 'utf8')))),
  )
const en = catalog('en')
const de = catalog('de')
// The desktop program speaks with the application's texts.
const source = globSync([`{layers/fairway,${samplePlace}}/app/**/*.{vue,ts}`, 'layers/fairway/desktop/program/*.ts'], {
  cwd: root.pathname,
})
  .map(path => read(path))
  .join('\n')

const groups = new Set([...en.keys()].map(key => key.split('.', 1)[0]))
const literals = [...source.matchAll(/['"`]((?:[a-z][\w-]*)(?:\.[\w-]+)*)['"`]/gi)].map(([, literal = '']) => literal)
const usedKeys = new Set(
  literals.filter(literal => groups.has(literal.split('.', 1)[0] ?? '') && (literal.includes('.') || en.has(literal))),
)
// A key that is put together, for example `home.greeting.${part}`.
const usedPrefixes = [...source.matchAll(/`([a-z][\w-]*(?:\.[\w-]+)*\.)\$\{/gi)].map(([, prefix = '']) => prefix)
const placeholders = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).toSorted()

describe('catalogs', () => {
  it('German has exactly the keys of English', () => {
    expect([...de.keys()].toSorted()).toEqual([...en.keys()].toSorted())
  })

  it('every text has the same placeholders in both languages', () => {
    const differs = (key: string, text: string) => placeholders(text).join() !== placeholders(de.get(key) ?? '').join()
    expect([...en].filter(([key, text]) => differs(key, text))).toEqual([])
  })

  it('every key that the application uses exists', () => {
    expect([...usedKeys].filter(key => !en.has(key))).toEqual([])
    expect(usedPrefixes.filter(prefix => ![...en.keys()].some(key => key.startsWith(prefix)))).toEqual([])
  })

  it('every text is used', () => {
    const isUsed = (key: string) => usedKeys.has(key) || usedPrefixes.some(prefix => key.startsWith(prefix))
    expect([...en.keys()].filter(key => !isUsed(key))).toEqual([])
  })

  it('no text shouts', () => {
    expect([...en.values(), ...de.values()].filter(text => text.includes('!'))).toEqual([])
  })
})

describe('toLanguage', () => {
  it.each([
    ['de', 'de'],
    ['de-AT', 'de'],
    ['EN-us', 'en'],
    ['fr', undefined],
    ['', undefined],
    [null, undefined],
  ])('understands %s as %s', (value, language) => {
    expect(toLanguage(value)).toBe(language)
  })
})
