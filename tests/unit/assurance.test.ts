import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { isNamed, listTests } from '../support/list-tests'
import { ONE_INSTANCE_ONLY } from '../support/one-instance-only'

const root = fileURLToPath(new URL('../..', import.meta.url))
const read = (path: string) => readFileSync(join(root, path), 'utf8')

/** The numbers of OWASP ASVS 5.0.0 by chapter, without that of the chapter: of level 1 and of level 2. */
const ASVS: Readonly<Record<number, readonly [string, string]>> = {
  1: [
    '2.1 2.2 2.3 2.4 2.5 3.1 3.2 5.1',
    '1.1 1.2 2.6 2.7 2.8 2.9 3.3 3.4 3.5 3.6 3.7 3.8 3.9 3.10 3.11 4.1 4.2 4.3 5.2',
  ],
  2: ['1.1 2.1 2.2 3.1', '1.2 1.3 2.3 3.2 3.3 3.4 4.1'],
  3: ['2.1 2.2 3.1 4.1 4.2 5.1 5.2 5.3', '3.2 3.3 3.4 4.3 4.4 4.5 4.6 5.4 5.5 7.1 7.2'],
  4: ['1.1 4.1', '1.2 1.3 2.1 3.1 3.2 4.2 4.3 4.4'],
  5: ['2.1 2.2 3.1 3.2', '1.1 2.3 4.1 4.2 4.3'],
  6: [
    '1.1 2.1 2.2 2.3 2.4 2.5 2.6 2.7 2.8 3.1 3.2 4.1 4.2',
    '1.2 1.3 2.9 2.10 2.11 2.12 3.3 3.4 4.3 4.4 5.1 5.2 5.3 5.4 5.5 6.1 6.2 6.3 8.1 8.2 8.3 8.4',
  ],
  7: ['2.1 2.2 2.3 2.4 4.1 4.2', '1.1 1.2 1.3 3.1 3.2 4.3 4.4 4.5 5.1 5.2 6.1 6.2'],
  8: ['1.1 2.1 2.2 3.1', '1.2 2.3 4.1'],
  9: ['1.1 1.2 1.3 2.1', '2.2 2.3 2.4'],
  10: [
    '4.1 4.2 4.3 4.4 4.5',
    '1.1 1.2 2.1 2.2 3.1 3.2 3.3 3.4 4.6 4.7 4.8 4.9 4.10 4.11 5.1 5.2 5.3 5.4 5.5 6.1 6.2 7.1 7.2 7.3',
  ],
  11: ['3.1 3.2 4.1', '1.1 1.2 2.1 2.2 2.3 3.3 4.2 4.3 4.4 5.1 6.1'],
  12: ['1.1 2.1 2.2', '1.2 1.3 3.1 3.2 3.3 3.4'],
  13: ['4.1', '1.1 2.1 2.2 2.3 2.4 2.5 3.1 3.2 4.2 4.3 4.4 4.5'],
  14: ['2.1 3.1', '1.1 1.2 2.2 2.3 2.4 3.2 3.3'],
  15: ['1.1 2.1 3.1', '1.2 1.3 2.2 2.3 3.2 3.3 3.4 3.5 3.6 3.7'],
  16: ['', '1.1 2.1 2.2 2.3 2.4 2.5 3.1 3.2 3.3 3.4 4.1 4.2 4.3 5.1 5.2 5.3'],
  17: ['', '1.1 2.1 2.2 2.3 2.4 3.1 3.2'],
}

/** The criteria of WCAG 2.2. */
const LEVEL_A =
  '1.1.1 1.2.1 1.2.2 1.2.3 1.3.1 1.3.2 1.3.3 1.4.1 1.4.2 2.1.1 2.1.2 2.1.4 2.2.1 2.2.2 2.3.1 2.4.1 2.4.2 2.4.3 2.4.4 2.5.1 2.5.2 2.5.3 2.5.4 3.1.1 3.2.1 3.2.2 3.2.6 3.3.1 3.3.2 3.3.7 4.1.2'
const LEVEL_AA =
  '1.2.4 1.2.5 1.3.4 1.3.5 1.4.3 1.4.4 1.4.5 1.4.10 1.4.11 1.4.12 1.4.13 2.4.5 2.4.6 2.4.7 2.4.11 2.5.7 2.5.8 3.1.2 3.2.3 3.2.4 3.3.3 3.3.4 3.3.8 4.1.3'

const ANSWERS = [
  'tested',
  'tested, with a gap',
  'documented',
  'by design',
  'by hand',
  'of the operator',
  'does not apply',
  'not met',
]

it('the tests that are skipped with several instances exist', () => {
  const missing = Object.keys(ONE_INSTANCE_ONLY).filter(key => {
    const [file = '', name] = key.split(' > ')
    if (!existsSync(join(root, 'tests', file))) return true
    return name !== undefined && !listTests(read(`tests/${file}`)).some(full => isNamed(full, name))
  })
  expect(missing).toEqual([])
})

describe('the ASVS page', () => {
  const page = 'docs/internal/assurance.md'
  const rows = sectionsOf(page).flatMap(({ title, lines }) =>
    lines
      .filter(([id = '']) => /^[\d.]+$/.test(id))
      .map(([id = '', level, asks, kind, evidence]) => ({
        id,
        place: `${/^V(\d+) /.exec(title)?.[1]}: ${level}`,
        asks,
        kind,
        evidence,
      })),
  )

  it('lists each of the 253 requirements of levels 1 and 2 once, in its chapter', () => {
    const wanted = Object.entries(ASVS).flatMap(([chapter, levels]) =>
      levels.flatMap((ids, index) =>
        split(ids).map(id => ({ id: `${chapter}.${id}`, place: `${chapter}: ${index + 1}` })),
      ),
    )
    expect(wanted).toHaveLength(253)
    expect(sorted(rows.map(({ id, place }) => ({ id, place })))).toEqual(sorted(wanted))
  })

  it('has an answer for every requirement', () => {
    expect(rows.flatMap(row => answerFaults(page, row))).toEqual([])
  })

  it('lists what is missing: the requirements that are not met or have a gap', () => {
    const missing = [...read(page).matchAll(/^- (\d+\.\d+\.\d+) /gm)].map(([, id]) => id)
    const open = rows.filter(({ kind, evidence }) => kind === 'not met' || evidence?.includes('<br>but: '))
    expect(missing).toEqual(open.map(({ id }) => id))
  })
})

describe('the WCAG page', () => {
  const page = 'docs/internal/accessibility.md'
  const rows = sectionsOf(page).map(({ lines }) =>
    lines
      .filter(([id = '']) => /^[\d.]+$/.test(id))
      .map(([id = '', asks, kind, evidence]) => ({ id, asks, kind, evidence })),
  )

  it('lists each WCAG 2.2 criterion of levels A and AA once', () => {
    expect(rows.map(its => its.map(({ id }) => id).toSorted())).toEqual([
      split(LEVEL_A).toSorted(),
      split(LEVEL_AA).toSorted(),
    ])
    expect(rows.flat()).toHaveLength(55)
  })

  it('has an answer for every criterion', () => {
    expect(rows.flat().flatMap(row => answerFaults(page, row))).toEqual([])
  })
})

describe('the promises of SECURITY.md', () => {
  const [, promised = ''] = read('SECURITY.md')
    .split(/^## .*$/m)
    .slice(1)
  const points = [...promised.matchAll(/^- \*\*(.+?)\.?\*\*/gm)].map(([, beginning = '']) => beginning)
  const page = 'docs/internal/assurance.md'
  const [{ lines } = { lines: [] }] = sectionsOf(page).filter(({ title }) => title === 'What SECURITY.md promises')
  // The head of the table and the line below it come first.
  const rows = lines.slice(2)

  it('are each covered by existing tests that run', () => {
    expect(points.length).toBeGreaterThan(30)
    expect(rows.map(([promise = '']) => plain(promise))).toEqual(points)
    const faults = rows.flatMap(([id = '', evidence]) => answerFaults(page, { id, asks: id, kind: 'tested', evidence }))
    expect(faults).toEqual([])
  })

  it('are the only content of their section', () => {
    expect(promised.split('\n').filter(line => line && !line.startsWith('- **'))).toEqual([])
  })
})

interface Row {
  id: string
  asks?: string
  kind?: string
  evidence?: string
}

/** The sections of a page, each with the cells of the lines of its table. */
function sectionsOf(page: string): { title: string; lines: string[][] }[] {
  const sections = read(page).split(/^## /m).slice(1)
  return sections.map(section => {
    const [title = '', ...lines] = section.split('\n')
    const rows = lines.filter(line => line.startsWith('| '))
    return { title, lines: rows.map(line => line.slice(2, -2).split(' | ')) }
  })
}

/** What is wrong with the answer of a row, as sentences that start with its number. */
function answerFaults(page: string, { id, asks, kind = '', evidence = '' }: Row): string[] {
  const [places = '', gap] = evidence.split('<br>but: ')
  const hasGap = kind === 'tested, with a gap' || (kind === 'documented' && gap !== undefined)
  const faults = [
    ...(asks && evidence && ANSWERS.includes(kind) ? [] : ['has no answer']),
    ...(hasGap === (gap !== undefined) ? [] : ['has a gap that its answer does not name']),
    ...(kind.startsWith('tested') ? places.split('<br>').flatMap(place => testFaults(page, place)) : []),
    ...(kind === 'documented' ? places.split(', ').flatMap(place => documentFaults(page, place)) : []),
  ]
  return faults.map(fault => `${id}: ${fault}`)
}

/** A place is a link to a file and the title of exactly one test of `npm test`. */
function testFaults(page: string, place: string): string[] {
  const [, label, link, title = ''] = /^\[([^\]]+)\]\(([^)]+)\) «(.+)»$/.exec(place) ?? []
  if (!link) return [`is no test: ${place}`]
  if (link.includes('.slow.')) return [`npm test leaves out ${link}`]
  const file = join(dirname(page), link)
  if (!existsSync(join(root, file))) return [`there is no ${file}`]
  if (label !== file.replace(/^packages\/|tests\//g, '')) return [`${label} names another file than ${file}`]
  const found = testsIn(file).filter(full => isNamed(full, plain(title))).length
  return found === 1 ? [] : [`${found} tests of ${file} are called «${plain(title)}»`]
}

function documentFaults(page: string, place: string): string[] {
  const [, label, link] = /^\[([^\]]+)\]\(([^)]+)\)$/.exec(place) ?? []
  const target = link && join(dirname(page), link)
  return target && target === label && isThere(target) ? [] : [`there is no ${place}`]
}

const known = new Map<string, string[]>()
function testsIn(file: string): string[] {
  const names = known.get(file) ?? listTests(read(file))
  known.set(file, names)
  return names
}

/** The text of a cell without the escapes of Markdown. */
const plain = (cell: string): string =>
  cell
    .split('`')
    .map((part, index) => (index % 2 === 1 ? part : part.replace(/\\([_*|[\]\\])/g, '$1').replaceAll('&lt;', '<')))
    .join('`')

const split = (ids: string): string[] => ids.split(' ').filter(Boolean)
const sorted = <Item extends { id: string }>(items: Item[]): Item[] =>
  items.toSorted((a, b) => a.id.localeCompare(b.id))

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
