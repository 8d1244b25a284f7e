// `fw remove sample`: moves the sample from the root into tests/fixtures, where the tests still run against it, and leaves an
// empty application in the root. `--dry-run` only prints the changes; `--force` also runs with uncommitted changes.
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { SAMPLE_HOME, samplePlace } from './sample.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const PLACES = ['app', 'server', 'shared', 'public', 'locales', 'drizzle', 'fw.config.ts']
/** Files that both applications need, with their references to the platform. */
const COPIES = ['nuxt.config.ts', 'drizzle.config.ts']
/** Generated from the sample; the next command generates them again. */
const MADE = ['.nuxt', '.nuxt-build', '.output', '.output-bench']

const NEW_FILES = {
  'fw.config.ts': `import { defineFwConfig } from '#fw'\n\nexport default defineFwConfig({ name: 'Fairway' })\n`,
  // Without this folder Nuxt treats the whole repository as the application's pages and components.
  'app/pages/.gitkeep': '',
  [`${SAMPLE_HOME}/tsconfig.json`]: `${JSON.stringify(
    {
      files: [],
      references: ['app', 'server', 'shared', 'node'].map(name => ({ path: `./.nuxt/tsconfig.${name}.json` })),
    },
    null,
    2,
  )}\n`,
}

/** Replacements in texts: file, old text, new text. */
const EDITS = [
  [
    `${SAMPLE_HOME}/nuxt.config.ts`,
    /^\/\/.*\n/,
    '// The sample application, which the tests of the platform run against.\n',
  ],
  [
    `${SAMPLE_HOME}/nuxt.config.ts`,
    /defineNuxtConfig\(\{(.*?)\}\)/s,
    (_all, own) =>
      `defineNuxtConfig({ extends: ['../../../layers/fairway'],${own.trim() ? own : ' '}})`.replace(', }', ' }'),
  ],
  ['tests/tsconfig.json', /"\.\.\/\.nuxt\//g, '"./fixtures/sample/.nuxt/'],
  [
    'tests/tsconfig.json',
    '"./components"]',
    '"./components", "./fixtures/sample/app", "./fixtures/sample/server", "./fixtures/sample/*.ts"]',
  ],
  ['tests/unit/app/tsconfig.json', /"\.\.\/\.\.\/\.\.\/\.nuxt\//g, '"../../fixtures/sample/.nuxt/'],
  [
    'tsconfig.json',
    '    { "path": "./tests/tsconfig.json" }',
    ['app', 'server', 'shared']
      .map(name => `    { "path": "./${SAMPLE_HOME}/.nuxt/tsconfig.${name}.json" },\n`)
      .join('') + '    { "path": "./tests/tsconfig.json" }',
  ],
  [
    'knip.json',
    '"tests/**/*.{ts,mjs}"',
    `"tests/**/*.{ts,mjs}",\n        "${SAMPLE_HOME}/app/**/*.vue",\n        "!${SAMPLE_HOME}/.nuxt/**"`,
  ],
  [
    'knip.json',
    '["{app,server,scripts,bench,tests}/**/*.{ts,tsx,vue,mjs}"]',
    `[
        "{app,server,scripts,bench,tests}/**/*.{ts,tsx,vue,mjs}",
        "!${SAMPLE_HOME}/.nuxt/**"
      ]`,
  ],
  [
    'package.json',
    'The sample application of Fairway, and what proves the platform.',
    'An application on Fairway, and what proves the platform.',
  ],
  [
    'ARCHITECTURE.md',
    'the sample application, exactly what an author owns: it knows',
    'the application, exactly what an author owns: it knows',
  ],
  [
    'ARCHITECTURE.md',
    'the workshop: what proves the whole',
    `the workshop: what proves the whole, with the sample application (${SAMPLE_HOME})`,
  ],
  ['CONTRIBUTING.md', 'changed tables of the sample into', 'changed tables of the application into'],
  ['CONTRIBUTING.md', 'of the sample: a file in `server/database`', 'of the application: a file in `server/database`'],
  ['docs/storage-schema.md', /^\| `notes` \|.*\n/m, ''],
]

const force = process.argv.includes('--force')
const dryRun = process.argv.includes('--dry-run')
const git = (...args) => execFileSync('git', args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] }).toString()
const read = path => readFileSync(join(root, path), 'utf8')
const listOf = text => text.split('\n').filter(Boolean)

function stop(reason) {
  console.error(reason)
  process.exit(1)
}

if (samplePlace !== '.') stop(`The sample has left the root already: it lies in ${SAMPLE_HOME}.`)
const files = listOf(git('ls-files', '--cached', '--others', '--exclude-standard')).filter(path =>
  existsSync(join(root, path)),
)
const moved = files.filter(path => PLACES.some(place => path === place || path.startsWith(`${place}/`)))
const changed = plannedTexts()
report()
if (dryRun) process.exit(0)
const uncommitted = listOf(git('status', '--porcelain'))
if (uncommitted.length > 0 && !force)
  stop(`${uncommitted.length} files have changes that are not committed. Commit them first, or give --force.`)
apply()
console.log(
  '\nDone, and nothing is committed: `git status` shows it. `npm test` tries the platform with the sample at its new place.',
)

/** Returns the new text of each changed file, by its path after the move. */
function plannedTexts() {
  const texts = new Map(COPIES.map(path => [`${SAMPLE_HOME}/${path}`, read(path)]))
  const textOf = path => texts.get(path) ?? read(path)
  for (const [path, before, after] of EDITS) {
    const text = textOf(path).replace(before, after)
    if (text === textOf(path))
      stop(`${path}: “${before}” does not stand there, so this command does not know what to write.`)
    texts.set(path, text)
  }
  for (const path of files.filter(isDocument)) {
    const text = withNewPaths(textOf(path), path)
    if (text !== textOf(path)) texts.set(path, text)
  }
  for (const [path, text] of Object.entries(NEW_FILES)) texts.set(path, text)
  return texts
}

/** Whether a file names files of the sample by their path from the root. */
function isDocument(path) {
  return path.endsWith('.md') && path !== 'CHANGELOG.md'
}

function withNewPaths(text, document) {
  return pathsIn(document).reduce((now, path) => {
    const alone = new RegExp(`(?<=[\`(])((?:\\.\\./)*)${path.replaceAll('.', '\\.')}(?=[\`)#])`, 'g')
    return now.replace(alone, `$1${SAMPLE_HOME}/${path}`)
  }, text)
}

/**
 * Returns the sample's paths to replace in a document. A path that the platform also has is ambiguous and stays, except in
 * docs/internal/spec-coverage.md, where it means the sample.
 */
function pathsIn(document) {
  const own = moved.filter(path => path.includes('/'))
  if (document !== 'docs/internal/spec-coverage.md')
    return own.filter(path => !existsSync(join(root, 'layers/fairway', path)))
  const folders = own.map(dirname).filter(path => path.includes('/'))
  return [...new Set([...own, ...folders, ...folders.map(dirname).filter(path => path.includes('/'))])]
}

function report() {
  const verb = dryRun ? 'would ' : ''
  console.log(`${verb}move to ${SAMPLE_HOME}:`)
  for (const path of moved) console.log(`  ${path}`)
  console.log(`${verb}write:`)
  for (const path of changed.keys()) console.log(`  ${path}`)
  const made = MADE.filter(path => existsSync(join(root, path)))
  if (made.length > 0) console.log(`${verb}go, until the next command makes it anew:\n  ${made.join('\n  ')}`)
}

function apply() {
  const write = (path, text) => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  mkdirSync(join(root, SAMPLE_HOME), { recursive: true })
  for (const place of PLACES) {
    if (existsSync(join(root, place))) renameSync(join(root, place), join(root, SAMPLE_HOME, place))
  }
  for (const path of COPIES) cpSync(join(root, path), join(root, SAMPLE_HOME, path))
  for (const [path, text] of changed) write(path, text)
  const formatted = [...changed.keys()].filter(path => /\.(json|ts)$/.test(path))
  const shell = process.platform === 'win32'
  execFileSync(join(root, 'node_modules/.bin/oxfmt'), formatted, { cwd: root, stdio: 'ignore', shell })
  for (const path of MADE) rmSync(join(root, path), { recursive: true, force: true })
}
