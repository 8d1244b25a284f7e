import { useLogger, type useNuxt } from '@nuxt/kit'
import type { Brand } from '../../server/kernel/config/brand'
import { loadFwConfig } from '../registry/load-declarations'
import { platformDir } from '../registry/roots'

/**
 * The brand that the application declares in fw.config.ts, as it is now; throws with the file's name and what is wrong.
 * In development it says so instead and gives the platform's own, so that the cure is noticed.
 */
export async function loadBrand({ options: { rootDir, dev } }: ReturnType<typeof useNuxt>): Promise<Brand> {
  try {
    return (await loadFwConfig(rootDir)).brand
  } catch (error) {
    if (!dev) throw error
    useLogger('brand').error(error)
    return (await loadFwConfig(platformDir)).brand
  }
}
