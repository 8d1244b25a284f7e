import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createNitro, scanHandlers } from 'nitropack/core'
import { describe, expect, it } from 'vitest'
import { hasHook } from '#fairway/modules/registry/catalogs'

/** The routes that the build finds in a project with this file below `server/api`. */
async function routesOf(file: string) {
  const rootDir = mkdtempSync(join(tmpdir(), 'fw-hook-'))
  const path = join(rootDir, 'server/api', file)
  mkdirSync(join(path, '..'), { recursive: true })
  writeFileSync(path, 'export default () => null\n')
  const nitro = await createNitro({
    rootDir,
    srcDir: join(rootDir, 'server'),
    scanDirs: [join(rootDir, 'server')],
    logLevel: 0,
  })
  await scanHandlers(nitro)
  const routes = [...nitro.scannedHandlers, ...nitro.options.handlers]
  await nitro.close()
  return routes
}

describe('hasHook', () => {
  it.each(['local-migration.post.ts', 'local-migration.ts', 'local-migration/index.post.ts'])(
    'returns true for %s',
    async file => {
      expect(hasHook(await routesOf(file))).toBe(true)
    },
  )

  it.each(['local-migration.get.ts', 'local-migration/status.post.ts', 'other.post.ts'])(
    'returns false for %s',
    async file => {
      expect(hasHook(await routesOf(file))).toBe(false)
    },
  )
})
