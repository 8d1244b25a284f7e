// `npm run conformance`: runs the MCP conformance suite against the endpoint in both revisions, and against the authorization
// server; ends with `N passed, N failed`. `--record` stores the suite's requests to the endpoint as the traffic that
// tests/unit/domains/mcp/dispatch.test.ts replays twice.
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createJiti } from 'jiti'
import { aliases } from 'nuxt-fairway/vitest'
import { expectedFailures } from '../tests/fixtures/mcp/expected-failures.mjs'
import { sampleDir } from './sample.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const command = join(root, 'node_modules/.bin/conformance')
const LIMIT_IN_MS = 10_000

const jiti = createJiti(join(root, 'package.json'), {
  alias: aliases(sampleDir),
  jsx: { runtime: 'automatic', importSource: 'vue' },
})
const { runAuthorizationSuite } = await jiti.import(join(root, 'tests/fixtures/mcp/authorization-suite.ts'))
const { startBehindProxy } = await jiti.import(join(root, 'tests/fixtures/mcp/behind-proxy.ts'))

/** Runs the suite's command to its end and returns its output. */
function run(args) {
  const folder = mkdtempSync(join(tmpdir(), 'fw-conformance-'))
  const child = spawn(command, [...args, '-o', folder], { env: { ...process.env, NO_COLOR: '1' } })
  const output = []
  child.stdout.on('data', chunk => output.push(chunk))
  child.stderr.on('data', chunk => output.push(chunk))
  return new Promise(resolve => {
    child.once('exit', () => {
      rmSync(folder, { recursive: true, force: true })
      resolve(Buffer.concat(output).toString())
    })
  })
}

/** Returns the suite's result for each scenario; scenarios outside the requirements do not count. */
function readSummary(output) {
  const unscored = new Set([...output.matchAll(/^ {2}[✓✗] ([\w-]+) \(extension\)$/gm)].map(([, name]) => name))
  return [...output.matchAll(/^[✓✗] ([\w-]+): (\d+) passed, (\d+) failed/gm)]
    .map(([, name, passed, failed]) => ({ name, passed: Number(passed), failed: Number(failed) }))
    .filter(({ name }) => !unscored.has(name))
}

/** Counts the checks of one run and prints unexpected results. */
function judge(title, scenarios, expected) {
  let passed = 0
  let failed = scenarios.length === 0 ? 1 : 0
  let known = 0
  for (const scenario of scenarios) {
    passed += scenario.passed
    if (!(scenario.name in expected)) {
      failed += scenario.failed
      if (scenario.failed > 0) console.log(`  ✗ ${scenario.name}: ${scenario.failed} failed`)
    } else if (scenario.failed > 0) known += scenario.failed
    else {
      failed += 1
      console.log(`  ✗ ${scenario.name} passes now: take it out of tests/fixtures/mcp/expected-failures.mjs`)
    }
  }
  console.log(`${title}: ${scenarios.length} scenarios, ${passed} passed, ${failed} failed, ${known} known`)
  return { passed, failed }
}

const totals = []
const recorded = new Set()
const endpoint = await startBehindProxy(sent => recorded.add(JSON.stringify(sent)))
for (const revision of Object.keys(expectedFailures)) {
  const args = ['server', '--url', endpoint.url, '--requirements', revision, '--timeout', String(LIMIT_IN_MS)]
  totals.push(judge(`endpoint ${revision}`, readSummary(await run(args)), expectedFailures[revision]))
}
await endpoint.close()
if (process.argv.includes('--record'))
  writeFileSync(
    join(root, 'tests/fixtures/mcp/recorded-traffic.json'),
    `${JSON.stringify([...recorded].toSorted().map(JSON.parse), null, 2)}\n`,
  )

for (const [kind, output] of Object.entries(await runAuthorizationSuite(command))) {
  const scenarios = readSummary(output)
  // A skipped scenario (no client, no method) counts as failed, because otherwise it would be ignored.
  for (const scenario of scenarios) if (scenario.passed + scenario.failed === 0) scenario.failed = 1
  const total = judge(`authorization server, ${kind}`, scenarios, {})
  if (total.failed > 0) console.log(output)
  totals.push(total)
}

const passed = totals.reduce((sum, total) => sum + total.passed, 0)
const failed = totals.reduce((sum, total) => sum + total.failed, 0)
console.log(`${passed} passed, ${failed} failed`)
process.exit(failed === 0 ? 0 : 1)
