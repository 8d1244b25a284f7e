import { globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { findOperations } from '#fairway/modules/registry/operation-files'
import { samplePlace } from '../../scripts/sample.mjs'
import { FEATURES_OF_THE_SERVER } from '#fairway/server/kernel/locale-files'
import { errorCatalog } from '#fairway/shared/errors'
import { fieldErrors } from '#fairway/shared/field-errors'
import { catalogFaults, englishOf, sourcesBelow, unusedByServer, useFaults, writtenTexts } from '../support/texts'

const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '')
const platformApp = join(root, 'layers/fairway/app')
const apps = [platformApp, join(root, samplePlace, 'app')]
const titles = Object.fromEntries(Object.entries(errorCatalog).map(([code, { title }]) => [code, title]))
const inCode = { errors: { errors: titles }, 'field-errors': { fieldErrors } }

const pages = sourcesBelow(root, [`{layers/fairway,${samplePlace}}/app/**/*.{vue,ts}`])
const serverPages = sourcesBelow(root, ['layers/fairway/server/{domains,kernel}/**/*.tsx'])
// The desktop program uses the application's texts. English titles of navigation entries are in the pages.
const desktop = sourcesBelow(root, ['packages/desktop/src/program/*.ts'])
const server = sourcesBelow(root, [
  'layers/fairway/{server/{domains,kernel},shared}/**/*.{ts,tsx}',
  `${samplePlace}/server/{actions,mails}/**/*.{ts,tsx}`,
])
const joined = (sources: ReadonlyMap<string, string>) => [...sources.values()].join('\n')

const groupsOfTheServer = new Set(
  [...englishOf([platformApp], file => FEATURES_OF_THE_SERVER.includes(file)).keys()].map(key => key.split('.', 1)[0]),
)
const isOfTheServer = (key: string) => groupsOfTheServer.has(key.split('.', 1)[0])
const english = englishOf(apps)
const shown = new Map([...english].filter(([key]) => !isOfTheServer(key)))
const said = new Map([...english].filter(([key]) => isOfTheServer(key)))

/** Texts that are hardcoded in a source file, each with the reason. */
const WRITTEN: Record<string, string> = {
  'A link leads elsewhere.': 'for the developer who wrote the collection: the server’s own words are English too',
  'example.com': 'a domain is the same in every language',
  Website: 'the label of a field that only programs see',
  'npx mcp probe': 'a command',
  'FW_TOKEN= npx action list-members --at': 'a command',
  'embed-ticket-ended': 'an error code, for support',
  'The terms were not accepted.': 'only a form that was tampered with is answered so',
}

describe('text catalogs', () => {
  it('templates of the platform use `$texts`, because @nuxtjs/i18n replaces `$t`', () => {
    const platform = sourcesBelow(root, ['layers/fairway/app/**/*.vue'])
    expect([...platform].filter(([, text]) => /\$t\(/.test(text)).map(([path]) => path)).toEqual([])
  })

  it('match in files, keys, placeholders and plural forms in every language, without exclamation marks', () => {
    expect(apps.flatMap(app => catalogFaults(app, platformApp, inCode))).toEqual([])
  })

  it('contain every text that pages use and no unused text', () => {
    expect(useFaults(shown, `${joined(pages)}\n${joined(desktop)}`)).toEqual({ missing: [], unused: [] })
  })

  it('contain no text that the server never uses', () => {
    expect(unusedByServer(said, joined(server))).toEqual([])
  })
})

describe('titles of actions', () => {
  /** The names without a title under `actions` of the English catalogs. */
  const withoutTitle = (names: readonly string[]): string[] => names.filter(name => !english.has(`actions.${name}`))
  const actionsBelow = (folder: string): string[] =>
    globSync(`${folder}/server/actions/**/[!_]*.ts`, { cwd: root }).map(path => basename(path, '.ts'))

  it('exist for every action, and for every operation that leaves an audit row', () => {
    const audited = findOperations().filter(({ isAudited }) => isAudited)
    expect(audited.length).toBeGreaterThan(60)
    expect(withoutTitle(audited.map(({ name }) => name))).toEqual([])
    expect(withoutTitle(actionsBelow('layers/fairway'))).toEqual([])
    expect(withoutTitle(actionsBelow(samplePlace))).toEqual([])
  })

  it('exist for every action that a sentence of the audit log is about', () => {
    const named = (group: string) =>
      [...english.keys()].flatMap(key => (key.startsWith(group) ? [key.slice(group.length)] : []))
    const titled = named('actions.')
    // A sentence may be about a value: `<action>-<field>-<value>`.
    const isTitled = (name: string) => titled.some(action => `${name}-`.startsWith(`${action}-`))
    expect(named('auditActions.').filter(name => !isTitled(name))).toEqual([])
  })

  it('are reported as missing', () => {
    expect(withoutTitle(['create-webhook', 'create-nothing'])).toEqual(['create-nothing'])
  })
})

describe('user-facing text', () => {
  it('is stored only in catalogs, apart from the listed exceptions', () => {
    const written = [...pages, ...serverPages].flatMap(([file, source]) => writtenTexts(file, source))
    expect(written.filter(({ text }) => !(text in WRITTEN))).toEqual([])
    expect(Object.keys(WRITTEN).filter(known => !written.some(({ text }) => text === known))).toEqual([])
  })
})

describe('catalog and text checks', () => {
  const faultsOf = (own: Record<string, unknown>) => {
    const app = mkdtempSync(join(tmpdir(), 'texts-'))
    const files: Record<string, unknown> = {
      'en/plans.json': {
        plans: { title: 'Plans of {name}', count: 'one plan | {n} plans' },
        mails: { a: { subject: 'A', action: 'B' }, b: { subject: 'C' } },
      },
      'tlh/language.json': { name: 'tlhIngan', direction: 'ltr' },
      ...Object.fromEntries(
        ['de', 'ar', 'tlh'].map(code => [
          `${code}/plans.json`,
          {
            plans: {
              title: '{name}',
              count: Array(code === 'ar' ? 6 : 2)
                .fill('{n}')
                .join(' | '),
            },
          },
        ]),
      ),
      ...own,
    }
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(app, 'locales', path)), { recursive: true })
      writeFileSync(join(app, 'locales', path), JSON.stringify(content))
    }
    try {
      return catalogFaults(app, platformApp, inCode)
    } finally {
      rmSync(app, { recursive: true })
    }
  }

  it('report missing files and keys, wrong placeholders and plural forms, and exclamation marks in each language', () => {
    expect(faultsOf({})).toEqual([])
    expect(
      faultsOf({
        'en/more.json': { more: 'More' },
        'de/plans.json': { plans: { title: '{nmae}!', count: '{n}' } },
        'ar/plans.json': { plans: { title: '{name}', counted: '{n}' }, mails: { a: { subject: 'A' } } },
        'tlh/own.json': { own: 'x' },
        'en/rows.json': { rows: '1 | {n}' },
        'de/rows.json': { rows: '1 | {n}' },
        'ar/rows.json': { rows: '1 | {n}' },
        'tlh/rows.json': { rows: '0 | 1 | 2 | {n} | {n} | {n}' },
      }),
    ).toEqual([
      'ar/more.json is missing',
      'ar/plans.json: mails.a.action is missing',
      'ar/plans.json: plans.count is missing',
      'ar/plans.json: plans.counted is not in English',
      'ar/rows.json: rows has 2 plural forms, English 2',
      'de/more.json is missing',
      'de/plans.json: plans.count has 1 plural forms, English 2',
      'de/plans.json: plans.title has {nmae}, English {name}',
      'de/plans.json: plans.title shouts',
      'tlh/more.json is missing',
      'tlh/own.json: English has no such file',
    ])
  })

  it('report error codes and field error codes that a platform language lacks', () => {
    const more = {
      errors: { errors: { ...titles, 'new-code': 'New.' } },
      'field-errors': { fieldErrors: { ...fieldErrors, 'new-code': 'New.' } },
    }
    expect(catalogFaults(platformApp, platformApp, more)).toEqual(
      ['ar', 'de'].flatMap(language => [
        `${language}/errors.json: errors.new-code is missing`,
        `${language}/field-errors.json: fieldErrors.new-code is missing`,
      ]),
    )
  })

  it('report keys that are used but missing and keys that are unused', () => {
    const texts = new Map([
      ['plans.title', ''],
      ['plans.kinds.a', ''],
      ['plans.old', ''],
      ['save', ''],
    ])
    const source =
      "$t('plans.title') + t('plans.gone') + t(`plans.kinds.${kind}`) + t(`plans.none.${kind}`) + t('save')"
    expect(useFaults(texts, source)).toEqual({ missing: ['plans.gone', 'plans.none.'], unused: ['plans.old'] })
    const said = new Map([
      ['claim.title', ''],
      ['claim.reasons.too-old', ''],
      ['claim.lines.0', ''],
      ['claim.gone', ''],
    ])
    expect(unusedByServer(said, `texts.title + texts.reasons['too-old'] + texts.lines`)).toEqual(['claim.gone'])
  })

  it.each([
    ['a text of a template', 'Page.vue', '<template><p>Your notes</p></template>'],
    ['one deep inside', 'Page.vue', '<template><div v-if="a"><p v-for="b in c"><b>Your notes</b></p></div></template>'],
    ['an attribute', 'Page.vue', '<template><UButton aria-label="Your notes" /></template>'],
    ['a bound attribute', 'Page.vue', `<template><UButton :title="a ? $t('x.y') : 'Your notes'" /></template>`],
    ['an interpolation', 'Page.vue', `<template><p>{{ a ?? 'Your notes' }}</p></template>`],
    ['a part of one', 'Page.vue', '<template><p>{{ `Your notes ${n}` }}</p></template>'],
    ['a property in a script', 'Page.vue', `<script setup lang="ts">\ntoast.add({ title: 'Your notes' })\n</script>`],
    ['a choice of two', 'choice.ts', `const lead = isNew ? 'Your notes' : other`],
    ['JSX', 'page.tsx', 'const page = () => <p>Your notes</p>'],
    ['an attribute in JSX', 'page.tsx', 'const page = () => <input placeholder="Your notes" />'],
    ['an expression in JSX', 'page.tsx', `const page = () => <p>{'Your notes'}</p>`],
  ])('report hardcoded text in %s', (_, file, source) => {
    expect(writtenTexts(file, source).map(({ text }) => text)).toEqual(['Your notes'])
  })

  it('ignore names, keys and classes', () => {
    const source = `<script setup lang="ts">\nconst items = [{ label: t('a.b'), icon: 'i-lucide-axe', title: name }]\n</script>
<template><p class="Big and bold" :title="name">{{ $t('a.b', { n: count }) }} · {{ count }}</p></template>`
    expect(writtenTexts('Page.vue', source)).toEqual([])
  })
})
