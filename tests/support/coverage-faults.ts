import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isNamed, listTests } from './list-tests'

const PATHS = /^`[^`]+`(, `[^`]+`)*$/
const REFERENCE = '`[^`]+` «[^»]+»(?:, «[^»]+»)*'
const REFERENCES = new RegExp(`^${REFERENCE}(?:; ${REFERENCE})*$`)
const STATE = /^done$|^(part|open): \S/
const HEAD = ['rule', 'code', 'tests', 'state']

/** The faults of the rule table in docs/internal/spec-coverage.md, as sentences. That document's head explains how to write rows. */
export function coverageFaults(document: string, root: string): string[] {
  const lines = document.split('\n')
  const rows = lines.flatMap(line => (line.startsWith('|') ? [readCells(line)] : []))
  const headings = lines.filter(line => line.startsWith('#'))
  const rules = rows.filter(cells => !isHead(cells))
  return [
    ...repeated(headings).map(heading => `stands there twice: ${heading}`),
    ...repeated(rules.map(([rule = '']) => rule)).map(rule => `stands there twice: ${rule}`),
    ...(rules.length === 0 ? ['has no rules'] : []),
    ...rules.flatMap(cells => rowFaults(cells, root).map(fault => `${cells[0]}: ${fault}`)),
  ]
}

/** The cells of a line that starts with a bar. Text after the final bar is a cell too, so it is also checked. */
function readCells(line: string): string[] {
  const cells = line.split('|').map(cell => cell.trim())
  return cells.slice(1, cells.at(-1) === '' ? -1 : undefined)
}

const isHead = (cells: readonly string[]): boolean =>
  cells.every(cell => /^-+$/.test(cell)) || cells.join() === HEAD.join()

function rowFaults(cells: readonly string[], root: string): string[] {
  const [rule = '', code = '', tests = '', state = ''] = cells
  if (cells.length !== HEAD.length) return [`has ${cells.length} columns`]
  const nothingYet = state.startsWith('open:')
  return [
    ...(rule ? [] : ['says nothing']),
    ...(STATE.test(state) ? [] : [`has the state «${state}»`]),
    ...(nothingYet && code === 'none' ? [] : codeFaults(code, root)),
    ...(nothingYet && tests === 'none' ? [] : testFaults(tests, root)),
  ]
}

function codeFaults(code: string, root: string): string[] {
  if (!PATHS.test(code)) return [`its code is no list of paths: ${code}`]
  return [...code.matchAll(/`([^`]+)`/g)].flatMap(([, path = '']) =>
    existsSync(join(root, path)) ? [] : [`there is no ${path}`],
  )
}

function testFaults(tests: string, root: string): string[] {
  if (!REFERENCES.test(tests)) return [`its tests are no list of paths with titles: ${tests}`]
  return [...tests.matchAll(new RegExp(REFERENCE, 'g'))].flatMap(([reference]) => {
    const path = reference.split('`')[1] ?? ''
    if (!/^(packages\/\w+\/)?tests\/.+\.(test|spec)\.ts$/.test(path) || !existsSync(join(root, path)))
      return [`there is no test ${path}`]
    const names = testsAndGroups(readFileSync(join(root, path), 'utf8'))
    return [...reference.matchAll(/«([^»]+)»/g)].flatMap(([, title = '']) => {
      const found = names.filter(name => isNamed(name, title)).length
      return found === 1 ? [] : [`${found} tests or groups of ${path} are called «${title}»`]
    })
  })
}

/** The full names of the tests in a source text that run, and of the groups that contain any of them. */
function testsAndGroups(source: string): string[] {
  const tests = listTests(source)
  const groups = tests.flatMap(name => {
    const path = name.split(' › ').slice(0, -1)
    return path.map((_, depth) => path.slice(0, depth + 1).join(' › '))
  })
  return [...tests, ...new Set(groups)]
}

const repeated = (texts: readonly string[]): string[] => [
  ...new Set(texts.filter((text, index) => texts.indexOf(text) !== index)),
]
