// `npm run hosts`: connects the released clients of tests/hosts/clients and the sequences of tests/hosts to the built server, and
// writes docs/hosts.md from the results; ends with `N passed, N failed`.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createJiti } from 'jiti'
import { aliases } from 'nuxt-fairway/vitest'
import { buildOnce } from './build.mjs'
import { prepare, runStep } from './steps.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = join(root, 'tests/hosts/clients')
const report = join(root, 'test-results/hosts.json')

installClients()
for (const step of [prepare, buildOnce]) if (!(await step()).ok) process.exit(1)
const reporters = ['--reporter', 'default', '--reporter', 'json', '--outputFile.json', report]
const projects = ['--project', 'hosts', '--project', 'http']
rmSync(report, { force: true })
await runStep('hosts', 'vitest', ['run', ...projects, 'tests/hosts', ...reporters])

const tests = JSON.parse(readFileSync(report, 'utf8')).testResults.flatMap(({ assertionResults }) => assertionResults)
if (tests.length === 0) process.exit(1)
const good = tests.filter(({ status }) => status === 'passed')
const jiti = createJiti(join(root, 'package.json'), { alias: aliases(root) })
const { hostsDoc } = await jiti.import(join(root, 'tests/hosts/hosts-doc.ts'))
const isGood = (host, step) =>
  good.some(({ ancestorTitles, title }) => ancestorTitles.at(-1) === host && title.startsWith(`${step}: `))
writeFileSync(join(root, 'docs/hosts.md'), hostsDoc(isGood))
console.log(`${good.length} passed, ${tests.length - good.length} failed; see docs/hosts.md`)
process.exit(good.length === tests.length ? 0 : 1)

/** Installs the packages of the clients' lockfile, once for each version of it, without running their scripts. */
function installClients() {
  const lock = readFileSync(join(folder, 'package-lock.json'))
  const wanted = createHash('sha256').update(lock).update(`${process.platform} ${process.arch}`).digest('hex')
  const stamp = join(folder, 'node_modules/.setup-stamp')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return
  console.log('[hosts] installing the released clients …')
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  const shell = process.platform === 'win32'
  if (spawnSync('npm', ['ci', ...options], { cwd: folder, stdio: 'inherit', shell }).status !== 0) process.exit(1)
  writeFileSync(stamp, wanted)
}
