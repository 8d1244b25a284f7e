// `npm run docs`: writes .env.example and docs/configuration.md from the table of settings.
import { mkdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { createJiti } from 'jiti'

const path = relative => fileURLToPath(new URL(relative, import.meta.url))
const jiti = createJiti(import.meta.url, { alias: { '#server': path('../server'), '#shared': path('../shared') } })
const { configurationDoc, envExample } = await jiti.import('../server/foundation/config/env-doc.ts')
mkdirSync('docs', { recursive: true })
writeFileSync('.env.example', envExample())
writeFileSync('docs/configuration.md', configurationDoc())
