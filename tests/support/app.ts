import { fileURLToPath } from 'node:url'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createApp } from '#server/compose'
import type { App } from '#server/foundation/app-context'
import { defineFwConfig, type FwConfigInput } from '#server/foundation/config/fw-config'
import { migrate } from '#server/foundation/database/migrate'
import { readMigrationFolder } from '#server/foundation/database/read-migration-folder'

export interface TestApp {
  app: App
  /** What was logged so far. */
  lines(): Record<string, unknown>[]
  close(): Promise<void>
}

const migrations = fileURLToPath(new URL('../../drizzle', import.meta.url))

/** A real app context over a new, migrated database file. */
export async function createTestApp(env: Record<string, string> = {}, declared: FwConfigInput = {}): Promise<TestApp> {
  const lines: string[] = []
  const dataDir = mkdtempSync(join(tmpdir(), 'fw-app-'))
  const app = await createApp({
    env: { NODE_ENV: 'test', FW_DATA_DIR: dataDir, BETTER_AUTH_SECRET: 'kX9v2LqTz7RmW4pYc8NbJ5hGd3FsA6uE', ...env },
    fwConfig: defineFwConfig(declared),
    write: line => lines.push(line),
  })
  await migrate(app.db, await readMigrationFolder(migrations), app.log)
  return { app, lines: () => lines.map(line => JSON.parse(line)), close: () => app.db.close() }
}
