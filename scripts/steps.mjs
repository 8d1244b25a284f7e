import { spawn } from 'node:child_process'

/** Runs one command to its end and gives its name, whether it succeeded, its output and its seconds. */
export function runStep(name, command, args, options = {}) {
  const began = performance.now()
  const env = { ...process.env, FORCE_COLOR: '0', NO_COLOR: '1', ...options.env }
  const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
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

/** The commands of `npm run check`, each answering one question; the one that takes longest begins. */
export const checks = [
  ['types', 'vue-tsc', ['-b', '--noEmit']],
  ['format', 'oxfmt', ['--check', '.']],
  ['lint', 'oxlint', ['--deny-warnings', '.']],
  [
    'boundaries',
    'depcruise',
    [
      '--config',
      '.dependency-cruiser.cjs',
      '--output-type',
      'err',
      'layers/fairway',
      'app',
      'server',
      'modules',
      'fw.config.ts',
    ],
  ],
  ['dead code', 'knip', ['--no-progress']],
]

/** Writes what types and tests read of the framework into `.nuxt`. */
export const prepare = () => runStep('prepare', 'nuxt', ['prepare'])

/** Runs the checks, two at a time, and gives their results. */
export async function runChecks() {
  const waiting = [...checks]
  const results = []
  const worker = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) results.push(await runStep(...next))
  }
  await Promise.all([worker(), worker()])
  return results
}
