// `npm run check`: format, lint, types, boundaries, dead code.
import { prepare, runChecks } from './steps.mjs'

const prepared = await prepare()
const results = prepared.ok ? await runChecks() : [prepared]
process.exit(results.every(result => result.ok) ? 0 : 1)
