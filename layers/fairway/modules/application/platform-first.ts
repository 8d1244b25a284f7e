import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { useNitro, type useNuxt } from '@nuxt/kit'
import { houseDir, isHouse } from '../registry/roots'

/** As early as `enforce: 'pre'`, by Nuxt's own numbers: an application's plugin that says so comes after, whatever its name. */
const EARLY = -20

/**
 * Nuxt and Nitro join lists with the application's first; styles would lose, and middleware and plugins would run before the
 * platform's. Numbers in file names sort the files of one folder only. Layers between the two come with the application.
 */
export function platformFirst(nuxt: ReturnType<typeof useNuxt>): void {
  const first = <T>(list: readonly T[], fileOf: (item: T) => unknown): T[] => {
    const isOurs = (item: T) => isHouse(String(fileOf(item)))
    return [...list.filter(isOurs), ...list.filter(item => !isOurs(item))]
  }
  nuxt.options.css = first(nuxt.options.css, file => file)
  nuxt.hook('app:resolve', app => {
    for (const plugin of app.plugins) if (isHouse(plugin.src)) plugin.order = EARLY
    app.plugins = first(app.plugins, ({ src }) => src)
  })
  nuxt.hook('nitro:init', () => {
    const { options } = nuxt.runWithContext(useNitro)
    options.scanDirs = first(options.scanDirs, dir => dir)
  })
  // As late as can be: whatever modules and the application's own configuration have added is there by then.
  nuxt.hook('nitro:build:before', ({ options }) => {
    const folder = join(houseDir, 'server/plugins')
    const ours = readdirSync(folder)
      .toSorted()
      .map(name => join(folder, name))
    options.plugins = [...new Set([...ours, ...options.plugins])]
    options.handlers = first(options.handlers, ({ handler }) => handler)
  })
}
