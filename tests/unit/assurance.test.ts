import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { idsOf, requirements } from '../assurance/asvs'
import { chapters } from '../assurance/asvs-ids'
import { isNamed, listTests } from '../assurance/list-tests'
import { promises } from '../assurance/promises'
import { readReference } from '../assurance/requirement'
import { levelA, levelAA } from '../assurance/wcag'
import { ONE_INSTANCE_ONLY } from '../support/one-instance-only'

const root = fileURLToPath(new URL('../..', import.meta.url))
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const rows = Object.values(requirements).flat()

it('the tests that are skipped with several instances exist', () => {
  const missing = Object.keys(ONE_INSTANCE_ONLY).filter(key => {
    const [file = '', name] = key.split(' > ')
    if (!existsSync(join(root, 'tests', file))) return true
    return name !== undefined && !listTests(read(`tests/${file}`)).some(full => isNamed(full, name))
  })
  expect(missing).toEqual([])
})

describe('the ASVS table', () => {
  it('lists each of the 253 requirements of levels 1 and 2 once, in its chapter', () => {
    expect(Object.keys(chapters)).toHaveLength(17)
    expect(new Set(Object.keys(chapters).flatMap(chapter => idsOf(Number(chapter)))).size).toBe(253)
    for (const [chapter, its] of Object.entries(requirements)) {
      expect(its.map(({ id }) => id).toSorted()).toEqual(idsOf(Number(chapter)).toSorted())
    }
  })

  it('refers only to running tests, each reference to exactly one', () => {
    const wrong = rows.flatMap(({ id, answer }) =>
      (answer.kind === 'tested' ? wrongAmong(answer.tests) : []).map(fault => `${id}: ${fault}`),
    )
    expect(wrong).toEqual([])
  })

  it('refers only to existing documents and headings', () => {
    const places = rows.flatMap(({ answer }) => (answer.kind === 'documented' ? answer.documents : []))
    expect(places.filter(place => !isThere(place))).toEqual([])
  })

  it('has an answer for every requirement', () => {
    const empty = rows.filter(({ asks, answer }) => {
      if (answer.kind === 'tested') return !asks || answer.tests.length === 0
      return !asks || (answer.kind === 'documented' ? answer.documents.length === 0 : !answer.reason)
    })
    expect(empty).toEqual([])
  })
})

describe('the WCAG table', () => {
  const criteria = [...levelA, ...levelAA]

  it('lists each WCAG 2.2 criterion of levels A and AA once', () => {
    const ids = (text: string) => text.split(' ').toSorted()
    expect(levelA.map(({ id }) => id).toSorted()).toEqual(
      ids(
        '1.1.1 1.2.1 1.2.2 1.2.3 1.3.1 1.3.2 1.3.3 1.4.1 1.4.2 2.1.1 2.1.2 2.1.4 2.2.1 2.2.2 2.3.1 2.4.1 2.4.2 2.4.3 2.4.4 2.5.1 2.5.2 2.5.3 2.5.4 3.1.1 3.2.1 3.2.2 3.2.6 3.3.1 3.3.2 3.3.7 4.1.2',
      ),
    )
    expect(levelAA.map(({ id }) => id).toSorted()).toEqual(
      ids(
        '1.2.4 1.2.5 1.3.4 1.3.5 1.4.3 1.4.4 1.4.5 1.4.10 1.4.11 1.4.12 1.4.13 2.4.5 2.4.6 2.4.7 2.4.11 2.5.7 2.5.8 3.1.2 3.2.3 3.2.4 3.3.3 3.3.4 3.3.8 4.1.3',
      ),
    )
    expect(criteria).toHaveLength(55)
  })

  it('names only running tests, with exactly one match per reference', () => {
    expect(criteria.flatMap(({ answer }) => (answer.kind === 'tested' ? wrongAmong(answer.tests) : []))).toEqual([])
  })
})

describe('the promises of SECURITY.md', () => {
  const [, promised = ''] = read('SECURITY.md')
    .split(/^## .*$/m)
    .slice(1)
  const points = [...promised.matchAll(/^- \*\*(.+?)\.?\*\*/gm)].map(([, beginning = '']) => beginning)

  it('are each covered by existing tests that run', () => {
    expect(points.length).toBeGreaterThan(30)
    expect(Object.keys(promises)).toEqual(points)
    expect(Object.values(promises).flatMap(wrongAmong)).toEqual([])
    expect(Object.entries(promises).filter(([, tests]) => tests.length === 0)).toEqual([])
  })

  it('are the only content of their section', () => {
    expect(promised.split('\n').filter(line => line && !line.startsWith('- **'))).toEqual([])
  })
})

/** The references that do not match exactly one test of `npm test`. */
function wrongAmong(references: readonly string[]): string[] {
  return references.flatMap(reference => {
    const { file, name } = readReference(reference)
    if (file.includes('.slow.')) return [`npm test leaves out ${reference}`]
    const found = testsIn(file).filter(full => isNamed(full, name)).length
    return found === 1 ? [] : [`${found} tests are called ${reference}`]
  })
}

const known = new Map<string, string[]>()
function testsIn(file: string): string[] {
  const names = known.get(file) ?? (existsSync(join(root, file)) ? listTests(read(file)) : [])
  known.set(file, names)
  return names
}

function isThere(place: string): boolean {
  const [path = '', heading] = place.split('#')
  if (!existsSync(join(root, path))) return false
  const headings = [...read(path).matchAll(/^#+ (.+)$/gm)].map(([, title = '']) => anchorOf(title))
  return heading === undefined || headings.includes(heading)
}

const anchorOf = (title: string): string =>
  title
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-')

describe('listTests and isNamed', () => {
  it('returns test names as written, without tests that do not run', () => {
    const source = `
      // it('is a comment', () => {})
      describe('a group', () => {
        it('is "plain"', () => {})
        it.each([1])('is %s', () => {})
        it.each\`a\`(\`is \${'made'}\`, () => {})
        it.skip('is left out', () => {})
        describe.skip('out', () => { it('is inside', () => {}) })
      })
      test('is ' + 'put together', () => {})
      test.describe('windows', () => { test('opens', async () => { await test.step('at once', () => {}) }) })
      not('a test', () => {})
    `
    expect(listTests(source)).toEqual([
      'a group › is "plain"',
      'a group › is %s',
      "a group › is ${'made'}",
      'windows › opens',
    ])
  })

  it('matches a full test name with or without its describe, but not part of a name', () => {
    expect(isNamed('a group › is plain', 'is plain')).toBe(true)
    expect(isNamed('a group › is plain', 'a group › is plain')).toBe(true)
    expect(isNamed('a group › is plain', 'plain')).toBe(false)
    expect(isNamed('a group › is plain', 'another › is plain')).toBe(false)
  })
})
