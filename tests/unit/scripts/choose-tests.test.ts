import { rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listTests, testsNamed, testsOf } from '../../../scripts/choose-tests.mjs'
import { folderWith } from '../../support/files'

const files: Record<string, string> = {
  'layers/fairway/shared/paths.ts': '',
  'layers/fairway/shared/desktop-wire.ts': '',
  'layers/fairway/server/notes/index.ts': `import { list } from './list'`,
  'layers/fairway/server/notes/list.ts': `export { paths } from '#fairway/shared/paths'`,
  'layers/fairway/server/team.ts': '',
  'layers/fairway/server/compose.ts': `import './team'`,
  'app/pages/team.vue': '',
  'layers/fairway/cli/fw.mjs': `await import('../dist/cli/cli--main.mjs')`,
  'layers/fairway/dist/cli/cli--main.mjs': '',
  'layers/fairway/cli/main.ts': '',
  'tests/support/fw.ts': `spawn('node', ['layers/fairway/cli/fw.mjs'])`,
  'tests/support/people.ts': '',
  'tests/unit/notes.test.ts': `import { list } from '#fairway/server/notes'\ndescribe('a list', () => it('has notes', () => {}))`,
  'tests/unit/whole.test.ts': `import '../../layers/fairway/server/compose'`,
  'tests/unit/team.test.ts': `import '../../layers/fairway/server/team'`,
  'tests/requests/sessions.test.ts': `import { signUp } from '../support/people'`,
  'tests/architecture/files.test.ts': '',
  'tests/http/cli.test.ts': `import { fw } from '../support/fw'\nit('does not crash', () => {})`,
  'tests/http/shell.test.ts': `await browser.get('/about')`,
  'tests/hosts/sequences.test.ts': '',
  'tests/hosts/clients.test.ts': '',
  'tests/http/vault.test.ts': `import { signUp } from '../support/people'`,
  'tests/starter/short.test.ts': '',
  'tests/starter/long.slow.test.ts': `it('installs packages', () => {})`,
  'tests/components/team.test.ts': '',
  'packages/desktop/src/broker.ts': `import { paths } from 'nuxt-fairway/desktop-wire'`,
  'packages/desktop/tests/unit/broker.test.ts': `import '../../src/broker'`,
  'packages/desktop/tests/e2e/broker.spec.ts': `import '../../src/broker'`,
  'tests/e2e/team.spec.ts': `import { signUp } from '../support/people'\ntest("invites somebody", async () => {})`,
}

let root: string
beforeAll(() => {
  root = folderWith(files)
})
afterAll(() => rmSync(root, { recursive: true }))

const paths = (tests: { path: string }[]) => tests.map(({ path }) => path.replace('tests/', ''))
const always = 'architecture/files.test.ts'
const REQUESTS = 'requests/sessions.test.ts'
const DESKTOP_UNIT = 'packages/desktop/unit/broker.test.ts'
const desktop = ['packages/desktop/e2e/broker.spec.ts', DESKTOP_UNIT]
const http = ['hosts/sequences.test.ts', 'http/cli.test.ts', 'http/shell.test.ts', 'http/vault.test.ts']

describe('testsOf', () => {
  it.each([
    ['a module of the server', ['layers/fairway/server/notes/list.ts'], [always, 'unit/notes.test.ts']],
    ['what server and tests share', ['layers/fairway/shared/paths.ts'], [always, 'unit/notes.test.ts']],
    ['a page', ['app/pages/team.vue'], [always]],
    ['the desktop package', ['packages/desktop/src/broker.ts'], [...desktop, always]],
    ['what it shares with the platform', ['layers/fairway/shared/desktop-wire.ts'], [DESKTOP_UNIT, always]],
    ['a program that a test starts', ['layers/fairway/cli/main.ts'], [always, 'http/cli.test.ts']],
    ['a domain that the whole application has', ['layers/fairway/server/team.ts'], [always, 'unit/team.test.ts']],
    ['a support module', ['tests/support/people.ts'], [always, 'e2e/team.spec.ts', 'http/vault.test.ts', REQUESTS]],
    ['a test', ['tests/unit/team.test.ts'], [always, 'unit/team.test.ts']],
    ['a document', ['docs/guide.md'], [always]],
  ])('returns the tests for %s', (_what, changed, expected) => {
    expect(paths(testsOf(root, changed))).toEqual(expected)
  })

  it.each([
    [
      'a module of the server',
      ['layers/fairway/server/notes/list.ts'],
      [always, 'components/team.test.ts', 'e2e/team.spec.ts', ...http, REQUESTS, 'unit/notes.test.ts'],
    ],
    ['a page', ['app/pages/team.vue'], [always, 'components/team.test.ts', 'e2e/team.spec.ts', 'http/shell.test.ts']],
    ['the command line', ['layers/fairway/cli/main.ts'], [always, 'http/cli.test.ts', 'starter/short.test.ts']],
  ])('returns the tests for %s, including those of the built server', (_what, changed, expected) => {
    expect(paths(testsOf(root, changed, { isBuilt: true }))).toEqual(expected)
  })

  it('returns all tests when package-lock.json has changed', () => {
    const changed = ['docs/guide.md', 'package-lock.json']
    const all = listTests(root, { everything: true }).filter(({ path }) => !path.includes('.slow.'))
    expect(testsOf(root, changed, { isBuilt: true })).toEqual(all)
    expect(testsOf(root, changed)).toEqual(listTests(root).filter(({ suite }) => suite === 'unit'))
  })
})

it('listTests keeps released clients out, and slow tests and the desktop program unless everything is asked for', () => {
  const everything = paths(listTests(root, { everything: true }))
  expect(everything).not.toContain('hosts/clients.test.ts')
  const slow = ['packages/desktop/e2e/broker.spec.ts', 'starter/long.slow.test.ts']
  expect(everything).toEqual(expect.arrayContaining(slow))
  expect(paths(listTests(root))).toEqual(everything.filter(path => !slow.includes(path)))
})

describe('testsNamed', () => {
  it.each([
    ['a path', ['TEAM'], ['components/team.test.ts', 'e2e/team.spec.ts', 'unit/team.test.ts']],
    ['a name', ['invites some'], ['e2e/team.spec.ts']],
    ['a slow one', ['installs packages'], ['starter/long.slow.test.ts']],
    ['either of two', ['vault', 'has notes'], ['http/vault.test.ts', 'unit/notes.test.ts']],
    ['nothing that is there', ['zebra'], []],
  ])('finds tests by %s', (_what, words, expected) => {
    expect(paths(testsNamed(root, words))).toEqual(expected)
  })
})
