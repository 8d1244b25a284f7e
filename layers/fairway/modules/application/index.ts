import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { addServerTemplate, addTypeTemplate, defineNuxtModule, useNitro, type useNuxt } from '@nuxt/kit'
import type { NitroConfig } from 'nitropack/types'
import { hasHook } from '../registry/catalogs'
import { fwConfigFile, platformDir, isPlatformFile } from '../registry/roots'
import { restartWhenChanged } from '../registry/follow-declarations'
import { ownComposables, serverImports } from './imports'
import { reportReplaced } from './report-replaced'

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
          const file = JSON.stringify(join(platformDir, 'server/kernel/config/fw-config'))
          return `declare module '#fw/config' {\n  const config: import(${file}).FwConfig\n  export default config\n}\n`
        },
      },
      { nitro: true, nuxt: true },
    )
    const config = join(rootDir, 'fw.config.ts')
    restartWhenChanged(nuxt, config, () => (existsSync(config) ? readFileSync(config, 'utf8') : ''))
    // A migration is applied as at every start.
    for (const root of [rootDir, platformDir]) {
      const dir = join(root, 'drizzle')
      const names = () => (existsSync(dir) ? readdirSync(dir).filter(name => name.endsWith('.sql')) : []).join()
      restartWhenChanged(nuxt, dir, names)
    }
    nuxt.hook('nitro:config', options => {
      shipMigrations(options)
      // A file of the application that lies in no folder of Nuxt's; without this it belongs to no TypeScript project.
      const tsConfig = ((options.typescript ??= {}).tsConfig ??= {})
      // Tests run declarations, which these types describe; where they are a project of their own, that says what they see.
      const tests = existsSync(join(rootDir, 'tests/tsconfig.json')) ? [] : [join(rootDir, 'tests/**/*.test.ts')]
      tsConfig.include = [...(tsConfig.include ?? []), config, ...tests]
    })
    nuxt.hook('prepare:types', ({ nodeTsConfig }) => {
      ;(nodeTsConfig.include ??= []).push(join(rootDir, 'drizzle.config.ts'))
    })
    localMigrationHook(nuxt)
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

/** As early as `enforce: 'pre'`, by Nuxt's own numbers: an application's plugin that says so comes after, whatever its name. */
const EARLY = -20

/**
 * Nuxt and Nitro join lists with the application's first; styles would lose, and middleware and plugins would run before the
 * platform's. Numbers in file names sort the files of one folder only. Layers between the two come with the application.
 */
function platformFirst(nuxt: ReturnType<typeof useNuxt>): void {
  const first = <T>(list: readonly T[], fileOf: (item: T) => unknown): T[] => {
    const isOurs = (item: T) => isPlatformFile(String(fileOf(item)))
    return [...list.filter(isOurs), ...list.filter(item => !isOurs(item))]
  }
  nuxt.options.css = first(nuxt.options.css, file => file)
  nuxt.hook('app:resolve', app => {
    for (const plugin of app.plugins) if (isPlatformFile(plugin.src)) plugin.order = EARLY
    app.plugins = first(app.plugins, ({ src }) => src)
  })
  nuxt.hook('nitro:init', () => {
    const { options } = nuxt.runWithContext(useNitro)
    options.scanDirs = first(options.scanDirs, dir => dir)
  })
  // As late as can be: whatever modules and the application's own configuration have added is there by then.
  nuxt.hook('nitro:build:before', ({ options }) => {
    const folder = join(platformDir, 'server/plugins')
    const ours = readdirSync(folder)
      .toSorted()
      .map(name => join(folder, name))
    options.plugins = [...new Set([...ours, ...options.plugins])]
    options.handlers = first(options.handlers, ({ handler }) => handler)
  })
}

/** Tells the server whether this application has `POST /api/local-migration`, from the routes of the build itself. */
function localMigrationHook(nuxt: ReturnType<typeof useNuxt>): void {
  addServerTemplate({
    filename: '#fw/local-migration',
    getContents() {
      // The bundler asks from outside of every context.
      const { scannedHandlers, options } = nuxt.runWithContext(useNitro)
      return `export const hasLocalMigrationHook = ${hasHook([...scannedHandlers, ...options.handlers])}\n`
    },
  })
  addTypeTemplate(
    {
      filename: 'types/fw-local-migration.d.ts',
      getContents: () => `declare module '#fw/local-migration' {\n  export const hasLocalMigrationHook: boolean\n}\n`,
    },
    { nitro: true, nuxt: true },
  )
}
