import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineNuxtModule, useNitro, type useNuxt } from '@nuxt/kit'
import type { NitroConfig } from 'nitropack/types'
import { hasHook, NAMES_OF_FW, SESSIONS_OF_H3 } from '../registry/catalogs'
import { fwConfigFile, isPlatformFile, platformDir } from '../registry/roots'
import { restartWhenChanged } from '../registry/follow-declarations'
import { addServerModule } from '../registry/server-modules'
import { reportReplaced } from './report-replaced'
import type { NuxtHooks } from 'nuxt/schema'

/** What the platform reads from the application that extends it, and the load order of the two. */
export default defineNuxtModule({
  meta: { name: 'application' },
  setup(_options, nuxt) {
    const { rootDir } = nuxt.options
    addServerModule('#fw/config', {
      contents: () => `export { default } from ${JSON.stringify(fwConfigFile(rootDir))}\n`,
      types: () => {
        const file = JSON.stringify(join(platformDir, 'server/kernel/config/fw-config'))
        return `  const config: import(${file}).FwConfig\n  export default config\n`
      },
    })
    const config = join(rootDir, 'fw.config.ts')
    restartWhenChanged(nuxt, config, () => (existsSync(config) ? readFileSync(config, 'utf8') : ''))
    // Migrations are applied at every start.
    for (const root of [rootDir, platformDir]) {
      const dir = join(root, 'drizzle')
      const names = () => (existsSync(dir) ? readdirSync(dir).filter(name => name.endsWith('.sql')) : []).join()
      restartWhenChanged(nuxt, dir, names)
    }
    nuxt.hook('nitro:config', options => {
      shipMigrations(options)
      // This file is outside Nuxt's folders. Without this entry it belongs to no TypeScript project.
      const tsConfig = ((options.typescript ??= {}).tsConfig ??= {})
      // These types describe the declarations that tests run. A separate tests/tsconfig.json configures this itself.
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

    /** The application's own migrations, beside the platform's. The metadata of drizzle-kit stays out of the build. */
    function shipMigrations(config: Pick<NitroConfig, 'plugins' | 'serverAssets'>): void {
      const dir = join(rootDir, 'drizzle')
      if (existsSync(dir))
        (config.serverAssets ??= []).push({ baseName: 'application-migrations', dir, ignore: ['meta/**'] })
    }
  },
})

/**
 * The numeric order of `enforce: 'pre'` in Nuxt. An application's plugin with that setting runs afterwards, regardless of its
 * name.
 */
const EARLY = -20

/**
 * Nuxt and Nitro put the application first in their lists. Its styles would lose, and its middleware and plugins would run before
 * the platform's. Numbers in file names only sort files of the same folder. Layers between the two count as the application.
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
  // Runs as late as possible, after all modules and the application's own configuration have added their entries.
  nuxt.hook('nitro:build:before', ({ options }) => {
    const folder = join(platformDir, 'server/plugins')
    const ours = readdirSync(folder)
      .toSorted()
      .map(name => join(folder, name))
    options.plugins = [...new Set([...ours, ...options.plugins])]
    options.handlers = first(options.handlers, ({ handler }) => handler)
  })
}

/** Tells the server whether this application has `POST /api/local-migration`, based on the routes of the build. */
const localMigrationHook = (nuxt: ReturnType<typeof useNuxt>): void =>
  addServerModule('#fw/local-migration', {
    contents() {
      // The bundler calls this outside any Nuxt context.
      const { scannedHandlers, options } = nuxt.runWithContext(useNitro)
      return `export const hasLocalMigrationHook = ${hasHook([...scannedHandlers, ...options.handlers])}\n`
    },
    types: () => '  export const hasLocalMigrationHook: boolean\n',
  })

// Names that files use without an import: the application's on the server, and the platform's own composables. h3's `getSession`
// would be auto-imported and *creates* a session, so authors get the one of `#fw` instead. The bundler creates its context from
// Nitro's options, and types come from another context. Both must change.

/**
 * Nitro's auto-imports, for the application's files. The platform imports what it uses: its files are excluded, so that they
 * never get a name from the application.
 */
export function serverImports(nuxt: ReturnType<typeof useNuxt>): void {
  nuxt.hook('nitro:config', config => {
    if (config.imports === false) return
    config.imports ??= {}
    const excluded = [config.imports.exclude ?? []].flat()
    config.imports.exclude = [...excluded, new RegExp(`^${RegExp.escape(platformDir)}/`)]
  })
  nuxt.hook('nitro:init', async () => {
    const { options, unimport } = nuxt.runWithContext(useNitro)
    if (!options.imports) return
    // Set twice, because the bundler creates a separate context from the options, and types come from this one.
    options.imports.imports = [...(options.imports.imports ?? []), ...NAMES_OF_FW]
    options.imports.presets = (options.imports.presets ?? []).map(preset =>
      typeof preset !== 'string' && 'imports' in preset && preset.from === 'h3'
        ? { ...preset, imports: preset.imports.filter(each => !SESSIONS_OF_H3.includes(String(each))) }
        : preset,
    )
    if (!isUnimport(unimport)) return
    const context = unimport.getInternalContext()
    const others = context.staticImports.filter(({ from, name }) => !(from === 'h3' && SESSIONS_OF_H3.includes(name)))
    await context.replaceImports([...others, ...NAMES_OF_FW])
  })
}

type Unimport = Parameters<NuxtHooks['imports:context']>[0]

// Nitro does not declare this type.
const isUnimport = (value: unknown): value is Unimport =>
  typeof value === 'object' && value !== null && 'getInternalContext' in value

/**
 * If an application has a composable with the name of a platform composable, only the application uses it. The platform's own
 * files keep using theirs. An upgrade may therefore add names that an application already has.
 */
export function ownComposables(nuxt: ReturnType<typeof useNuxt>): void {
  const ours = new Map<string, string>()
  nuxt.hook('imports:extend', all => {
    for (const { as, name, from } of all) if (isPlatformFile(from)) ours.set(as ?? name, from)
  })
  nuxt.hook('imports:context', context => {
    context.getInternalContext().addons.push({
      name: 'own-composables',
      injectImportsResolved: (imports, _code, id) =>
        id !== undefined && isPlatformFile(id) ? imports.map(each => toOwn(each, ours)) : imports,
    })
  })
}

function toOwn<T extends { as?: string; name: string; from: string }>(each: T, ours: ReadonlyMap<string, string>): T {
  const from = ours.get(each.as ?? each.name)
  return from === undefined ? each : { ...each, from }
}
