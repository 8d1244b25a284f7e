import { mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
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

const withI18n = (settings: string) =>
  `export default defineNuxtConfig({\n  modules: ['@nuxtjs/i18n'],\n  i18n: ${settings},\n})\n`

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

  const OPEN = 'export default defineEventHandler(event => write(event))'
  it('closes server/api in the new fw.config.ts when routes are open, and lists them', async () => {
    write({ ...nuxt4, 'server/api/reports.get.ts': OPEN, 'server/api/clear.post.ts': OPEN })
    const { code, out } = await add('--yes')
    expect(code).toBe(0)
    expect(out).toContain('! server/api/reports.get.ts: Anyone can call it today.')
    expect(out).toContain('! server/api/clear.post.ts: Anyone can call it today.')
    expect(read('fw.config.ts')).toContain('routes: { requireSession: true }')
  })

  it('raises packages that must exist once, and says from which version', async () => {
    const dependencies = { nuxt: '^4.2.0', '@libsql/client': '^0.15.0', zod: '^3.25.0' }
    write({ ...nuxt4, 'package.json': JSON.stringify({ dependencies, devDependencies: { tailwindcss: '^4.0.0' } }) })
    const { out } = await add('--yes')
    const pins = JSON.parse(readFileSync('layers/fairway/package.json', 'utf8')).dependencies
    for (const [name, from] of [...Object.entries(dependencies), ['tailwindcss', '^4.0.0'] as const])
      expect(out).toContain(`${name} ${from} → ${pins[name]}`)
    const manifest = JSON.parse(read('package.json'))
    expect([manifest.dependencies['@libsql/client'], manifest.devDependencies.tailwindcss]).toEqual([
      pins['@libsql/client'],
      pins.tailwindcss,
    ])
  })

  it('lists a route middleware that sends visitors elsewhere', async () => {
    write({ ...nuxt4, 'app/middleware/auth.global.ts': "export default () => navigateTo('/login')" })
    expect((await add('--dry-run')).out).toContain(
      '! app/middleware/auth.global.ts: Its redirect happens in the browser',
    )
  })

  it('accepts @nuxtjs/i18n without prefixes of paths', async () => {
    write({ ...nuxt4, 'nuxt.config.ts': withI18n("{ strategy: 'no_prefix' }") })
    const { code, out } = await add('--yes')
    expect([code, out]).toEqual([0, expect.stringContaining('! nuxt.config.ts: @nuxtjs/i18n stays')])
  })

  const USERS = "import { sqliteTable } from 'drizzle-orm/sqlite-core'\nexport const users = sqliteTable('users', {})"
  it.each<[string, Files, string]>([
    [
      '@nuxtjs/i18n with prefixes of paths',
      { 'nuxt.config.ts': withI18n('{ locales: [] }') },
      'nuxt.config.ts: @nuxtjs/i18n with the strategy prefix_except_default',
    ],
    [
      '@nuxtjs/i18n with settings beside its name',
      { 'nuxt.config.ts': "export default defineNuxtConfig({ modules: [['@nuxtjs/i18n', { strategy: 'prefix' }]] })" },
      'with the strategy prefix puts',
    ],
    [
      'a route that the build refuses',
      { 'server/routes/hook.post.ts': OPEN },
      'server/routes/hook.post.ts: It can change',
    ],
    [
      'a route that the build refuses, beside its own fw.config.ts',
      {
        'server/api/hook.post.ts': OPEN,
        'fw.config.ts': "import { defineFwConfig } from '#fw'\nexport default defineFwConfig()",
      },
      'Write `routes: { requireSession: true }` into fw.config.ts',
    ],
    ['a table of the platform', { 'server/db/schema.ts': USERS }, 'server/db/schema.ts: The table users has a name'],
    [
      'a migration with a table of the platform',
      { 'drizzle/0000_first.sql': 'CREATE TABLE `sessions` (id text);' },
      'drizzle/0000_first.sql: The table sessions',
    ],
  ])('stops for %s, and changes nothing', async (_what, files, reason) => {
    write({ ...nuxt4, ...files })
    const before = snapshot()
    for (const option of ['--yes', '--dry-run']) {
      const { code, out } = await add(option)
      expect([code, out]).toEqual([1, expect.stringContaining(`${reason}`)])
      expect(out).toContain('This stops:')
    }
    expect(snapshot()).toEqual(before)
  })

  it('stops for a table of the platform in the database that .env names', async () => {
    write({ ...nuxt4, '.env': 'DATABASE_URL=file:./app.db\n' })
    const db = new DatabaseSync(join(app, 'app.db'))
    db.exec('create table users (id integer primary key); create table reports (id integer primary key)')
    db.close()
    const { code, out } = await add('--yes')
    expect([code, out]).toEqual([1, expect.stringContaining('./app.db: The table users has a name of the platform')])
    expect(out).not.toContain('The table reports')
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
