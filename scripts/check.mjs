// `npm run check`: format, lint, types, boundaries, dead code, table ownership, prose, spelling; with words, only the checks whose
// names begin with them.
import { checks, prepare, runChecks } from './steps.mjs'

const prepared = await prepare()
const words = process.argv.slice(2)
const names = checks
  .map(({ name }) => name)
  .filter(name => words.length === 0 || words.some(word => name.startsWith(word)))
const results = prepared.ok ? await runChecks({ names }) : [prepared]
process.exit(results.every(result => result.ok) ? 0 : 1)
