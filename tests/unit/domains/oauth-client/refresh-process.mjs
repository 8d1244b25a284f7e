// One instance of several: asks for a token many times at once and prints the tokens that it got.
import { fileURLToPath } from 'node:url'
import { createJiti } from 'jiti'

const path = relative => fileURLToPath(new URL(relative, import.meta.url))
const alias = {
  '#fw/texts': path('../../../../layers/fairway/server/kernel/locale-files.ts'),
  '#fw': path('../../../../layers/fairway/server/fw.ts'),
  '#fairway': path('../../../../layers/fairway'),
}
const jiti = createJiti(import.meta.url, { alias, fsCache: true, jsx: { runtime: 'automatic', importSource: 'vue' } })
const { createApp } = await jiti.import('../../../../layers/fairway/server/compose.ts')
const { getAccessToken } = await jiti.import('../../../../layers/fairway/server/domains/oauth-client/index.ts')
const { defineFwConfig } = await jiti.import('../../../../layers/fairway/server/kernel/config/fw-config.ts')
const app = await createApp({ env: process.env, fwConfig: defineFwConfig({}), write: () => {} })
process.stdout.write('ready\n')
await new Promise(resolve => process.stdin.once('data', resolve))
const tokens = await Promise.all(Array.from({ length: 50 }, () => getAccessToken(app, 'ada', 'tracker')))
process.stdout.write(`${JSON.stringify([...new Set(tokens)])}\n`)
await app.db.close()
process.exit(0)
