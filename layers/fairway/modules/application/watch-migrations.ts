import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { useNuxt } from '@nuxt/kit'
import { houseDir } from '../registry/roots'
import { watchPlace } from '../registry/watch-place'

/** In development the server begins again when a migration comes, and applies it as every start does. */
export function watchMigrations(nuxt: ReturnType<typeof useNuxt>): void {
  if (!nuxt.options.dev) return
  for (const root of [nuxt.options.rootDir, houseDir]) {
    const dir = join(root, 'drizzle')
    const names = () => (existsSync(dir) ? readdirSync(dir).filter(name => name.endsWith('.sql')) : []).join()
    const known = names()
    watchPlace(nuxt, dir, async () => {
      if (names() !== known) await nuxt.callHook('restart')
    })
  }
}
