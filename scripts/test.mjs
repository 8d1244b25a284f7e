// `npm test`: runs all checks and tests for a change; ends with the plain line `N passed, N failed`. With words it runs the
// matching test files. `--changed [commit]` runs those that the changes since then can break; tests of the built server and the
// browser also require `--built`. `--everything` adds what is slow by nature.
import { execFileSync } from 'node:child_process'
import { accessSync, chmodSync, constants, mkdirSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { buildOnce } from './build.mjs'
import { listTests, SLOW, SUITES, testsNamed, testsOf } from './choose-tests.mjs'
import { authorPlace } from './sample.mjs'
import { prepare, runChecks, runStep } from './steps.mjs'

const began = performance.now()
const reports = 'test-results/reports'
const scratch = mkdtempSync(join(scratchPlace(), 'fairway-tests-'))
// A process that has dropped root must be able to enter subfolders; these have their own permissions.
chmodSync(scratch, 0o711)
process.on('exit', () => rmSync(scratch, { recursive: true, force: true, maxRetries: 3 }))
rmSync(reports, { recursive: true, force: true })
mkdirSync(reports, { recursive: true })

const { chosen, changed, withChecks, withConformance, everything } = choose(process.argv.slice(2))
const results = { passed: 0, failed: 0 }
if (chosen.length === 0) {
  console.log('no test file matches')
  process.exit(1)
}
const filesOf = suite => chosen.filter(test => test.suite === suite).map(test => test.path)

const needsBuild = withConformance || ['http', 'components', 'e2e', 'desktop'].some(name => filesOf(name).length > 0)
const needsAuthor = chosen.some(({ path }) => readFileSync(path, 'utf8').includes("application: 'author'"))
// Types and the build use one processor each, so everything in this round runs concurrently.
const [built] = await Promise.all([needsBuild ? buildAll() : undefined, checksAndUnit()])
if (built) await onTheBuild(built)
console.log(`all in ${((performance.now() - began) / 1000).toFixed(0)} s`)
console.log(`${results.passed} passed, ${results.failed} failed`)
process.exit(results.failed === 0 && results.passed > 0 ? 0 : 1)

/** Uses memory when there is enough: the tests write hundreds of small databases and keep none. */
function scratchPlace() {
  try {
    accessSync('/dev/shm', constants.W_OK)
    const { bavail, bsize } = statfsSync('/dev/shm')
    return bavail * bsize > 4 * 2 ** 30 ? '/dev/shm' : tmpdir()
  } catch {
    return tmpdir()
  }
}

/** Selects the tests to run, and prints the excluded ones. */
function choose(given) {
  const isBuilt = given.includes('--built')
  const everything = given.includes('--everything')
  const [first, ...rest] = given.filter(word => !['--built', '--everything'].includes(word))
  const all = listTests('.', { everything: true })
  if (first === undefined)
    return { chosen: everything ? all : listTests('.'), withChecks: true, withConformance: true, everything }
  const changed = first === '--changed' ? changedSince(rest[0] ?? defaultBase()) : undefined
  const found = changed ? testsOf('.', changed, { isBuilt }) : testsNamed('.', [first, ...rest])
  const withConformance = found.some(({ path }) => /\/mcp[.-]/.test(path))
  if (changed)
    console.log(
      `${changed.length} changed files: ${changed.slice(0, 10).join(', ')}${changed.length > 10 ? ', …' : ''}`,
    )
  const left = SUITES.map(suite => {
    const of = tests => tests.filter(test => test.suite === suite).length
    return `${of(all) - of(found)} of ${of(all)} ${suite} files`
  })
  if (!changed) left.push('the checks (npm run check)')
  if (!withConformance) left.push('conformance')
  console.log(`left out: ${left.join(', ')}`)
  if (changed && !isBuilt)
    console.log('requests and what needs a build are left out: npm run test:changed -- --built, or npm test')
  return { chosen: found, changed, withChecks: changed !== undefined, withConformance }
}

function git(...args) {
  return execFileSync('git', args, { stdio: ['ignore', 'pipe', 'ignore'] })
    .toString()
    .trim()
}

/** The commit where this branch left the main one, or else the latest commit. */
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

/** Builds the sample, and the author's application when a test requires it. */
async function buildAll() {
  const built = await buildOnce()
  return built.ok && needsAuthor ? [built, await buildOnce(authorPlace)] : [built]
}

async function checksAndUnit() {
  const prepared = await prepare(changed)
  if (prepared) count([prepared])
  const files = filesOf('unit')
  if (prepared?.ok === false) return
  await Promise.all([
    withChecks && runChecks({ changed }).then(count),
    files.length > 0 && suite('unit', 'vitest', ['--project', 'desktop', ...vitest('unit', files)], 'unit.json'),
  ])
}

async function onTheBuild(built) {
  count(built)
  if (built.some(({ ok }) => !ok)) return
  const http = filesOf('http')
  if (http.length > 0) await suite('http', 'vitest', vitest('http', http), 'http.json')
  const components = filesOf('components')
  if (components.length > 0) await suite('components', 'vitest', vitest('components', components), 'components.json')
  if (withConformance) await counted('conformance', 'scripts/conformance.mjs')
  const starter = filesOf('starter')
  if (starter.length > 0) await counted('starter', 'scripts/starter.mjs', ...starter)
  await browserTests('e2e')
  await browserTests('desktop', '--config', 'packages/desktop')
  if (everything) await theRest()
}

async function browserTests(name, ...options) {
  const files = filesOf(name)
  const env = { PLAYWRIGHT_JSON_OUTPUT_NAME: resolve(reports, `${name}.json`) }
  const args = ['test', ...options, ...files, '--reporter', 'list,json']
  if (files.length > 0) await suite(name, 'playwright', args, `${name}.json`, env)
}

/** What `--everything` repeats in another form: the server without shortcuts and as two instances, and the day's registry. */
async function theRest() {
  // What is slow starts development servers, which have neither form.
  const requests = filesOf('unit').filter(path => path.startsWith('tests/requests/'))
  const http = [...filesOf('http').filter(path => !SLOW.test(path)), ...requests]
  await suite('http, plain', 'vitest', vitest('http', http, 'plain'), 'plain.json', { FW_SHORTCUTS: 'off' })
  await suite('http, two instances', 'vitest', vitest('http', http, 'instances'), 'instances.json', {
    FW_TEST_INSTANCES: '2',
  })
  await counted('registry of the day', 'scripts/starter.mjs', 'fresh')
}

/** Runs one test runner and reads its JSON report. */
async function suite(name, command, args, file, env = {}) {
  const slow = args.some(word => SLOW.test(word)) ? { FW_TEST_SLOW: '1' } : {}
  const result = await runStep(name, command, args, { env: { TMPDIR: scratch, ...slow, ...env } })
  const counts = readCounts(`${reports}/${file}`)
  // A runner that fails without a failed test (a crash, no test found) counts as one failure.
  if (!result.ok && counts.failed === 0) counts.failed = 1
  if (counts.passed + counts.failed === 0) counts.failed = 1
  add(name, counts)
}

/** Runs a script that prints its counts in its final line: the conformance suite, or the author's project. */
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

function vitest(project, files, report = project) {
  const reporters = ['--reporter', 'default', '--reporter', 'json', '--outputFile.json', `${reports}/${report}.json`]
  // Its configuration loads Nuxt, which the others do without.
  const config = project === 'components' ? ['--config', 'tests/components/vitest.config.ts'] : []
  return ['run', ...config, '--project', project, ...reporters, ...files]
}
