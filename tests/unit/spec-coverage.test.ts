import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { coverageFaults } from '../support/coverage-faults'

const root = fileURLToPath(new URL('../..', import.meta.url))

it('docs/internal/spec-coverage.md lists each rule once with existing code and running tests', () => {
  expect(coverageFaults(readFileSync(join(root, 'docs/internal/spec-coverage.md'), 'utf8'), root)).toEqual([])
})

const code = '`tests/support/list-tests.ts`, `tests/support`'
const path = '`tests/unit/assurance.test.ts`'
const tests = `${path} «has an answer for every requirement», «listTests and isNamed»`
const good = { rule: 'a rule', code, tests, state: 'done' }

const written = (...rows: Partial<typeof good>[]): string =>
  [
    '## A chapter',
    '| rule | code | tests | state |',
    '|---|---|---|---|',
    ...rows.map(row => `| ${Object.values({ ...good, ...row }).join(' | ')} |`),
  ].join('\n')

describe('coverageFaults', () => {
  it.each<[string, Partial<typeof good>]>([
    ['a test, a group, a file and a folder', {}],
    [
      'several files of tests',
      {
        tests: `${path} «has an answer for every requirement»; ${path} «returns test names as written, without tests that do not run»`,
      },
    ],
    ['the name of a test behind its group', { tests: `${path} «the ASVS page › has an answer for every requirement»` }],
    ['a part that is missing', { state: 'part: the other half is missing' }],
    ['nothing at all yet', { code: 'none', tests: 'none', state: 'open: nobody has begun' }],
  ])('accepts %s', (_what, row) => {
    expect(coverageFaults(written(row), root)).toEqual([])
  })

  it.each<[string, Partial<typeof good>, string]>([
    ['a path that is not there', { code: '`server/nowhere.ts`' }, 'there is no server/nowhere.ts'],
    ['a word that is no path', { code: '`tests`, and more' }, 'its code is no list of paths'],
    ['no code', { code: '' }, 'its code is no list of paths'],
    [
      'a file of tests that is not there',
      { tests: '`tests/unit/nowhere.test.ts` «x»' },
      'there is no test tests/unit/nowhere',
    ],
    [
      'a file that is none of tests',
      { tests: '`tests/support/list-tests.ts` «x»' },
      'there is no test tests/support/list-tests.ts',
    ],
    ['a title that no test has', { tests: `${path} «says something»` }, '0 tests or groups'],
    ['the title of a test that does not run', { tests: `${path} «is left out»` }, '0 tests or groups'],
    ['one wrong title among good ones', { tests: `${tests}, «nothing»` }, '0 tests or groups'],
    ['a file without a title', { tests: path }, 'its tests are no list'],
    ['no test', { tests: 'none' }, 'its tests are no list'],
    ['another state', { state: 'soon' }, 'has the state «soon»'],
    ['a state that hides what is missing', { state: 'part' }, 'has the state «part»'],
    ['something behind the state', { state: 'done, nearly' }, 'has the state «done, nearly»'],
    ['five columns', { state: 'done | more' }, 'has 5 columns'],
    ['no rule', { rule: '' }, 'says nothing'],
  ])('refuses %s', (_what, row, fault) => {
    expect(coverageFaults(written(row), root)).toEqual([expect.stringContaining(fault)])
  })

  it('refuses a duplicate rule or chapter, and a document without rules', () => {
    expect(coverageFaults(written({}, {}), root)).toEqual(['stands there twice: a rule'])
    expect(coverageFaults(`${written({})}\n${written({ rule: 'another' })}`, root)).toEqual([
      'stands there twice: ## A chapter',
    ])
    expect(coverageFaults('# Rules', root)).toEqual(['has no rules'])
  })

  it('refuses a title that several tests share', () => {
    const several = '`tests/http/collections/page-walks.test.ts` «return each row of %s once, forwards and backwards»'
    expect(coverageFaults(written({ tests: several }), root)).toEqual([expect.stringMatching(/^a rule: 2 tests/)])
  })
})
