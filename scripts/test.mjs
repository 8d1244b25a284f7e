// `npm test`: everything that must hold before a change lands; ends with the plain line `N passed, N failed`.
// With words it runs the test files that match; with --changed [commit] those that the change since then can break, of the built
// server and the browser only with --built as well.
import { execFileSync } from 'node:child_process'
import { accessSync, chmodSync, constants, mkdirSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildOnce } from './build.mjs'
import { listTests, testsNamed, testsOf } from './choose-tests.mjs'
import { authorPlace } from './sample.mjs'
import { checks, prepare, runChecks, runStep } from './steps.mjs'

/** The check that takes longest, and what it looks at. */
const PAGES = 'types of pages'
const isOfPages = path => /\.vue$|\/(app|shared)\/|^(app|shared)\/|nuxt\.config|\.json$/.test(path)
const began = performance.now()
const reports = 'test-results/reports'
const scratch = mkdtempSync(join(scratchPlace(), 'fairway-tests-'))
// A process that has given up being root goes through it; what lies inside says itself who may look.
chmodSync(scratch, 0o711)
process.on('exit', () => rmSync(scratch, { recursive: true, force: true, maxRetries: 3 }))
rmSync(reports, { recursive: true, force: true })
mkdirSync(reports, { recursive: true })

const { chosen, withChecks, withConformance } = choose(process.argv.slice(2))
const results = { passed: 0, failed: 0 }
if (chosen.length === 0) {
  console.log('no test file matches')
  process.exit(1)
}
const filesOf = suite => chosen.filter(test => test.suite === suite).map(test => test.path)

const needsBuild = withConformance || ['http', 'e2e'].some(name => filesOf(name).length > 0)
const needsAuthor = chosen.some(({ path }) => readFileSync(path, 'utf8').includes("application: 'author'"))
// Types and the build use one processor each, so everything of this round goes on at the same time.
const [built] = await Promise.all([needsBuild ? buildAll() : undefined, checksAndUnit()])
if (built) await onTheBuild(built)
console.log(`all in ${((performance.now() - began) / 1000).toFixed(0)} s`)
console.log(`${results.passed} passed, ${results.failed} failed`)
process.exit(results.failed === 0 && results.passed > 0 ? 0 : 1)

/** Memory where there is enough of it: hundreds of small databases are written, and nothing of them is kept. */
function scratchPlace() {
  try {
    accessSync('/dev/shm', constants.W_OK)
    const { bavail, bsize } = statfsSync('/dev/shm')
    return bavail * bsize > 4 * 2 ** 30 ? '/dev/shm' : tmpdir()
  } catch {
    return tmpdir()
  }
}

/** What to run, and says what is left out. */
function choose(given) {
  const isBuilt = given.includes('--built')
  const [first, ...rest] = given.filter(word => word !== '--built')
  const all = listTests('.')
  if (first === undefined) return { chosen: all, withChecks: checks.map(([name]) => name), withConformance: true }
  const changed = first === '--changed' ? changedSince(rest[0] ?? defaultBase()) : undefined
  const found = changed ? testsOf('.', changed, { isBuilt }) : testsNamed('.', [first, ...rest])
  const withConformance = found.some(({ path }) => /\/mcp[.-]/.test(path))
  if (changed)
    console.log(
      `${changed.length} changed files: ${changed.slice(0, 10).join(', ')}${changed.length > 10 ? ', …' : ''}`,
    )
  const left = ['unit', 'http', 'e2e', 'starter'].map(suite => {
    const of = tests => tests.filter(test => test.suite === suite).length
    return `${of(all) - of(found)} of ${of(all)} ${suite} files`
  })
  if (!changed) left.push('the checks (npm run check)')
  if (!withConformance) left.push('conformance')
  console.log(`left out: ${left.join(', ')}`)
  if (changed && !isBuilt) console.log('what needs a build is left out: npm run test:changed -- --built, or npm test')
  const withChecks = changed && checks.map(([name]) => name).filter(name => name !== PAGES || changed.some(isOfPages))
  return { chosen: found, withChecks, withConformance }
}

function git(...args) {
  return execFileSync('git', args, { stdio: ['ignore', 'pipe', 'ignore'] })
    .toString()
    .trim()
}

/** Where this branch left the main one, or the last commit. */
function defaultBase() {
  try {
    return git('merge-base', 'HEAD', 'origin/main')
  } catch {
    return 'HEAD'
  }
}

function changedSince(base) {
  const listed = [git('diff', '--name-only', base), git('ls-files', '--others', '--exclude-standard')]
  return listed.flatMap(text => text.split('\n')).filter(Boolean)
}

/** The sample, then the application of an author where a test asks for it. */
async function buildAll() {
  const built = await buildOnce()
  return built.ok && needsAuthor ? [built, await buildOnce(authorPlace)] : [built]
}

async function checksAndUnit() {
  const prepared = await prepare()
  count([prepared])
  const files = filesOf('unit')
  if (!prepared.ok) return
  await Promise.all([
    withChecks && runChecks(withChecks).then(count),
    files.length > 0 && suite('unit', 'vitest', vitest('unit', files), 'unit.json'),
  ])
}

async function onTheBuild(built) {
  count(built)
  if (built.some(({ ok }) => !ok)) return
  const http = filesOf('http')
  if (http.length > 0) await suite('http', 'vitest', vitest('http', http), 'http.json')
  if (withConformance) await counted('conformance', 'scripts/conformance.mjs')
  if (filesOf('starter').length > 0) await counted('starter', 'scripts/starter.mjs', 'short')
  const e2e = filesOf('e2e')
  const env = { PLAYWRIGHT_JSON_OUTPUT_NAME: `${reports}/e2e.json` }
  if (e2e.length > 0) await suite('e2e', 'playwright', ['test', ...e2e, '--reporter', 'list,json'], 'e2e.json', env)
}

/** One test runner with a JSON report beside its output. */
async function suite(name, command, args, file, env = {}) {
  const result = await runStep(name, command, args, { env: { TMPDIR: scratch, ...env } })
  const counts = readCounts(`${reports}/${file}`)
  // A runner that fails without a failed test (a crash, no test found) counts as one failure.
  if (!result.ok && counts.failed === 0) counts.failed = 1
  if (counts.passed + counts.failed === 0) counts.failed = 1
  add(name, counts)
}

/** A script that says its counts in its last line: the protocol's own suite, the project of an author. */
async function counted(name, ...script) {
  const result = await runStep(name, 'node', script, { env: { TMPDIR: scratch } })
  const [, passed = 0, failed = 1] = /(\d+) passed, (\d+) failed\s*$/.exec(result.output) ?? []
  add(name, { passed: Number(passed), failed: Number(failed) })
}

function add(name, { passed, failed, skipped = 0 }) {
  console.log(`  ${name}: ${passed} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ''}`)
  results.passed += passed
  results.failed += failed
}

function count(steps) {
  results.passed += steps.filter(step => step.ok).length
  results.failed += steps.filter(step => !step.ok).length
}

function readCounts(path) {
  try {
    const report = JSON.parse(readFileSync(path, 'utf8'))
    if ('numPassedTests' in report) {
      return { passed: report.numPassedTests, failed: report.numFailedTests, skipped: report.numPendingTests }
    }
    const { expected, unexpected, flaky, skipped } = report.stats
    return { passed: expected, failed: unexpected + flaky, skipped }
  } catch {
    return { passed: 0, failed: 0 }
  }
}

function vitest(project, files) {
  const report = ['--reporter', 'default', '--reporter', 'json', '--outputFile.json', `${reports}/${project}.json`]
  return ['run', '--project', project, ...report, ...files]
}
