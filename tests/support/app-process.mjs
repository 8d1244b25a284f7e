// For programs that tests start as separate processes: an app on the environment's database, and the platform's modules.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createJiti } from 'jiti'
import '../../layers/fairway/cli/load-drizzle.mjs'

const path = relative => fileURLToPath(new URL(`../../layers/fairway/${relative}`, import.meta.url))
const alias = {
  '#fw/texts': path('server/kernel/locale-files.ts'),
  '#fw': path('server/fw.ts'),
  '#fairway': path('.').replace(/\/$/, ''),
}
const jiti = createJiti(import.meta.url, { alias, fsCache: true, jsx: { runtime: 'automatic', importSource: 'vue' } })

/** Imports a module of the platform by its path in the package. */
export const load = relative => jiti.import(path(relative))

export async function openApp() {
  const { createApp } = await load('server/compose.ts')
  const { defineFwConfig } = await load('server/kernel/config/fw-config.ts')
  return createApp({ env: process.env, fwConfig: defineFwConfig({}), write: () => {} })
}

/** The same on a new database file with the platform's tables. `close` deletes the file. */
export async function openFreshApp() {
  const folder = mkdtempSync(join(tmpdir(), 'fw-process-'))
  Object.assign(process.env, { NODE_ENV: 'test', DATABASE_URL: `file:${join(folder, 'app.db')}` })
  process.env.BETTER_AUTH_SECRET ??= 'n3Yq8vT1kP0sZr6Lw2XbJ5mFhC9dGuEa7QoViN4t'
  const app = await openApp()
  const { migrate } = await load('server/kernel/database/migrate.ts')
  const { readMigrationFolder } = await load('server/kernel/database/migrations.ts')
  await migrate(app.db, await readMigrationFolder(path('drizzle')), app.log)
  const close = async () => {
    await app.db.close()
    rmSync(folder, { recursive: true })
  }
  return { app, close }
}
