import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  changelogBetween,
  planUpgrade,
  type PlatformVersion,
  readVersion,
  settingChanges,
} from '#fairway/cli/project/upgrade/plan-upgrade'
import type { Codemod } from '#fairway/cli/project/upgrade/codemods'
import { type Files, writeFiles } from '../../../../support/files'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'fw-upgrade-'))
})

const write = (files: Files) => writeFiles(root, files)

const version = (number: string, differing: Partial<PlatformVersion> = {}): PlatformVersion => ({
  manifest: {
    version: number,
    dependencies: { zod: '4.6.7', 'drizzle-orm': '0.45.4' },
    engines: { node: '>=24' },
    nodePackages: {},
    applicationOverrides: {},
  },
  migrations: ['0000_first'],
  changelog: '',
  settings: {},
  codemods: [],
  ...differing,
})

/** A codemod of a version that renames a function of `#fw`. */
const renaming: Codemod = {
  version: '0.2.0',
  title: 'getSession of #fw is called sessionOf',
  files: 'server/**/*.ts',
  change(text) {
    const imported = /import \{([^}]*)\} from '#fw'/
    if (!imported.exec(text)?.[1]?.includes('getSession')) return text
    return text.replaceAll(/\bgetSession\b/g, 'sessionOf')
  },
}

const manifest = `{
  "name": "mine",
  "dependencies": { "zod": "4.6.7", "drizzle-orm": "0.45.3", "nuxt-fairway": "0.1.0" },
  "devDependencies": { "nuxt-fairway-desktop": "0.1.0" }
}
`
const plan = (now: PlatformVersion, next: PlatformVersion) =>
  planUpgrade({ root, now, next, dependency: next.manifest.version })

describe('planUpgrade', () => {
  it('updates the platform, its desktop package and the packages that both have, and nothing else in package.json', async () => {
    write({ 'package.json': manifest })
    const next = version('0.2.0')
    next.manifest.dependencies = { zod: '4.7.0', 'drizzle-orm': '0.46.0' }
    const { changes, remarks } = await plan(version('0.1.0'), next)
    const after = manifest.replace('4.6.7', '4.7.0').replaceAll('"0.1.0"', '"0.2.0"')
    expect(changes).toEqual([{ path: 'package.json', before: manifest, after }])
    // The author chose a different version: the upgrade keeps it and adds a remark.
    expect(remarks).toEqual([expect.stringContaining('drizzle-orm 0.45.3')])
  })

  it('raises and adds the overrides of a new project and keeps those that the author changed or removed', async () => {
    const text = (kit: string, more = {}) =>
      JSON.stringify({
        devDependencies: { rolldown: '1.0.0' },
        overrides: { 'drizzle-kit': { esbuild: kit }, cssnano: { lilconfig: '1.0.0' }, ...more },
      })
    write({ 'package.json': text('0.28.2') })
    const [now, next] = [version('0.1.0'), version('0.2.0')]
    const overrides = (esbuild: string) => ({
      'drizzle-kit': { esbuild },
      cssnano: { lilconfig: esbuild },
      '@nuxt/ui': { esbuild },
    })
    now.manifest.applicationOverrides = overrides('0.28.2')
    // npm refuses an override of a package that the project names: rolldown.
    next.manifest.applicationOverrides = { ...overrides('0.29.0'), vite: '8.3.8', rolldown: '1.2.19' }
    const { changes } = await plan(now, next)
    expect(changes.map(({ after }) => JSON.parse(after ?? ''))).toEqual([JSON.parse(text('0.29.0', { vite: '8.3.8' }))])
  })

  it('lists the migrations, changelog lines and settings between both versions', async () => {
    write({ 'package.json': manifest, '.env': 'OLD_NAME=1\n' })
    const now = version('0.1.0', { settings: { OLD_NAME: { description: 'How many.', unset: '1' } } })
    const next = version('0.2.0', {
      migrations: ['0000_first', '0001_second'],
      changelog: '# Changelog\n\n## Unreleased\n\n- later\n\n## 0.2.0 (2027-01-02)\n\n- now\n\n## 0.1.0\n\n- before\n',
      settings: { NEW_NAME: { description: 'How many.', unset: '1' } },
    })
    expect(await plan(now, next)).toMatchObject({
      migrations: ['0001_second'],
      changelog: ['0.2.0:', '- now'],
      settings: ['OLD_NAME is called NEW_NAME now, and your .env has it'],
    })
  })

  it('runs the codemods between both versions on the author’s sources only and returns their changes', async () => {
    const route = "import { getSession } from '#fw'\nexport default () => getSession()\n"
    const own = 'const getSession = () => 1\n'
    write({
      'package.json': manifest,
      'server/routes/me.ts': route,
      'server/own.ts': own,
      'server/node_modules/other/index.ts': route,
    })
    const older = { ...renaming, version: '0.1.0' }
    const later = { ...renaming, version: '0.3.0' }
    const { changes, codemods } = await plan(version('0.1.0'), version('0.2.0', { codemods: [older, renaming, later] }))
    expect(changes.map(({ path }) => path)).toEqual(['package.json', 'server/routes/me.ts'])
    expect(changes[1]?.after).toBe(route.replaceAll('getSession', 'sessionOf'))
    expect(codemods).toEqual([renaming])
    expect(readFileSync(join(root, 'server/routes/me.ts'), 'utf8')).toBe(route)
  })

  it('runs each codemod on the result of the previous one', async () => {
    write({ 'package.json': manifest, 'server/a.ts': "import { getSession } from '#fw'\n" })
    const again: Codemod = { ...renaming, title: 'again', change: text => text.replaceAll('sessionOf', 'findSession') }
    const { changes } = await plan(version('0.1.0'), version('0.2.0', { codemods: [renaming, again] }))
    expect(changes.at(-1)?.after).toBe("import { findSession } from '#fw'\n")
  })

  it('changes nothing when package.json already has the version', async () => {
    write({ 'package.json': manifest })
    expect((await plan(version('0.1.0'), version('0.1.0'))).changes).toEqual([])
  })
})

describe('readVersion', () => {
  it('reads migrations and settings from the package, and codemods of known versions only', async () => {
    const read = await readVersion(join(process.cwd(), 'layers/fairway'))
    expect(read.migrations[0]).toBe('0000_initial')
    expect(read.settings?.FW_BASE_URL?.description).toContain('public origin')
    expect(read.codemods).toEqual([])
  })

  it('reads a version without settings when they cannot be loaded', async () => {
    write({
      'package.json': JSON.stringify({ version: '9.0.0', dependencies: {}, engines: { node: '>=30' } }),
      'server/kernel/config/env.ts': "import 'a-package-of-the-future'\n",
    })
    expect(await readVersion(root)).toMatchObject({ manifest: { version: '9.0.0' }, settings: undefined, codemods: [] })
  })
})

describe('settingChanges', () => {
  const setting = (description: string, unset = 'off') => ({ description, unset })
  it.each([
    [{ A: setting('a') }, {}, ['A is gone, and your .env has it']],
    [{}, { B: setting('b') }, ['B is new: b']],
    [
      { A: setting('a') },
      { A: setting('a', 'on') },
      ['A, when it is not set: on (until now off), and your .env has it'],
    ],
    [{ A: setting('a') }, { A: setting('a, in other words') }, []],
  ])('compares %j with %j', (before, after, expected) => {
    expect(settingChanges(before, after, ['A'])).toEqual(expected)
  })
})

describe('changelogBetween', () => {
  const text = '## [1.2.0] - 2027\n- c\n## v1.1.0\n- b\n\n### Fixed\n- b2\n## 1.0.0\n- a\n'
  it.each([
    ['1.0.0', '1.2.0', ['1.2.0:', '- c', '1.1.0:', '- b', '### Fixed', '- b2']],
    ['1.0.0', '1.1.0', ['1.1.0:', '- b', '### Fixed', '- b2']],
    ['1.2.0', '1.2.0', []],
  ])('returns the lines after %s up to %s', (from, to, expected) => {
    expect(changelogBetween(text, from, to)).toEqual(expected)
  })
})
