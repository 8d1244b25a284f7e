// `npm run check`: format, lint, types, boundaries, dead code, table ownership, prose, spelling; with names, only these checks.
import { prepare, runChecks } from './steps.mjs'

const prepared = await prepare()
const names = process.argv.slice(2)
const results = prepared.ok ? await runChecks(names.length > 0 ? names : undefined) : [prepared]
process.exit(results.every(result => result.ok) ? 0 : 1)
