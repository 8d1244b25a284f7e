// `npm run docs`: writes .env.example and docs/configuration.md from the table of settings, docs/assurance.md and
// docs/accessibility.md from the tables of tests/assurance; `-- <folder>` writes them there.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createJiti } from 'jiti'

const house = fileURLToPath(new URL('../layers/fairway', import.meta.url))
const jiti = createJiti(import.meta.url, { alias: { '#fairway': house } })
const { configurationDoc, envExample } = await jiti.import('../layers/fairway/server/kernel/config/env-doc.ts')
const { accessibilityDoc, assuranceDoc } = await jiti.import('../tests/assurance/assurance-doc.ts')
const folder = process.argv[2] ?? '.'
mkdirSync(join(folder, 'docs'), { recursive: true })
writeFileSync(join(folder, '.env.example'), envExample())
writeFileSync(join(folder, 'docs/configuration.md'), configurationDoc())
writeFileSync(join(folder, 'docs/assurance.md'), assuranceDoc())
writeFileSync(join(folder, 'docs/accessibility.md'), accessibilityDoc())
