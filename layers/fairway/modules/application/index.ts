import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { addServerTemplate, addTypeTemplate, defineNuxtModule } from '@nuxt/kit'
import type { NitroConfig } from 'nitropack/types'
import { fwConfigFile, houseDir } from '../registry/roots'
import { ownComposables } from './own-composables'
import { platformFirst } from './platform-first'
import { reportReplaced } from './report-replaced'
import { serverImports } from './server-imports'
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
          const file = JSON.stringify(join(houseDir, 'server/kernel/config/fw-config'))
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
    platformFirst(nuxt)
    serverImports(nuxt)
    ownComposables(nuxt)
    reportReplaced(nuxt)

    /** The application's own migrations, beside the platform's; what drizzle-kit notes about them stays out of the build. */
    function shipMigrations(config: Pick<NitroConfig, 'plugins' | 'serverAssets'>): void {
      const dir = join(rootDir, 'drizzle')
      if (existsSync(dir))
        (config.serverAssets ??= []).push({ baseName: 'application-migrations', dir, ignore: ['meta/**'] })
    }
  },
})
