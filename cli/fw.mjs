#!/usr/bin/env node
// The command `fw`. The application is TypeScript; it is loaded as it is, with the same short names as in the build.
import { existsSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'
import { createJiti } from 'jiti'

enableCompileCache()
const path = relative => fileURLToPath(new URL(relative, import.meta.url))
if (existsSync('.env')) process.loadEnvFile('.env')
const alias = { '#fw': path('../server/fw.ts'), '#server': path('../server'), '#shared': path('../shared') }
const jsx = { runtime: 'automatic', importSource: 'vue' }
const jiti = createJiti(import.meta.url, { alias, fsCache: true, jsx })
const { run } = await jiti.import('./main.ts')
await run(process.argv.slice(2))
