// For programs that tests start as processes of their own: an app over the database of the environment, and the platform's code.
import { fileURLToPath } from 'node:url'
import { createJiti } from 'jiti'

const path = relative => fileURLToPath(new URL(`../../layers/fairway/${relative}`, import.meta.url))
const alias = {
  '#fw/texts': path('server/kernel/locale-files.ts'),
  '#fw': path('server/fw.ts'),
  '#fairway': path('.').replace(/\/$/, ''),
}
const jiti = createJiti(import.meta.url, { alias, fsCache: true, jsx: { runtime: 'automatic', importSource: 'vue' } })

/** A module of the platform, by its path in the package. */
export const load = relative => jiti.import(path(relative))

export async function openApp() {
  const { createApp } = await load('server/compose.ts')
  const { defineFwConfig } = await load('server/kernel/config/fw-config.ts')
  return createApp({ env: process.env, fwConfig: defineFwConfig({}), write: () => {} })
}
