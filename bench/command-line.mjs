// `node bench/command-line.mjs [rounds]`: the processor time of `fw` in the sample, for help texts, commands with `--at` and
// actions. Medians of the rounds; the first start of each is not counted.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { compileOnce } from '../scripts/compile-cli.mjs'
import { sampleDir } from '../scripts/sample.mjs'
import { median } from './built-server.mjs'

const program = fileURLToPath(new URL('../layers/fairway/cli/fw.mjs', import.meta.url))
// Nobody listens there.
const ELSEWHERE = ['--at', 'http://localhost:1']
const HELP = 300
const ACTION = 1000
const COMMANDS = [
  [['--help'], HELP],
  [['jobs', '--help'], HELP],
  [['jobs', 'list', ...ELSEWHERE], HELP],
  [['action', 'list-notes', ...ELSEWHERE], HELP],
  [['action', 'list-notes', '--help'], ACTION],
  [['action', 'list-notes'], ACTION],
]
const REPORT = `process.on('exit', () => {
  const { user, system } = process.cpuUsage()
  process.stderr.write('\\nCPU ' + (user + system))
})`

function milliseconds(args) {
  const trace = `data:text/javascript,${encodeURIComponent(REPORT)}`
  const env = { PATH: process.env.PATH, FW_TOKEN: 'none' }
  const { stderr } = spawnSync(process.execPath, ['--import', trace, program, ...args], { cwd: sampleDir, env })
  return Number(/CPU (\d+)$/.exec(String(stderr))?.[1]) / 1000
}

const rounds = Number(process.argv[2] ?? 7)
await compileOnce()
for (const [args, limit] of COMMANDS) {
  milliseconds(args)
  const found = median(Array.from({ length: rounds }, () => milliseconds(args)))
  console.log(`${found.toFixed(0).padStart(6)} ms  fw ${args.join(' ')}  (wanted ≤ ${limit})`)
}
