import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { writeFiles } from '../support/files'
import { emptyFolder, packLayer, run, type Running, runOk, settingsOf, startScript } from './project'

// An existing application with @nuxtjs/i18n gets the platform by `fw add`: each has its own texts, in one page.
const project = emptyFolder()
const origin = 'http://localhost:4643'
const config = (strategy: string) => `export default defineNuxtConfig({
  extends: ['nuxt-fairway'],
  modules: ['@nuxtjs/i18n'],
  i18n: { strategy: '${strategy}', defaultLocale: 'en', locales: [{ code: 'en', file: 'en.json' }, { code: 'de', file: 'de.json' }] },
})
`
let server: Running | undefined
afterAll(() => server?.stop())

beforeAll(async () => {
  writeFiles(project, {
    'package.json': JSON.stringify({
      name: 'old-app',
      type: 'module',
      scripts: { build: 'nuxt build' },
      dependencies: { nuxt: '^4.2.0', vue: '^3.5.22', '@nuxtjs/i18n': '10.6.0' },
    }),
    'nuxt.config.ts': config('no_prefix'),
    'i18n/locales/en.json': '{ "hello": "Hello from the application" }',
    'i18n/locales/de.json': '{ "hello": "Hallo aus der Anwendung" }',
    'app/pages/old.vue': `<script setup lang="ts">
definePageMeta({ public: true })
const { t } = useI18n()
</script>

<template>
  <p>{{ t('hello') }} / {{ $t('hello') }}</p>
</template>
`,
  })
  const guide = readFileSync(fileURLToPath(new URL('../../docs/guides/languages.md', import.meta.url)), 'utf8')
  const [, plugin = ''] = /```text\n(\/\/ app\/plugins\/one-language\.ts.*?)```/s.exec(guide) ?? []
  writeFiles(project, { 'app/plugins/one-language.ts': plugin })
  const tarball = await packLayer(project)
  await runOk(project, 'npx', '--yes', '--package', tarball, '--', 'nuxt-fairway', 'add', '--package', tarball, '--yes')
  await runOk(project, 'npm', 'run', 'build')
  server = await startScript(project, 'start', origin, settingsOf(origin, join(project, 'data')))
})

it('shows the texts of the application and of the platform', async () => {
  const answer = await fetch(`${origin}/old?lang=de`, { headers: { accept: 'text/html' } })
  const html = await answer.text()
  expect(answer.status).toBe(200)
  expect(html).toContain('Hallo aus der Anwendung / Hallo aus der Anwendung')
  expect(html).toContain('Zum Inhalt springen')
  expect(server?.log()).not.toContain('"level":"error"')
})

it('accepts `$t` and `useI18n` of both in the types', async () => {
  await runOk(project, 'npm', 'run', 'types')
})

it('stops the build when the languages are prefixes of paths', async () => {
  writeFiles(project, { 'nuxt.config.ts': config('prefix_except_default') })
  const { code, out } = await run(project, 'npm', ['run', 'build'])
  expect([code, out]).toEqual([1, expect.stringContaining("Set strategy: 'no_prefix'")])
})
