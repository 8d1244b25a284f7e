// `npm run test:starter`: tests an author's path from an empty folder to the next version, with installed packages, and builds and
// runs the sample applications; ends with `N passed, N failed`. `short`, which `npm test` runs, downloads nothing and also follows
// the tutorial.
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { runStep } from './steps.mjs'

const form = process.argv.includes('short') ? 'short' : 'long'
const report = `test-results/reports/starter-${form}.json`
mkdirSync('test-results/reports', { recursive: true })
rmSync(report, { force: true })
const reporters = ['--reporter', 'default', '--reporter', 'json', '--outputFile.json', report]
const { output } = await runStep('starter', 'vitest', [
  'run',
  '--project',
  'starter',
  ...(form === 'short'
    ? ['tests/starter/short.test.ts', 'tests/starter/tutorial.test.ts']
    : ['first-commands', 'long', 'samples'].map(name => `tests/starter/${name}.test.ts`)),
  ...reporters,
])
// The seconds of each step, for docs/performance.md.
if (form === 'long') for (const [line] of output.matchAll(/^\S.*: \d+\.\d s$/gm)) console.log(`  ${line}`)
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
