// `npm run check`: format, lint, types, boundaries, dead code.
import { runChecks } from './steps.mjs'

const results = await runChecks()
process.exit(results.every(result => result.ok) ? 0 : 1)
