// `npm test`: everything that must hold before a change lands; ends with the plain line `N passed, N failed`.
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { buildOnce } from './build.mjs'
import { runChecks, runStep } from './steps.mjs'

const began = performance.now()
const reports = 'test-results/reports'
rmSync(reports, { recursive: true, force: true })
mkdirSync(reports, { recursive: true })

/** One test runner with a JSON report beside its output. */
async function suite(name, command, args, file, env = {}) {
  const result = await runStep(name, command, args, { env })
  const counts = readCounts(`${reports}/${file}`)
  console.log(
    `  ${name}: ${counts.passed} passed, ${counts.failed} failed${counts.skipped ? `, ${counts.skipped} skipped` : ''}`,
  )
  // A runner that fails without a failed test (a crash, no test found) counts as one failure.
  if (!result.ok && counts.failed === 0) counts.failed = 1
  if (counts.passed + counts.failed === 0) counts.failed = 1
  return counts
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
    return { passed: 0, failed: 0, skipped: 0 }
  }
}

/** The protocol's own suite; it says its counts in its last line. */
async function conformance() {
  const result = await runStep('conformance', 'node', ['scripts/conformance.mjs'])
  const [, passed = 0, failed = 1] = /(\d+) passed, (\d+) failed\s*$/.exec(result.output) ?? []
  console.log(`  conformance: ${passed} passed, ${failed} failed`)
  return { passed: Number(passed), failed: Number(failed) }
}

const vitest = (project, file) => [
  'run',
  '--project',
  project,
  '--reporter',
  'default',
  '--reporter',
  'json',
  '--outputFile.json',
  `${reports}/${file}`,
]

const checked = await runChecks()
const suites = [await suite('unit', 'vitest', vitest('unit', 'unit.json'), 'unit.json')]
const built = await buildOnce()
if (built.ok) {
  suites.push(await suite('http', 'vitest', vitest('http', 'http.json'), 'http.json'))
  suites.push(await conformance())
  const env = { PLAYWRIGHT_JSON_OUTPUT_NAME: `${reports}/e2e.json` }
  suites.push(await suite('e2e', 'playwright', ['test', '--reporter', 'list,json'], 'e2e.json', env))
}

const steps = [...checked, built]
const passed = suites.reduce((sum, counts) => sum + counts.passed, 0) + steps.filter(step => step.ok).length
const failed = suites.reduce((sum, counts) => sum + counts.failed, 0) + steps.filter(step => !step.ok).length
console.log(`all in ${((performance.now() - began) / 1000).toFixed(0)} s`)
console.log(`${passed} passed, ${failed} failed`)
process.exit(failed === 0 && passed > 0 ? 0 : 1)
