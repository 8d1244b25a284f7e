import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { applications } from './sample.mjs'
import { writeSnippets } from './snippets.mjs'

let accounted = 0

/**
 * Returns the processor seconds of the child processes that have ended since the last call, or undefined on a system that doesn't
 * tell. A descendant counts if its parent waited for its end. Many of a killed browser's processes are missing.
 */
function takeProcessorSeconds() {
  if (process.platform !== 'linux') return undefined
  // Fields 16 and 17 of the line, which count hundredths; the command in parentheses may contain spaces.
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1].split(' ')
  const total = (Number(fields[13]) + Number(fields[14])) / 100
  const added = total - accounted
  accounted = total
  return added
}

/** Runs one command to its end and returns its name, success, output and seconds. */
export function runStep(name, command, args, options = {}) {
  const began = performance.now()
  // What has ended by now is no step.
  takeProcessorSeconds()
  const env = { ...process.env, FORCE_COLOR: '0', NO_COLOR: '1', ...options.env }
  const child = spawn(command, args, { cwd: options.cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const chunks = []
  child.stdout.on('data', chunk => chunks.push(chunk))
  child.stderr.on('data', chunk => chunks.push(chunk))
  return new Promise(resolve => {
    const end = ok => {
      const seconds = (performance.now() - began) / 1000
      const output = Buffer.concat(chunks).toString()
      report({ name, ok, seconds, used: takeProcessorSeconds(), output })
      resolve({ name, ok, seconds, output })
    }
    child.on('error', error => {
      chunks.push(Buffer.from(String(error)))
      end(false)
    })
    child.on('exit', code => end(code === 0))
  })
}

function report({ name, ok, seconds, used, output }) {
  const processor = used === undefined ? '' : `, ${used.toFixed(1)} s of processor time`
  console.log(`${ok ? '✓' : '✗'} ${name} (${seconds.toFixed(1)} s${processor})`)
  if (!ok) console.log(output.split('\n').slice(-400).join('\n'))
}

/** The scope of the import rules: the packages, and the authors' files in each application. */
const walled = [
  'layers/fairway',
  'packages/desktop/src',
  ...applications.flatMap(place => ['app', 'server', 'shared', 'fw.config.ts'].map(name => join(place, name))),
].filter(path => existsSync(path))

const isCode = path => /\.(ts|tsx|mjs|vue|json)$/.test(path)

/**
 * The types of one project. The native compiler takes a quarter of the time but reads no Vue files. One checker: more of them repeat
 * each other's work, and other checks run beside this one.
 */
const typesOf = (name, project) => ({
  name,
  command: 'node',
  args: [
    'node_modules/typescript-native/bin/tsc',
    '-p',
    project,
    '--noEmit',
    '--checkers',
    '1',
    '--incremental',
    '--tsBuildInfoFile',
    `node_modules/.cache/types/${name.replaceAll(' ', '-')}`,
  ],
  reads: isCode,
})

/**
 * The checks of `npm run check`, one for each question; the slowest starts first. `reads` tells whether a changed file matters;
 * with `byFile`, only the changed files do.
 */
export const checks = [
  {
    // This project includes the pages, so that one program reads both.
    name: 'types of pages',
    command: 'vue-tsc',
    args: ['-p', 'tests/unit/app', '--noEmit'],
    reads: path => /\.vue$|\/(app|shared|components)\/|^(app|shared)\/|nuxt\.config|\.json$/.test(path),
  },
  typesOf('types of tests', 'tests'),
  typesOf('types of the server', '.nuxt/tsconfig.server.json'),
  typesOf('types of shared code', '.nuxt/tsconfig.shared.json'),
  {
    name: 'format',
    command: 'oxfmt',
    args: ['--check', '--no-error-on-unmatched-pattern'],
    byFile: true,
    reads: () => true,
  },
  { name: 'lint', command: 'oxlint', args: ['--deny-warnings'], byFile: true, reads: isCode },
  {
    name: 'boundaries',
    command: 'depcruise',
    args: ['--config', '.dependency-cruiser.cjs', '--output-type', 'err', ...walled],
    reads: isCode,
  },
  { name: 'dead code', command: 'knip', args: ['--no-progress'], reads: isCode },
  { name: 'prose', command: 'node', args: ['scripts/prose.mjs'], reads: path => /\.md$|\/locales\//.test(path) },
  { name: 'spelling', command: 'cspell', args: ['lint', '--no-progress'], reads: () => true },
  {
    name: 'tables',
    command: 'vitest',
    args: ['run', '--project', 'unit', 'tests/architecture/tables.test.ts'],
    reads: path => path.startsWith('layers/fairway/server/'),
  },
]

/** Whether a change can leave the framework files outdated: not one in a rule of a domain, in tests, documents or scripts. */
const shapesFramework = path =>
  !/^(tests|docs|scripts|bench)\/|^layers\/fairway\/server\/(domains|kernel)\/(?!.*operations\.ts$)/.test(path)

/**
 * Writes the framework files for types and tests into the `.nuxt` of each application, and the code of the documents into files.
 * With changed files, only if one of them can have made those outdated.
 */
export async function prepare(changed) {
  const results = []
  const isCurrent = changed && !changed.some(shapesFramework)
  for (const place of applications)
    if (!isCurrent || !existsSync(join(place, '.nuxt/tsconfig.server.json')))
      results.push(await runStep('prepare', 'nuxt', ['prepare'], { cwd: place }))
  writeSnippets()
  return results.find(({ ok }) => !ok) ?? results[0]
}

/** Runs the checks of these names, or all, two at a time; with changed files, what they affect. Returns the results. */
export async function runChecks({ names, changed }) {
  const there = changed?.filter(path => existsSync(path))
  const waiting = checks.filter(
    ({ name, reads }) => (!names || names.includes(name)) && (!changed || changed.some(reads)),
  )
  const results = []
  const worker = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const { name, command, args, byFile, reads } = next
      const files = there ? there.filter(reads) : ['.']
      results.push(await runStep(name, command, byFile ? [...args, ...files] : args))
    }
  }
  await Promise.all([worker(), worker()])
  return results
}
