// Vitest's configuration loads this file outside any build: it imports nothing of the server.
import { join } from 'node:path'
import type { Plugin } from 'vitest/config'
import { CATALOGS, hasHook, NAMES_OF_FW, SESSIONS_OF_H3 } from '../modules/registry/catalogs'
import { aliases, platformDir } from '../modules/registry/roots'
import { findHandlers, handlersModule } from './routes'

export { aliases }

/** Replaces the short names of the build in tests. The list of pages is empty, because tests do not render them. */
const SERVED: Record<string, (rootDir: string) => string> = {
  ...CATALOGS,
  '#fw/pages': () => 'export const pages = []\nexport const publicLanguages = []\n',
  '#fw/local-migration': rootDir => `export const hasLocalMigrationHook = ${hasHook(findHandlers(rootDir))}\n`,
  '#fw/handlers': rootDir => handlersModule(findHandlers(rootDir)),
  '#fw/root': rootDir => `export const rootDir = ${JSON.stringify(rootDir)}\n`,
}

const VIRTUAL = 'virtual:fairway'

export interface FairwayOptions {
  /** The folder of the application, which contains its nuxt.config; by default the folder that Vitest runs in. */
  rootDir?: string
}

/**
 * A plugin for `plugins` in vitest.config.ts: tests can import the application's declarations through the short names, without a
 * build, and run the application with `testApp`. All test files of a process share the loaded modules; `isolate: true` in the
 * configuration changes that.
 */
export function fairway({ rootDir: root }: FairwayOptions = {}): Plugin[] {
  const place = { rootDir: root ?? process.cwd() }
  return [
    {
      name: 'fairway',
      enforce: 'pre',
      config(config) {
        place.rootDir = root ?? config.root ?? process.cwd()
        const { test = {} } = config
        return {
          resolve: { alias: shortNames(place.rootDir) },
          // The platform's server pages and mails are JSX over Vue. An application's tsconfig points to files that only a build
          // writes.
          oxc: { jsx: { runtime: 'automatic', importSource: 'vue' }, tsconfig: false },
          test: {
            isolate: test.isolate ?? false,
            // Node loads no TypeScript below node_modules.
            server: { deps: { inline: [/[\\/]nuxt-fairway[\\/]/] } },
          },
        }
      },
      configureVitest({ defineCacheKeyGenerator }) {
        // The content of these modules depends on which files exist, so a cache by file would be wrong.
        defineCacheKeyGenerator(({ id }) =>
          id.includes(VIRTUAL) || hasNitroNames(place.rootDir, id) ? false : undefined,
        )
      },
      configureServer({ watcher, environments }) {
        const forget = () => {
          for (const { moduleGraph } of Object.values(environments))
            for (const [id, module] of moduleGraph.idToModuleMap)
              if (id.includes(VIRTUAL)) moduleGraph.invalidateModule(module)
        }
        watcher.on('add', forget).on('unlink', forget)
      },
      resolveId: id => (id.startsWith(VIRTUAL) ? `\0${id}` : undefined),
      load: id => SERVED[id.replace(`\0${VIRTUAL}/`, '#fw/')]?.(place.rootDir),
    },
    withNitroNames(place),
  ]
}

/** The short names. The build's own modules come before the facade `#fw`, because their names begin with it. */
function shortNames(rootDir: string) {
  const { '#fw': facade = '', ...others } = aliases(rootDir)
  return [
    ...Object.keys(SERVED).map(name => ({ find: name, replacement: name.replace('#fw', VIRTUAL) })),
    ...Object.entries(others).map(([find, replacement]) => ({ find, replacement })),
    { find: /^#fw$/, replacement: facade },
    { find: /^nuxt-fairway\/vitest$/, replacement: join(platformDir, 'testing/index.ts') },
    { find: /^nitropack\/runtime$/, replacement: join(platformDir, 'testing/nitro.ts') },
  ]
}

/**
 * Whether a file belongs to the server and is not a declaration. Declarations are also loaded outside the build and import what
 * they use.
 */
function hasNitroNames(rootDir: string, id: string): boolean {
  if (!id.startsWith(`${rootDir}/server/`)) return false
  return /^(?!(actions|collections|database|mcp|providers|pages)\/).+\.(ts|tsx|js|mjs|mts)$/.test(
    id.slice(rootDir.length + 8),
  )
}

/** The names that routes, middleware and utilities of the application can use without an import, as in Nitro. */
function withNitroNames(place: { rootDir: string }): Plugin {
  const transforms = new Map<string, Promise<(code: string, id: string) => Promise<string | undefined>>>()
  return {
    name: 'fairway:nitro-names',
    async transform(code, id) {
      const { rootDir } = place
      if (!hasNitroNames(rootDir, id)) return undefined
      if (!transforms.has(rootDir)) transforms.set(rootDir, nitroNames(rootDir))
      const changed = await (await transforms.get(rootDir))?.(code, id)
      return changed === undefined ? undefined : { code: changed, map: null }
    },
  }
}

async function nitroNames(rootDir: string) {
  const [{ createUnimport }, h3] = await Promise.all([import('unimport'), import('h3')])
  const ofH3 = Object.keys(h3).filter(name => /^[a-z]/.test(name) && name !== 'use' && !SESSIONS_OF_H3.includes(name))
  const context = createUnimport({
    imports: NAMES_OF_FW,
    presets: [
      { from: 'h3', imports: ofH3 },
      { from: 'nitropack/runtime', imports: ['defineNitroPlugin', 'useStorage', 'useRuntimeConfig'] },
    ],
    dirs: ['server/utils', 'shared/utils', 'shared/types'].map(folder => join(rootDir, folder)),
  })
  await context.init()
  return async (code: string, id: string) => {
    const { code: changed } = await context.injectImports(code, id)
    return changed === code ? undefined : changed
  }
}
