import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import manifest from '#fairway/package.json'
import desktop from '../../../packages/desktop/package.json'
import { IS_PUBLISHED, VERSION } from '#fairway/shared/package'
import { faultsOf, fileEdits, publishedText, repositoryOf } from '../../../scripts/release-edits.mjs'

const read = (path: string) => readFileSync(path, 'utf8')
const { repository, homepage, bugs } = manifest

describe('publishedText', () => {
  it.each([
    ['0.1.0<!-- until published -->, not on npm yet<!-- end -->.', '0.1.0.'],
    ['Run `npx a`.\n\n<!-- until published -->\n\nRun `npm run a`.\n\n<!-- end -->\n\nNext.', 'Run `npx a`.\n\nNext.'],
    ['<!-- measured: a -->\n\n1 s\n\n<!-- end -->', '<!-- measured: a -->\n\n1 s\n\n<!-- end -->'],
  ])('turns %j into %j', (text, expected) => {
    expect(publishedText(text)).toBe(expected)
  })

  it('leaves no document that says that npm does not have the package', () => {
    const documents = execFileSync('git', ['ls-files', '*.md']).toString().trim().split('\n')
    const texts = documents.map(path => [path, publishedText(read(path))] as const)
    const missing =
      /not (yet )?on npm|on npm (yet|\(not)|npm (does not have|doesn't have|has) the package|<!-- until published/i
    expect(texts.filter(([, text]) => missing.test(text)).map(([path]) => path)).toEqual([])
  })
})

describe('fileEdits', () => {
  const edited = (version: string) =>
    Object.fromEntries(Object.entries(fileEdits(version)).map(([path, edit]) => [path, edit(read(path))]))

  it('publishes the current version by two words, if it is not published yet', () => {
    const changed = Object.entries(edited(VERSION)).filter(([path, text]) => text !== read(path))
    const expected = [
      'layers/fairway/package.json',
      'packages/desktop/package.json',
      'packages/create/package.json',
      'layers/fairway/shared/package.ts',
    ]
    expect(changed.map(([path]) => path)).toEqual(IS_PUBLISHED ? [] : expected)
  })

  it('names another version everywhere', () => {
    const texts = edited('9.8.7')
    const changes = { version: '9.8.7', private: false }
    expect(JSON.parse(texts['layers/fairway/package.json'] ?? '')).toEqual({
      ...manifest,
      ...changes,
      peerDependencies: { ...manifest.peerDependencies, 'nuxt-fairway-desktop': '9.8.7' },
    })
    expect(JSON.parse(texts['packages/desktop/package.json'] ?? '')).toEqual({
      ...desktop,
      ...changes,
      peerDependencies: { 'nuxt-fairway': '9.8.7' },
    })
    expect(texts['layers/fairway/shared/package.ts']).toMatch(/VERSION = '9\.8\.7'[^]*IS_PUBLISHED = true/)
    expect(JSON.parse(texts['package.json'] ?? '').dependencies['nuxt-fairway']).toBe('9.8.7')
    const { packages } = JSON.parse(texts['package-lock.json'] ?? '')
    expect(packages[''].dependencies['nuxt-fairway']).toBe('9.8.7')
    expect(packages).toMatchObject({
      'layers/fairway': { version: '9.8.7', peerDependencies: { 'nuxt-fairway-desktop': '9.8.7' } },
      'packages/create': { version: '9.8.7' },
      'packages/desktop': { version: '9.8.7', peerDependencies: { 'nuxt-fairway': '9.8.7' } },
    })
  })
})

describe('repositoryOf', () => {
  it.each([
    ['git+https://github.com/a/b.git', 'a/b'],
    ['git@github.com:a/b.git', 'a/b'],
    ['https://github.com/a/b.js#readme', 'a/b.js'],
    ['https://github.com/a/b/issues', 'a/b'],
    ['https://example.com/a/b', undefined],
    ['', undefined],
  ])('returns the repository of %j', (address, expected) => {
    expect(repositoryOf(address)).toBe(expected)
  })
})

describe('faultsOf', () => {
  const ready = {
    version: '0.2.0',
    changelog: '# Changelog\n\n## Unreleased\n\n## 0.2.0\n\n### Mails\n\n- Faster.\n\n## 0.1.0\n\n- First.\n',
    branch: 'main',
    status: '',
    isTagged: false,
    origin: repository.url,
    manifest: { repository, homepage, bugs },
  }

  it('returns nothing when the release can start', () => {
    expect(faultsOf(ready)).toEqual([])
  })

  it.each([
    ['a version that is none', { version: '1.0' }, /1\.0 is not a version/],
    ['a version without entries', { version: '0.3.0' }, /no entries below "## 0\.3\.0"/],
    ['unreleased entries', { changelog: ready.changelog.replace('Unreleased\n', 'Unreleased\n\n- New.\n') }, /Move/],
    ['another branch', { branch: 'next' }, /branch next/],
    ['uncommitted changes', { status: ' M README.md' }, /uncommitted/],
    ['the tag of another commit', { isTagged: true }, /tag v0\.2\.0/],
    ['another repository', { origin: 'git@github.com:else/where.git' }, /else\/where/],
    ['no repository', { origin: '' }, /origin is missing/],
    ['two repositories', { manifest: { ...ready.manifest, bugs: 'https://github.com/a/b/issues' } }, /, a\/b in/],
  ])('names %s', (_what, differing, expected) => {
    const faults = faultsOf({ ...ready, ...differing })
    expect(faults.filter(fault => typeof fault === 'string' && expected.test(fault))).toHaveLength(1)
  })
})
