// `npm run test:starter`: tests an author's path from an empty folder to the next version, with installed packages, and builds and
// runs the sample applications; ends with `N passed, N failed`. `fresh` does the same with what the registry serves now: it reads
// no lockfile and no npm cache. With files it runs these: `npm test` gives the short form, which downloads nothing.
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runStep } from './steps.mjs'

const given = process.argv.slice(2)
const isFresh = given.includes('fresh')
const named = given.filter(word => word !== 'fresh')
const cache = isFresh ? mkdtempSync(join(tmpdir(), 'fw-npm-cache-')) : undefined
const report = `test-results/reports/starter${isFresh ? '-fresh' : ''}.json`
mkdirSync('test-results/reports', { recursive: true })
rmSync(report, { force: true })
const reporters = ['--reporter', 'default', '--reporter', 'json', '--outputFile.json', report]
const long = ['first-commands', 'long', 'samples', 'with-i18n'].map(name => `tests/starter/${name}.slow.test.ts`)
const files = named.length > 0 ? named : long
const { output } = await runStep('starter', 'vitest', ['run', '--project', 'starter', ...files, ...reporters], {
  env: cache ? { FW_TEST_FRESH_CACHE: cache } : {},
})
if (cache) rmSync(cache, { recursive: true, force: true })
// The seconds of each step, for docs/performance.md.
if (named.length === 0) for (const [line] of output.matchAll(/^\S.*: \d+\.\d s$/gm)) console.log(`  ${line}`)
const { passed, failed } = counts()
console.log(`${passed} passed, ${failed} failed`)
process.exit(failed === 0 && passed > 0 ? 0 : 1)

/** A step that was not reached counts as failed, because each continues from the previous one. */
function counts() {
  try {
    const { numPassedTests, numTotalTests } = JSON.parse(readFileSync(report, 'utf8'))
    return { passed: numPassedTests, failed: numTotalTests - numPassedTests }
  } catch {
    return { passed: 0, failed: 1 }
  }
}
