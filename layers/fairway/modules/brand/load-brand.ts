import { createRequire } from 'node:module'
import { relative } from 'node:path'
import { useLogger, type useNuxt } from '@nuxt/kit'
import type { Brand } from '../../server/kernel/config/brand'
import type { FwConfig } from '../../server/kernel/config/fw-config'
import { createLoader } from '../registry/load-declarations'
import { fwConfigFile, houseDir, isHouse } from '../registry/roots'

/**
 * The brand that the application declares in fw.config.ts, as it is now; throws with the file's name and what is wrong.
 * In development it says so instead and gives the platform's own, so that the cure is noticed.
 */
export async function loadBrand({ options: { rootDir, dev } }: ReturnType<typeof useNuxt>): Promise<Brand> {
  try {
    return await brandIn(rootDir)
  } catch (error) {
    if (!dev) throw error
    useLogger('brand').error(error)
    return brandIn(houseDir)
  }
}

async function brandIn(rootDir: string): Promise<Brand> {
  const file = fwConfigFile(rootDir)
  forget(rootDir)
  try {
    const config = await createLoader(rootDir)(file)
    if (isFwConfig(config)) return config.brand
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(`${relative(rootDir, file)}: ${reason}`, { cause: error })
  }
  throw new Error(`${relative(rootDir, file)}: the default export is not made by defineFwConfig`)
}

/** Development starts again within this process when a setting changes; what the application had before must not be found again. */
function forget(rootDir: string): void {
  const { cache } = createRequire(import.meta.url)
  for (const file of Object.keys(cache))
    if (file.startsWith(`${rootDir}/`) && !isHouse(file) && !file.includes('/node_modules/')) delete cache[file]
}

const isFwConfig = (value: unknown): value is FwConfig =>
  typeof value === 'object' && value !== null && 'brand' in value && 'identity' in value
