import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SAMPLE_HOME, samplePlace } from '../../../scripts/sample.mjs'
import { coverageFaults } from '../../support/coverage-faults'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const copy = join(mkdtempSync(join(tmpdir(), 'fw-remove-')), 'clone')
afterAll(() => rmSync(dirname(copy), { recursive: true, force: true }))

const git = (cwd: string, ...args: string[]) => execFileSync('git', args, { cwd }).toString()
const listed = (cwd: string) =>
  git(cwd, 'ls-files', '--cached', '--others', '--exclude-standard')
    .split('\n')
    .filter(path => path && existsSync(join(cwd, path)))
const read = (path: string) => readFileSync(join(copy, path), 'utf8')
const remove = (...options: string[]) => {
  const args = [join(copy, 'layers/fairway/cli/fw.mjs'), 'remove', 'sample', ...options]
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: copy, encoding: 'utf8' })
  return { status, stdout, stderr }
}
const commit = () => {
  git(copy, 'add', '-A')
  git(copy, '-c', 'user.name=Ada', '-c', 'user.email=ada@example.test', 'commit', '-qm', 'all')
}
const isOfSample = (path: string) => /^(app|server|shared|public|locales|drizzle)\//.test(path)

beforeAll(() => {
  for (const path of listed(root)) cpSync(join(root, path), join(copy, path))
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  git(copy, 'init', '-q')
  writeFileSync(join(copy, '.git/info/exclude'), 'node_modules\n')
  commit()
})

it('fw remove sample explains its purpose in a project without the sample', () => {
  const folder = mkdtempSync(join(tmpdir(), 'fw-elsewhere-'))
  cpSync(join(root, 'layers/fairway/package.json'), join(folder, 'package.json'))
  const args = [join(copy, 'layers/fairway/cli/fw.mjs'), 'remove', 'sample']
  rmSync(join(copy, 'scripts/remove-sample.mjs'))
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' })
  git(copy, 'checkout', '-q', 'scripts')
  expect([status, stderr]).toEqual([1, expect.stringContaining('is for the repository of the platform')])
})

describe.skipIf(samplePlace !== '.')('fw remove sample', () => {
  it('lists the changes and writes nothing with --dry-run', () => {
    const { status, stdout } = remove('--dry-run')
    expect([status, git(copy, 'status', '--porcelain')]).toEqual([0, ''])
    for (const path of listed(copy).filter(isOfSample)) expect(stdout).toContain(`  ${path}\n`)
  })

  it('refuses to run with uncommitted changes', () => {
    writeFileSync(join(copy, 'app/new.vue'), '<template><p /></template>\n')
    expect(remove()).toMatchObject({ status: 1, stderr: expect.stringContaining('--force') })
    expect(git(copy, 'status', '--porcelain')).toBe('?? app/new.vue\n')
    rmSync(join(copy, 'app/new.vue'))
  })

  it('moves every sample file unchanged, and reports this on the second run', () => {
    const before = listed(copy).filter(isOfSample)
    expect(before.length).toBeGreaterThan(40)
    expect(remove()).toMatchObject({ status: 0, stderr: '' })
    const wrong = before.filter(path => read(`${SAMPLE_HOME}/${path}`) !== readFileSync(join(root, path), 'utf8'))
    expect(wrong).toEqual([])
    expect(listed(copy).filter(isOfSample)).toEqual(['app/pages/.gitkeep'])
    expect(remove()).toMatchObject({ status: 1, stderr: expect.stringContaining(SAMPLE_HOME) })
  })

  it('leaves an application without sample code, and a sample that extends the platform', () => {
    expect(read('fw.config.ts')).not.toContain('appRoles')
    expect(read('fw.config.ts')).toContain('defineFwConfig(')
    const { 1: platform = '' } = /extends: \['(.+?)'\]/.exec(read(`${SAMPLE_HOME}/nuxt.config.ts`)) ?? []
    expect(existsSync(join(copy, SAMPLE_HOME, platform, 'nuxt.config.ts'))).toBe(true)
    expect(read('nuxt.config.ts')).not.toContain('extends')
  })

  it('leaves no broken paths in rules, TypeScript configurations and links', () => {
    expect(coverageFaults(read('docs/internal/spec-coverage.md'), copy)).toEqual([])
    for (const file of [
      'tsconfig.json',
      'tests/tsconfig.json',
      'tests/unit/app/tsconfig.json',
      `${SAMPLE_HOME}/tsconfig.json`,
    ]) {
      const paths = [...read(file).matchAll(/"(\.{1,2}\/[^"*]+)/g)].map(([, path = '']) => join(dirname(file), path))
      // The next `nuxt prepare` creates the framework's files, next to a nuxt.config.
      const lost = paths.filter(path => !existsSync(join(copy, path.replace(/\.nuxt\/.*/, 'nuxt.config.ts'))))
      expect([file, lost]).toEqual([file, []])
    }
    const names = globSync('{docs,docs/guides,.}/*.md', { cwd: copy }).flatMap(path =>
      [...read(path).matchAll(/`((?:app|server)\/[\w/.-]+\.(?:ts|vue))`/g)].map(([, name = '']) => name),
    )
    const ofSample = new Set(listed(root).filter(isOfSample))
    expect(names.filter(name => ofSample.has(name) && !existsSync(join(copy, 'layers/fairway', name)))).toEqual([])
  })

  it('leaves formatted files without lint errors, and tests that use the new location', () => {
    const bin = (name: string, ...args: string[]) => {
      const { status, stdout, stderr } = spawnSync(join(root, 'node_modules/.bin', name), args, {
        cwd: copy,
        encoding: 'utf8',
      })
      return { status, output: status === 0 ? '' : `${stdout}${stderr}` }
    }
    // The checks of this repository cover the files that the script did not touch.
    git(copy, 'add', '-A')
    const touched = git(copy, 'diff', '--cached', '--name-only', '--diff-filter=d').trim().split('\n')
    expect(bin('oxfmt', '--check', ...touched)).toEqual({ status: 0, output: '' })
    const code = touched.filter(path => /\.(?:m?[jt]s|tsx|vue)$/.test(path))
    expect(bin('oxlint', '--deny-warnings', ...code)).toEqual({ status: 0, output: '' })
    const place = 'import("./scripts/sample.mjs").then(({ samplePlace }) => console.log(samplePlace))'
    expect(execFileSync(process.execPath, ['-e', place], { cwd: copy }).toString()).toBe(`${SAMPLE_HOME}\n`)
  })
})
