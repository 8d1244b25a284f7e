import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { applications } from './sample.mjs'
import { writeSnippets } from './snippets.mjs'

/** Runs one command to its end and returns its name, success, output and seconds. */
export function runStep(name, command, args, options = {}) {
  const began = performance.now()
  const env = { ...process.env, FORCE_COLOR: '0', NO_COLOR: '1', ...options.env }
  const child = spawn(command, args, { cwd: options.cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const chunks = []
  child.stdout.on('data', chunk => chunks.push(chunk))
  child.stderr.on('data', chunk => chunks.push(chunk))
  return new Promise(resolve => {
    const end = ok => {
      const seconds = (performance.now() - began) / 1000
      const output = Buffer.concat(chunks).toString()
      report({ name, ok, seconds, output })
      resolve({ name, ok, seconds, output })
    }
    child.on('error', error => {
      chunks.push(Buffer.from(String(error)))
      end(false)
    })
    child.on('exit', code => end(code === 0))
  })
}

function report({ name, ok, seconds, output }) {
  console.log(`${ok ? '✓' : '✗'} ${name} (${seconds.toFixed(1)} s)`)
  if (!ok) console.log(output.split('\n').slice(-400).join('\n'))
}

/** The scope of the import rules: the platform, and the authors' files in each application. */
const walled = [
  'layers/fairway',
  ...applications.flatMap(place => ['app', 'server', 'shared', 'fw.config.ts'].map(name => join(place, name))),
].filter(path => existsSync(path))

/** The native TypeScript compiler takes a quarter of the time but reads no Vue files. */
const tsc = (...projects) => ['node', ['node_modules/typescript-native/bin/tsc', '-b', ...projects, '--noEmit']]

/** The commands of `npm run check`, one for each question; the slowest starts first. */
export const checks = [
  // This project includes the pages, so that one program reads both.
  ['types of pages', 'vue-tsc', ['-p', 'tests/unit/app', '--noEmit']],
  ['types', ...tsc('.nuxt/tsconfig.server.json', '.nuxt/tsconfig.shared.json', 'tests')],
  ['format', 'oxfmt', ['--check', '.']],
  ['lint', 'oxlint', ['--deny-warnings', '.']],
  ['boundaries', 'depcruise', ['--config', '.dependency-cruiser.cjs', '--output-type', 'err', ...walled]],
  ['dead code', 'knip', ['--no-progress']],
  ['prose', 'node', ['scripts/prose.mjs']],
  ['spelling', 'cspell', ['lint', '--no-progress']],
  ['tables', 'vitest', ['run', '--project', 'unit', 'tests/architecture/tables.test.ts']],
]

/**
 * Writes the framework files for types and tests into the `.nuxt` of each application, and the code of the documents into files.
 */
export async function prepare() {
  const results = []
  for (const place of applications) results.push(await runStep('prepare', 'nuxt', ['prepare'], { cwd: place }))
  writeSnippets()
  return results.find(({ ok }) => !ok) ?? results[0]
}

/** Runs the checks of these names, or all, two at a time, and returns their results. */
export async function runChecks(names = checks.map(([name]) => name)) {
  const waiting = checks.filter(([name]) => names.includes(name))
  const results = []
  const worker = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) results.push(await runStep(...next))
  }
  await Promise.all([worker(), worker()])
  return results
}
