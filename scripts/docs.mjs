// `npm run docs`: writes .env.example and docs/configuration.md from the table of settings.
import { mkdirSync, writeFileSync } from 'node:fs'
import { createJiti } from 'jiti'

const jiti = createJiti(import.meta.url)
const { configurationDoc, envExample } = await jiti.import('../server/foundation/config/env-doc.ts')
mkdirSync('docs', { recursive: true })
writeFileSync('.env.example', envExample())
writeFileSync('docs/configuration.md', configurationDoc())
