// `npm start`: the built server, as production unless NODE_ENV says otherwise.
import { existsSync } from 'node:fs'
import { loadEnvFile } from 'node:process'

const server = new URL('../.output/server/index.mjs', import.meta.url)
if (!existsSync(server)) {
  console.error('There is no build yet. Run `npm run build` first.')
  process.exit(1)
}
if (existsSync('.env')) loadEnvFile('.env')
process.env.NODE_ENV ||= 'production'
await import(server.href)
