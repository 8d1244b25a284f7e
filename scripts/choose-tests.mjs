// Selects the test files that a change can break, or that match given words.
import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { samplePlace } from './sample.mjs'

const SOURCES = '{app,bench,layers,modules,packages,scripts,server,shared,tests}/**/*.{ts,tsx,vue,mjs}'
const ALIASES = [
  ['#fairway/', 'layers/fairway/'],
  ['#fw', 'layers/fairway/server/fw'],
  ['nuxt-fairway/desktop-wire', 'layers/fairway/shared/desktop-wire'],
  ['nuxt-fairway-desktop', 'packages/desktop/src'],
  ['~~/', `${samplePlace}/`],
  ['~/', `${samplePlace}/app/`],
]
const ENDINGS = ['', '.ts', '.tsx', '.vue', '.mjs', '/index.ts']
const SPECIFIER = /(?:from|import|import\()\s*['"]([^'"]+)['"]/g
const LITERAL = /['"`]((?:\.\.?\/)*[\w.-]+(?:\/[\w.[\]-]+)+)['"`]/g

/** Files that everything depends on without an import. */
const GROUND =
  /^(((layers\/fairway|packages\/\w+)\/)?package(-lock)?\.json|(layers\/fairway\/)?nuxt\.config\.ts|(vitest|playwright)\.config\.ts|(tests\/)?tsconfig\.json)$/
/** The compiled command line, whose files are named after their sources (scripts/compile-cli.mjs). */
const COMPILED = 'layers/fairway/dist/cli/'
/**
 * Files that compose all domains. A test that imports one does not test each domain, so changes do not propagate through them.
 */
const COMPOSED = /^layers\/fairway\/(server\/(compose|fw|fw-tables|schema)|testing\/test-app)\.ts$/
/** The sources of the built server. */
const BUILT =
  /^(layers\/fairway\/|tests\/fixtures\/sample\/)?((server|shared|modules|drizzle|public)\/|fw\.config\.ts$)/
/** The sources of an author's project. */
const PACKED = /^layers\/fairway\/(modules|cli)\//
const PAGES = /^(layers\/fairway\/|tests\/fixtures\/sample\/)?app\//
/** Matches a test's request for a page of the application. */
const ASKS_FOR_PAGE = /(get|goto|fetch)\([^)]*['"`/]\/?(about|notes|team|settings|connect|tools|audit|security)?['"`?]/

/** The name of a file whose tests are slow by nature: only `npm run test:everything` runs it, or who asks for it by name. */
export const SLOW = /\.slow\.(test|spec)\.ts$/

/**
 * Returns the test files of a checkout: `{ suite, path }`, with one of SUITES. Slow files and the desktop program in its windows are
 * left out unless `everything` is set.
 */
export function listTests(root, { everything = false } = {}) {
  const find = (suite, pattern) => globSync(pattern, { cwd: root }).map(path => ({ suite, path: normalize(path) }))
  return [
    ...find('unit', '{tests/{unit,architecture,requests},packages/*/tests/unit}/**/*.test.ts'),
    // `npm run hosts` runs the released clients beside the sequences.
    ...find('http', '{tests/http/**/*.test.ts,tests/hosts/sequences.test.ts}'),
    ...find('components', 'tests/components/**/*.test.ts'),
    ...find('e2e', 'tests/e2e/**/*.spec.ts'),
    ...find('desktop', 'packages/desktop/tests/e2e/*.spec.ts'),
    ...find('starter', 'tests/starter/*.test.ts'),
  ]
    .filter(({ suite, path }) => everything || !(SLOW.test(path) || suite === 'desktop'))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1))
}

/** The suites, in the order of `npm test`. */
export const SUITES = ['unit', 'http', 'components', 'starter', 'e2e', 'desktop']

/** Returns the tests with one of these words in their path or in the title of a `test`, `it` or `describe`, ignoring case. */
export function testsNamed(root, words) {
  const wanted = words.map(word => word.toLowerCase())
  const names = text => [...text.matchAll(/(?:describe|it|test)[\w.]*\(\s*(['"`])(.+?)\1/g)].map(([, , name]) => name)
  return listTests(root, { everything: true }).filter(({ path }) => {
    const texts = [path, ...names(readFileSync(join(root, path), 'utf8'))].map(text => text.toLowerCase())
    return wanted.some(word => texts.some(text => text.includes(word)))
  })
}

/**
 * Returns the tests that a change of these files can break: all that reach one of them through imports or paths in their text.
 * Tests of the built server and of requests depend on all of its sources, so a change there selects them only with `isBuilt`: a
 * build takes a minute.
 */
export function testsOf(root, changed, { isBuilt = false } = {}) {
  const tests = listTests(root, { everything: true }).filter(({ path }) => !SLOW.test(path) || changed.includes(path))
  if (changed.some(path => GROUND.test(path))) return tests.filter(({ suite }) => isBuilt || suite === 'unit')
  const reached = reachedBy(root, changed)
  const reachedFromOutside = reachedBy(
    root,
    changed.filter(path => !BUILT.test(path)),
  )
  const server = isBuilt && changed.some(path => BUILT.test(path))
  const pages = isBuilt && changed.some(path => PAGES.test(path))
  return tests.filter(({ suite, path }) => {
    if (path.startsWith('tests/architecture/')) return true
    if (suite === 'unit') return reached.has(path) || (server && path.startsWith('tests/requests/'))
    if (reachedFromOutside.has(path)) return true
    if (suite === 'desktop') return false
    if (suite === 'starter') return isBuilt && changed.some(path => PACKED.test(path))
    return (
      server ||
      (pages && (['components', 'e2e'].includes(suite) || ASKS_FOR_PAGE.test(readFileSync(join(root, path), 'utf8'))))
    )
  })
}

/** Returns these files and every file that imports them or names their paths, directly or indirectly. */
function reachedBy(root, changed) {
  const importers = new Map()
  for (const path of globSync(SOURCES, {
    cwd: root,
    exclude: ['**/node_modules/**', '**/.nuxt*/**', '**/.output/**', `${COMPILED}**`],
  }).map(normalize)) {
    for (const target of targetsOf(root, path)) importers.set(target, [...(importers.get(target) ?? []), path])
  }
  const reached = new Set(changed)
  for (const path of reached)
    if (!COMPOSED.test(path)) for (const importer of importers.get(path) ?? []) reached.add(importer)
  return reached
}

function targetsOf(root, path) {
  const text = readFileSync(join(root, path), 'utf8')
  const imported = [...text.matchAll(SPECIFIER)].map(([, specifier]) => resolveImport(root, path, specifier))
  const named = [...text.matchAll(LITERAL)].flatMap(([, literal]) => [
    literal.replace(/^(\.\.?\/)+/, ''),
    normalize(join(dirname(path), literal)),
  ])
  return new Set([...imported, ...named.filter(target => isFile(join(root, target)))].filter(Boolean))
}

function resolveImport(root, from, specifier) {
  const alias = ALIASES.find(([name]) => specifier.startsWith(name))
  if (!alias && !specifier.startsWith('.')) return undefined
  const base = alias ? alias[1] + specifier.slice(alias[0].length) : join(dirname(from), specifier)
  const source = base.startsWith(COMPILED)
    ? `layers/fairway/${base.slice(COMPILED.length, -'.mjs'.length).replaceAll('--', '/')}`
    : base
  return ENDINGS.map(ending => normalize(source + ending)).find(path => isFile(join(root, path)))
}

const isFile = path => existsSync(path) && statSync(path).isFile()
