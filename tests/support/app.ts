import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createApp } from '#fairway/server/compose'
import type { App } from '#fairway/server/kernel/app-context'
import { defineFwConfig, type FwConfigInput } from '#fairway/server/kernel/config/fw-config'
import { copyMigratedDatabase, migrateDatabase } from './database'
import { testEnv } from './server'

export interface TestApp {
  app: App
  /** Everything logged so far. */
  lines(): Record<string, unknown>[]
  close(): Promise<void>
}

/** A real app context on a new, migrated database file. */
export async function createTestApp(env: Record<string, string> = {}, declared: FwConfigInput = {}): Promise<TestApp> {
  const lines: string[] = []
  const FW_DATA_DIR = env.FW_DATA_DIR ?? (await mkdtemp(join(tmpdir(), 'fw-app-')))
  if (!env.DATABASE_URL) await copyMigratedDatabase(join(FW_DATA_DIR, 'fairway.db'))
  const app = await createApp({
    env: { ...testEnv(env), FW_DATA_DIR, ...env },
    fwConfig: defineFwConfig(declared),
    write: line => lines.push(line),
  })
  if (env.DATABASE_URL) await migrateDatabase(app.db)
  return { app, lines: () => lines.map(line => JSON.parse(line)), close: () => app.db.close() }
}
