import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { addServerTemplate, addTypeTemplate, defineNuxtModule, useNitro } from '@nuxt/kit'
import type { NitroConfig } from 'nitropack/types'
import { fwConfigFile, houseDir, isHouse } from '../registry/roots'
import { watchMigrations } from './watch-migrations'

/** What the platform takes from the application that extends it, and the order in which the two come. */
export default defineNuxtModule({
  meta: { name: 'application' },
  setup(_options, nuxt) {
    const { rootDir } = nuxt.options
    addServerTemplate({
      filename: '#fw/config',
      getContents: () => `export { default } from ${JSON.stringify(fwConfigFile(rootDir))}\n`,
    })
    addTypeTemplate(
      {
        filename: 'types/fw-config.d.ts',
        getContents: () => {
          const file = JSON.stringify(join(houseDir, 'server/foundation/config/fw-config'))
          return `declare module '#fw/config' {\n  const config: import(${file}).FwConfig\n  export default config\n}\n`
        },
      },
      { nitro: true, nuxt: true },
    )
    nuxt.options.watch.push(join(rootDir, 'fw.config.ts'))
    nuxt.hook('nitro:config', config => {
      shipMigrations(config)
      // A file of the application that lies in no folder of Nuxt's; without this it belongs to no TypeScript project.
      const tsConfig = ((config.typescript ??= {}).tsConfig ??= {})
      tsConfig.include = [...(tsConfig.include ?? []), join(rootDir, 'fw.config.ts')]
    })
    nuxt.hook('prepare:types', ({ nodeTsConfig }) => {
      ;(nodeTsConfig.include ??= []).push(join(rootDir, 'drizzle.config.ts'))
    })
    watchMigrations(nuxt)
    platformFirst()

    /** The application's own migrations, beside the platform's; what drizzle-kit notes about them stays out of the build. */
    function shipMigrations(config: Pick<NitroConfig, 'plugins' | 'serverAssets'>): void {
      const dir = join(rootDir, 'drizzle')
      if (existsSync(dir))
        (config.serverAssets ??= []).push({ baseName: 'application-migrations', dir, ignore: ['meta/**'] })
    }

    /** Nuxt and Nitro join lists with the application's first; styles would lose, and middleware would run before the checks. */
    function platformFirst(): void {
      const first = <T>(list: readonly T[], fileOf: (item: T) => unknown): T[] => {
        const isOurs = (item: T) => isHouse(String(fileOf(item)))
        return [...list.filter(isOurs), ...list.filter(item => !isOurs(item))]
      }
      nuxt.options.css = first(nuxt.options.css, file => file)
      nuxt.hook('nitro:config', config => {
        const folder = join(houseDir, 'server/plugins')
        const ours = readdirSync(folder)
          .toSorted()
          .map(name => join(folder, name))
        config.plugins = [...ours, ...(config.plugins ?? [])]
      })
      nuxt.hook('nitro:init', () => {
        const { options } = nuxt.runWithContext(useNitro)
        options.scanDirs = first(options.scanDirs, dir => dir)
      })
    }
  },
})
