import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { startFw } from '../../support/fw'

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'fw-new-'))
})

const files = (folder: string) =>
  readdirSync(join(home, folder), { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name).slice(join(home, folder).length + 1))
    .toSorted()
const read = (path: string) => readFileSync(join(home, path), 'utf8')
// Uses the platform as a version from npm. Nothing is packed, because writing the files does not need the package.
const make = (...args: string[]) =>
  startFw(['new', '--package', '9.9.9', '--no-install', '--no-git', ...args], {}, home).ended

const EMPTY = [
  '.gitignore',
  'README.md',
  'app/locales/de/language.json',
  'app/pages/index.vue',
  'drizzle.config.ts',
  'fw.config.ts',
  'nuxt.config.ts',
  'package.json',
  'tsconfig.json',
  'vitest.config.ts',
]

describe('fw new', () => {
  it('creates an empty project of ten files in the current folder and prints the next steps', async () => {
    const { code, out } = await make('my-app', '--sample', 'empty')
    expect(code).toBe(0)
    expect(files('my-app')).toEqual(EMPTY)
    expect(out).toContain('cd my-app\n  npm install\n  npm run dev')
    expect(read('my-app/fw.config.ts')).toContain("'My app'")
    expect(JSON.parse(read('my-app/package.json'))).toMatchObject({
      name: 'my-app',
      dependencies: { 'nuxt-fairway': '9.9.9' },
    })
  })

  it('uses the platform’s dependency versions so that each package is installed once', async () => {
    await make('my-app')
    const { dependencies: platform, applicationOverrides } = JSON.parse(
      readFileSync('layers/fairway/package.json', 'utf8'),
    )
    const { dependencies, overrides } = JSON.parse(read('my-app/package.json'))
    expect(overrides).toEqual(applicationOverrides)
    expect(dependencies).toEqual({
      'drizzle-orm': platform['drizzle-orm'],
      'nuxt-fairway': '9.9.9',
      zod: platform.zod,
    })
  })

  it('adds a Node.js from npm when the machine’s version is too old', async () => {
    const manifestWith = async (version: string) => {
      writeFileSync(join(home, 'node'), `#!/bin/sh\necho ${version}\n`)
      chmodSync(join(home, 'node'), 0o755)
      const folder = `app-${version}`
      await startFw(
        ['new', folder, '--package', '9.9.9', '--no-install', '--no-git'],
        { PATH: `${home}:${process.env.PATH}` },
        home,
      ).ended
      return JSON.parse(read(`${folder}/package.json`))
    }
    const { nodePackages } = JSON.parse(readFileSync('layers/fairway/package.json', 'utf8'))
    expect(await manifestWith('20.20.2')).toMatchObject({ optionalDependencies: nodePackages })
    expect(await manifestWith('24.0.0')).not.toHaveProperty('optionalDependencies')
  })

  it('creates the notes sample by default in a non-interactive shell', async () => {
    expect((await make('my-app')).code).toBe(0)
    expect(files('my-app')).toEqual(
      [
        ...EMPTY,
        'app/components/NoteFields.vue',
        'app/locales/de/approval.json',
        'app/locales/de/notes.json',
        'app/locales/en/approval.json',
        'app/locales/en/notes.json',
        'app/pages/notes/[id].vue',
        'app/pages/notes/index.vue',
        'drizzle/0000_notes.sql',
        'drizzle/meta/0000_snapshot.json',
        'drizzle/meta/_journal.json',
        'server/actions/notes/create-note.ts',
        'server/actions/notes/delete-note.ts',
        'server/actions/notes/get-note.ts',
        'server/actions/notes/update-note.ts',
        'server/collections/note-list.ts',
        'server/database/notes.ts',
        'tests/notes.test.ts',
      ].toSorted(),
    )
  })

  it('includes the package as a tarball when npm does not have it', async () => {
    const { code } = await startFw(
      ['new', 'my-app', '--sample', 'empty', '--no-install', '--no-git'],
      { HOME: home },
      home,
    ).ended
    expect(code).toBe(0)
    const [tarball] = files('my-app').filter(path => path.endsWith('.tgz'))
    const { dependencies } = JSON.parse(read('my-app/package.json'))
    expect(dependencies['nuxt-fairway']).toBe(`file:${tarball}`)
  })

  it('escapes quotes and backslashes in a title', async () => {
    await make('my-app', '--title', String.raw`Ada's \ notes`)
    expect(read('my-app/fw.config.ts')).toContain(String.raw`'Ada\'s \\ notes'`)
  })

  it('creates a Git repository unless the folder is inside one', async () => {
    const args = ['--package', '9.9.9', '--no-install', '--sample', 'empty']
    await startFw(['new', 'outer', ...args], {}, home).ended
    expect(existsSync(join(home, 'outer/.git'))).toBe(true)
    await startFw(['new', 'inner', ...args], {}, join(home, 'outer')).ended
    expect(existsSync(join(home, 'outer/inner/package.json'))).toBe(true)
    expect(existsSync(join(home, 'outer/inner/.git'))).toBe(false)
  })

  it('lists the files and writes none with --dry-run', async () => {
    const { code, out } = await make('my-app', '--sample', 'empty', '--dry-run')
    expect(code).toBe(0)
    expect(out.match(/^ {2}.+$/gm)?.map(line => line.trim())).toEqual(EMPTY)
    expect(readdirSync(home)).toEqual([])
  })

  it.each([
    ['a name that npm refuses', ['My-App'], 'is no name for a project'],
    ['the name of the platform', ['nuxt-fairway'], 'is taken'],
    ['no name, where nobody can be asked', [], 'Name the folder'],
    ['a sample that is not there', ['my-app', '--sample', 'shop'], 'There is no sample shop'],
    ['a title of two lines', ['my-app', '--title', 'My\napp'], 'on one line'],
    ['a package that is not there', ['my-app', '--package', 'file:none.tgz'], 'There is no file'],
  ])('refuses %s, and writes nothing', async (_what, args, reason) => {
    const { code, err } = await startFw(['new', '--no-install', '--no-git', ...args], {}, home).ended
    expect([code === 0, err]).toEqual([false, expect.stringContaining(reason)])
    expect(readdirSync(home)).toEqual([])
  })

  it('refuses a folder that is not empty and leaves it unchanged', async () => {
    mkdirSync(join(home, 'my-app'))
    writeFileSync(join(home, 'my-app/letter.txt'), 'mine')
    const { code, err } = await make('my-app')
    expect([code, err]).toEqual([2, expect.stringContaining('is not empty: letter.txt')])
    expect(files('my-app')).toEqual(['letter.txt'])
  })

  it('accepts an empty folder, including the current folder', async () => {
    mkdirSync(join(home, 'my-app'))
    const { code } = await startFw(
      ['new', '.', '--package', '9.9.9', '--no-install', '--no-git', '--sample', 'empty'],
      {},
      join(home, 'my-app'),
    ).ended
    expect([code, files('my-app')]).toEqual([0, EMPTY])
  })

  describe('during the installation of packages', () => {
    const withNpm = (script: string) => {
      writeFileSync(join(home, 'npm'), `#!/bin/sh\n${script}\n`)
      chmodSync(join(home, 'npm'), 0o755)
      const env = { PATH: `${home}:${process.env.PATH}` }
      return startFw(['new', 'my-app', '--package', '9.9.9', '--no-git'], env, home)
    }

    it('removes its files when interrupted so that it can run again', async () => {
      const running = withNpm('echo begun; mkdir node_modules; exec sleep 60')
      await running.until(/begun/)
      running.kill('SIGINT')
      const { code, err } = await running.ended
      expect([code, err]).toEqual([130, expect.stringContaining('is removed')])
      expect(existsSync(join(home, 'my-app'))).toBe(false)
    })

    it('keeps the project when the installation fails and explains how to continue', async () => {
      const { code, out } = await withNpm('exit 7').ended
      expect([code, out]).toEqual([1, expect.stringContaining('cd my-app\n  npm install')])
      expect(existsSync(join(home, 'my-app/package.json'))).toBe(true)
    })
  })
})
