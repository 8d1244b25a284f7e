// Measures how long an author waits for tests: `node bench/test-files.mjs [files]`. It creates a project of the notes template
// from the packed platform in an empty folder, with that many copies of its test (10 by default), and downloads nothing. Prints
// the milliseconds of each file (loading the platform and the author's code, setup and tests); the first file is separate. The
// machine must be idle.
import { execFileSync } from 'node:child_process'
import { copyFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { emptyFolder, linkPackages, packLayer, run, unpack, writeAll } from '../tests/starter/project.ts'

const LIMIT_IN_MS = 200
const count = Number(process.argv[2] ?? 10)

const REPORTER = `export default class {
  onTestModuleEnd(file) {
    const { environmentSetupDuration, prepareDuration, collectDuration, setupDuration, duration } = file.diagnostic()
    const ran = [...file.children.allTests()].map(test => test.result().state)
    const load = environmentSetupDuration + prepareDuration + collectDuration
    process.stdout.write(JSON.stringify({ load, setup: setupDuration, tests: duration, passed: ran.every(state => state === 'passed') }) + '\\n')
  }
}
`

const place = emptyFolder()
try {
  const tarball = await packLayer(place)
  const project = join(place, 'app')
  await unpack(tarball, join(place, 'node_modules/nuxt-fairway'))
  await linkPackages(place, tarball)
  const program = join(place, 'node_modules/nuxt-fairway/cli/fw.mjs')
  execFileSync(process.execPath, [program, 'new', 'app', '--sample', 'notes', '--no-install', '--package', tarball], {
    cwd: place,
    stdio: 'ignore',
  })
  await linkPackages(project, tarball)
  writeAll(project, { 'reporter.mjs': REPORTER })
  for (let number = 2; number <= count; number++)
    copyFileSync(join(project, 'tests/notes.test.ts'), join(project, `tests/notes-${number}.test.ts`))
  for (const name of ['nothing is cached', 'again']) await measure(project, name)
} finally {
  rmSync(place, { recursive: true, force: true })
}

async function measure(project, name) {
  const vitest = join(project, 'node_modules/vitest/vitest.mjs')
  const args = [vitest, 'run', '--reporter', './reporter.mjs', '--maxWorkers', '1']
  const { code, out, seconds } = await run(project, process.execPath, args)
  const files = out.split('\n').flatMap(line => (line.startsWith('{"load"') ? [JSON.parse(line)] : []))
  if (code !== 0 || files.length !== count || files.some(({ passed }) => !passed)) throw new Error(out)
  const [first, ...others] = files.map(({ load, setup, tests }) => load + setup + tests)
  const median = others.toSorted((a, b) => a - b)[Math.floor(others.length / 2)] ?? 0
  console.log(
    `${name}: ${count} files in ${seconds.toFixed(1)} s; the first ${Math.round(first)} ms, the median of the others ${Math.round(median)} ms (limit ${LIMIT_IN_MS}): ${others.map(Math.round).join(', ')}`,
  )
  if (median > LIMIT_IN_MS) process.exitCode = 1
}
