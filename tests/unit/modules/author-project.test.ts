import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadNuxt } from '@nuxt/kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readCatalog } from '#fairway/modules/texts/read-texts'
import { type AuthorProject, runNuxt, writeProject } from '../../support/author-project'

const MINUTES = 180_000
let project: AuthorProject

beforeAll(() => {
  project = writeProject({
    'fw.config.ts': `import { defineFwConfig } from '#fw'\nexport default defineFwConfig({ brand: { name: 'Larch', accent: 'violet' } })\n`,
    'app/locales/en.json': JSON.stringify({
      pages: { team: 'Foresters' },
      settings: { title: 'Preferences' },
      plans: { title: 'Plans' },
    }),
    'app/locales/de.json': JSON.stringify({ plans: { title: 'Pläne' } }),
    'app/locales/fr/language.json': JSON.stringify({ name: 'Français', direction: 'ltr' }),
    'app/locales/fr/sign-in.json': JSON.stringify({ signIn: { title: 'Connexion' }, plans: { title: 'Projets' } }),
    'app/locales/ur/language.json': JSON.stringify({ name: 'اردو', direction: 'rtl' }),
    'app/locales/en/paths.json': JSON.stringify({ paths: { title: 'Paths' }, claim: { title: 'Claims' } }),
  })
})
afterAll(() => project.remove())

const made = (path: string): string => readFileSync(join(project.dir, '.nuxt', path), 'utf8')
const catalog = (part: string): Record<string, Record<string, unknown>> =>
  JSON.parse(made(`texts/${part}.ts`).replace('export default ', ''))

/** The modules' error for the project, as every Nuxt command reports it, or `accepted`. */
async function refusal(): Promise<string> {
  try {
    const nuxt = await loadNuxt({ cwd: project.dir, dev: false, overrides: { logLevel: 'silent', telemetry: false } })
    await nuxt.close()
    return 'accepted'
  } catch (error) {
    return String(error)
  }
}

describe('a project of an author', () => {
  it(
    'uses the name and accent of fw.config, and overrides single texts in every part',
    async () => {
      await runNuxt(project, 'prepare')
      expect(made('app.config.mjs')).toContain('"name": "Larch"')
      expect(made('brand.css')).toMatch(/:root\{--color-fairway-50:#[\da-f]{6};.*--color-fairway-800:#[\da-f]{6}/)
      expect(made('brand-public/favicon.svg')).toMatch(/<style>svg\{stroke:#[\da-f]{6}\}@media/)
      expect(catalog('frame').pages).toMatchObject({ team: 'Foresters', settings: 'Settings' })
      expect(catalog('frame').plans).toEqual({ title: 'Plans' })
      expect(catalog('frame')).toMatchObject({ paths: { title: 'Paths' }, claim: { title: 'Claims' } })
      expect(catalog('frame').settings).toBeUndefined()
      expect(catalog('settings').settings?.title).toBe('Preferences')
      expect(Object.keys(catalog('settings').settings ?? {}).length).toBeGreaterThan(5)
      expect(catalog('de')).toMatchObject({ plans: { title: 'Pläne' }, pages: { settings: 'Einstellungen' } })
    },
    MINUTES,
  )

  it(
    'adds a language for each of its locale folders, with Nuxt UI texts when available',
    () => {
      const [, listed = ''] = /export const languages[^=]+= (.*)\n/.exec(made('languages.ts')) ?? []
      expect(JSON.parse(listed)).toEqual([
        { code: 'en', name: 'English', direction: 'ltr' },
        { code: 'de', name: 'Deutsch', direction: 'ltr' },
        { code: 'fr', name: 'Français', direction: 'ltr' },
        { code: 'ur', name: 'اردو', direction: 'rtl' },
        { code: 'ar', name: 'العربية', direction: 'rtl' },
      ])
      expect(made('languages.ts')).toContain("import('./texts/fr'), import('@nuxt/ui/runtime/locale/fr.js')")
      expect(catalog('fr')).toMatchObject({
        plans: { title: 'Projets' },
        pages: { team: 'Foresters', settings: 'Settings' },
      })
      expect(catalog('fr').signIn).toBeUndefined()
    },
    MINUTES,
  )

  it(
    'fails with the folder that lacks a language.json',
    async () => {
      const file = join(project.dir, 'app/locales/fr/language.json')
      rmSync(file)
      expect(await refusal()).toContain(`${file} is missing: it makes the folder a language`)
      writeFileSync(file, JSON.stringify({ name: 'Français', direction: 'ltr' }))
    },
    MINUTES,
  )

  it(
    'fails with the position in an invalid catalog, and with the page of a missing text',
    async () => {
      const file = join(project.dir, 'app/locales/de.json')
      writeFileSync(file, '{\n  "plans": {\n    "title": Pläne\n  }\n}\n')
      expect(await refusal()).toContain(`${file} is no JSON, line 3, column 14`)
      rmSync(file)
      const page = `<script setup lang="ts">\ndefinePageMeta({ navigation: { text: 'plans.none', icon: 'i-lucide-axe' } })\n</script>\n<template><p /></template>\n`
      const pages = writeProject({ 'app/pages/plans.vue': page })
      try {
        await expect(runNuxt(pages, 'prepare')).rejects.toThrow(
          /app\/pages\/plans\.vue: no catalog has the text plans\.none/,
        )
      } finally {
        pages.remove()
      }
    },
    MINUTES,
  )

  it(
    'fails for a logo that is not in public, and for an unreadable accent',
    async () => {
      const config = join(project.dir, 'fw.config.ts')
      const declare = (brand: string) =>
        writeFileSync(
          config,
          `import { defineFwConfig } from '#fw'\nexport default defineFwConfig({ brand: ${brand} })\n`,
        )
      declare(`{ name: 'Larch', logo: '/logo.svg' }`)
      expect(await refusal()).toContain('brand.logo is /logo.svg, but there is no public/logo.svg')
      declare(`{ name: 'Larch', accent: '#facc15' }`)
      expect(await refusal()).toMatch(
        /fw\.config\.ts: defineFwConfig: brand\.accent: #facc15 has a contrast of 1\.53:1/,
      )
    },
    MINUTES,
  )
})

describe('readCatalog', () => {
  it.each([
    ['{"a": {"b": "c",}}', /en\.json is no JSON, which has neither comments nor commas after the last entry/],
    ['{\n"a": {\n"b" "c"}}', /en\.json is no JSON, line 3, column 5/],
    ['["a"]', /en\.json must be an object of groups of texts/],
    ['', /en\.json is no JSON, line 1, column 1/],
  ])('refuses %j', (text, fault) => {
    const broken = writeProject({ 'app/locales/en.json': text })
    try {
      expect(() => readCatalog(join(broken.dir, 'app/locales/en.json'))).toThrow(fault)
    } finally {
      broken.remove()
    }
  })
})
