import { mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { type Files, writeFiles } from '../../support/files'
import { startFw } from '../../support/fw'

let app: string
beforeEach(() => {
  app = mkdtempSync(join(tmpdir(), 'fw-add-'))
})

const write = (files: Files) => writeFiles(app, files)
const read = (path: string) => readFileSync(join(app, path), 'utf8')
const snapshot = () =>
  Object.fromEntries(
    readdirSync(app, { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile())
      .map(entry => join(entry.parentPath, entry.name))
      .map(path => [path.slice(app.length + 1), readFileSync(path, 'utf8')]),
  )
const add = (...args: string[]) => startFw(['add', '--package', '9.9.9', '--no-install', ...args], {}, app).ended

// As `nuxi init` writes them today, with a script added by the author.
const nuxt4 = {
  'package.json': `{
  "name": "old-app",
  "private": true,
  "scripts": {
    "dev": "nuxt dev",
    "test": "node --test"
  },
  "dependencies": {
    "nuxt": "^4.2.0",
    "vue": "^3.5.22"
  }
}
`,
  'nuxt.config.ts': `// mine
export default defineNuxtConfig({
  compatibilityDate: '2025-07-15', // and this
  devtools: { enabled: true }
})
`,
  '.gitignore': '.output\n/node_modules/\n.env',
  'app/app.vue': '<template><NuxtWelcome /></template>',
}

describe('fw add', () => {
  it('shows the changes as a diff and writes nothing with --dry-run', async () => {
    write(nuxt4)
    const before = snapshot()
    const { code, out } = await add('--dry-run')
    expect(code).toBe(0)
    expect(out).toContain("+  extends: ['nuxt-fairway'],")
    expect(out).toContain('+    "nuxt-fairway": "9.9.9"')
    expect(out).toContain('--- /dev/null\n+++ fw.config.ts')
    expect(snapshot()).toEqual(before)
  })

  it('changes nothing and exits with 2 in a non-interactive shell without --yes', async () => {
    write(nuxt4)
    const before = snapshot()
    const { code, err } = await add()
    expect([code, err]).toEqual([2, expect.stringContaining('--yes')])
    expect(snapshot()).toEqual(before)
  })

  it('adds missing entries and keeps existing ones', async () => {
    write(nuxt4)
    const { code, out } = await add('--yes')
    expect(code).toBe(0)
    expect(read('nuxt.config.ts')).toBe(nuxt4['nuxt.config.ts'].replace('({\n', "({\n  extends: ['nuxt-fairway'],\n"))
    const { dependencies: platform, applicationOverrides } = JSON.parse(
      readFileSync('layers/fairway/package.json', 'utf8'),
    )
    const manifest = JSON.parse(read('package.json'))
    // npm refuses an override of a package that the application names itself.
    const { nuxt: _named, ...overrides } = applicationOverrides
    expect(manifest.overrides).toEqual(overrides)
    expect(manifest.scripts).toMatchObject({
      dev: 'nuxt dev',
      test: 'node --test',
      'db:generate': 'drizzle-kit generate',
    })
    expect(out).toContain('The script test is yours and stays; a new project has: vitest run')
    expect(manifest.dependencies).toEqual({
      nuxt: platform.nuxt,
      vue: platform.vue,
      'drizzle-orm': platform['drizzle-orm'],
      'nuxt-fairway': '9.9.9',
      zod: platform.zod,
    })
    expect(read('.gitignore')).toMatch(/^\.output\n\/node_modules\/\n\.env\n/)
    expect(read('.gitignore').match(/node_modules/g)).toHaveLength(1)
    expect(read('fw.config.ts')).toContain("'Old app'")
    expect(read('app/app.vue')).toBe(nuxt4['app/app.vue'])
  })

  it('lists application files that replace the platform’s files', async () => {
    write({ ...nuxt4, 'app/pages/index.vue': '<template><p /></template>' })
    const { out } = await add('--dry-run')
    expect(out).toContain("app/pages/index.vue stays and replaces the platform's.")
    expect(out).toContain('app/app.vue shows no pages')
  })

  it('reports nothing to change on the second run', async () => {
    write(nuxt4)
    await add('--yes')
    const after = snapshot()
    const { code, out } = await add('--yes')
    expect([code, out]).toEqual([0, expect.stringContaining('Nothing to change')])
    expect(snapshot()).toEqual(after)
  })

  const manifest = (nuxt: string) => ({ ...nuxt4, 'package.json': JSON.stringify({ dependencies: { nuxt } }) })
  const config = (text: string) => ({ ...nuxt4, 'nuxt.config.ts': text })
  it.each([
    ['a folder without a package.json', { 'nuxt.config.ts': '' }, 'is no Nuxt application'],
    ['a folder without a nuxt.config', { 'package.json': '{}' }, 'is no Nuxt application'],
    ['Nuxt 3', manifest('^3.17.0'), 'this is Nuxt ^3.17.0'],
    [
      'Nuxt 3 that is installed',
      { ...nuxt4, 'node_modules/nuxt/package.json': '{ "version": "3.20.0" }' },
      'this is Nuxt 3.20.0',
    ],
    ['a package.json without Nuxt', { ...nuxt4, 'package.json': '{}' }, 'has no nuxt'],
    ['a preset without a process', config(`export default { nitro: { preset: 'vercel' } }`), 'preset here is vercel'],
    ['pages that are not rendered', config('export default { ssr: false }'), 'ssr: false'],
    ['a configuration that is computed', config('export default defineNuxtConfig(make())'), 'exports no plain object'],
  ])('refuses %s, and changes nothing', async (_what, files, reason) => {
    write(files)
    const before = snapshot()
    const { code, err } = await add('--yes')
    expect([code, err]).toEqual([2, expect.stringContaining(reason)])
    expect(snapshot()).toEqual(before)
  })
})
