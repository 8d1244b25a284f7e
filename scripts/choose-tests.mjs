// Which test files a change can break, and which ones words name.
import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { samplePlace } from './sample.mjs'

const SOURCES = '{app,bench,layers,modules,scripts,server,shared,tests}/**/*.{ts,tsx,vue,mjs}'
const ALIASES = [
  ['#fairway/', 'layers/fairway/'],
  ['#fw', 'layers/fairway/server/fw'],
  ['~~/', `${samplePlace}/`],
  ['~/', `${samplePlace}/app/`],
]
const ENDINGS = ['', '.ts', '.tsx', '.vue', '.mjs', '/index.ts']
const SPECIFIER = /(?:from|import|import\()\s*['"]([^'"]+)['"]/g
const LITERAL = /['"`]((?:\.\.?\/)*[\w.-]+(?:\/[\w.[\]-]+)+)['"`]/g

/** What everything depends on, without saying so in an import. */
const GROUND =
  /^((layers\/fairway\/)?package(-lock)?\.json|(layers\/fairway\/)?nuxt\.config\.ts|(vitest|playwright)\.config\.ts|(tests\/)?tsconfig\.json)$/
/** What puts all domains together: whoever has the whole application in hand does not thereby test each part of it. */
const COMPOSED = /^layers\/fairway\/(server\/(compose|fw|fw-tables|schema)|testing\/test-app)\.ts$/
/** What the built server is made of. */
const BUILT =
  /^(layers\/fairway\/|tests\/fixtures\/sample\/)?((server|shared|modules|drizzle|public)\/|fw\.config\.ts$)/
/** What an author's project is made of. */
const PACKED = /^layers\/fairway\/(modules|cli)\//
const PAGES = /^(layers\/fairway\/|tests\/fixtures\/sample\/)?app\//
/** How a test asks for a page of the application. */
const ASKS_FOR_PAGE = /(get|goto|fetch)\([^)]*['"`/]\/?(about|notes|team|settings|connect|tools|audit|security)?['"`?]/

/** The test files of a checkout: `{ suite: 'unit' | 'http' | 'e2e' | 'starter', path }`. */
export function listTests(root) {
  const find = (suite, pattern) => globSync(pattern, { cwd: root }).map(path => ({ suite, path: normalize(path) }))
  return [
    ...find('unit', 'tests/{unit,architecture}/**/*.test.ts'),
    // The released clients beside the sequences are for `npm run hosts`.
    ...find('http', '{tests/http/**/*.test.ts,tests/hosts/sequences.test.ts}'),
    ...find('e2e', 'tests/e2e/**/*.spec.ts'),
    // The long form, which installs packages, is for `npm run test:starter`.
    ...find('starter', 'tests/starter/{short,tutorial}.test.ts'),
  ].toSorted((a, b) => (a.path < b.path ? -1 : 1))
}

/** The tests whose path or whose text in a `test`, `it` or `describe` has one of these words, in any case. */
export function testsNamed(root, words) {
  const wanted = words.map(word => word.toLowerCase())
  const names = text => [...text.matchAll(/(?:describe|it|test)[\w.]*\(\s*(['"`])(.+?)\1/g)].map(([, , name]) => name)
  return listTests(root).filter(({ path }) => {
    const texts = [path, ...names(readFileSync(join(root, path), 'utf8'))].map(text => text.toLowerCase())
    return wanted.some(word => texts.some(text => text.includes(word)))
  })
}

/**
 * The tests that a change of these files can break: all that reach one of them by imports and by paths in their text. Tests of the
 * built server take in all of its sources, so a change of those asks for them only when `isBuilt`: a build takes a minute.
 */
export function testsOf(root, changed, { isBuilt = false } = {}) {
  const tests = listTests(root)
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
    if (suite === 'unit') return reached.has(path)
    if (reachedFromOutside.has(path)) return true
    if (suite === 'starter') return isBuilt && changed.some(path => PACKED.test(path))
    return server || (pages && (suite === 'e2e' || ASKS_FOR_PAGE.test(readFileSync(join(root, path), 'utf8'))))
  })
}

/** Every file that imports one of these, or names its path, however many steps away; with these themselves. */
function reachedBy(root, changed) {
  const importers = new Map()
  for (const path of globSync(SOURCES, {
    cwd: root,
    exclude: ['**/node_modules/**', '**/.nuxt*/**', '**/.output/**'],
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
  return ENDINGS.map(ending => normalize(base + ending)).find(path => isFile(join(root, path)))
}

const isFile = path => existsSync(path) && statSync(path).isFile()
