import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { openLocalApp } from '#fairway/cli/local-app'
import { sampleDir } from '../../../scripts/sample.mjs'
import { copyMigratedDatabase } from '../../support/database'

let dataDir: string
beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'fw-local-'))
  await copyMigratedDatabase(join(dataDir, 'fairway.db'))
  vi.stubEnv('FW_DATA_DIR', dataDir)
  vi.stubEnv('NODE_ENV', 'development')
})
afterEach(() => vi.unstubAllEnvs())

async function baseUrl(): Promise<string> {
  const app = await openLocalApp(sampleDir)
  await app.db.close()
  return app.config.baseUrl
}

it('openLocalApp uses the address of this folder’s development server unless FW_BASE_URL is set', async () => {
  expect(await baseUrl()).toBe('http://localhost:3000')
  writeFileSync(join(dataDir, 'dev-server'), 'http://localhost:4321')
  expect(await baseUrl()).toBe('http://localhost:4321')
  vi.stubEnv('FW_BASE_URL', 'http://localhost:5000')
  expect(await baseUrl()).toBe('http://localhost:5000')
})
