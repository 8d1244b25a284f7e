// Helpers for the server modules that the build generates: their contents, their types and rebuilds.
import { join } from 'node:path'
import { addServerTemplate, addTypeTemplate, useNitro, type useNuxt } from '@nuxt/kit'
import type { Nitro } from 'nitropack/types'
import type { DeclarationFile } from './discover'

type Nuxt = ReturnType<typeof useNuxt>

interface ServerModule {
  contents: () => string
  /** The lines inside of its declaration. */
  types: () => string
  /** Further declarations. They are ambient: a top-level import or export would turn their file into a module. */
  also?: () => string
}

/** The file of types of a module. */
export const typesFile = (name: `#fw/${string}`) => `types/fw-${name.slice('#fw/'.length)}.d.ts` as const

/** Adds a generated module to the server (`#fw/actions`), and its types to TypeScript. */
export function addServerModule(name: `#fw/${string}`, { contents, types, also }: ServerModule): void {
  addServerTemplate({ filename: name, getContents: contents })
  const getContents = () => `declare module '${name}' {\n${types()}}\n${also?.() ?? ''}`
  addTypeTemplate({ filename: typesFile(name), getContents }, { nitro: true, nuxt: true })
}

/** The lines of an interface with a type for each file, by its name. `toType` creates the type from the file's import. */
export const typeLines = (
  rootDir: string,
  files: readonly DeclarationFile[],
  toType: (imported: string) => string,
): string =>
  files
    .map(({ name, path }) => {
      const imported = `import(${JSON.stringify(join(rootDir, path.replace(/\.tsx?$/, '')))})`
      return `    ${JSON.stringify(name)}: ${toType(imported)}\n`
    })
    .join('')

/** Rebuilds the server in development. */
export const buildAgain = (nuxt: Nuxt): Promise<void> =>
  nuxt.runWithContext(async () => void (await useNitro().hooks.callHook('rollup:reload')))

/**
 * Runs the check before the pages are built, which takes longest. In development, it runs before each build of the server, while
 * the previous build keeps answering.
 */
export function checkWithBuild(nuxt: Nuxt, name: string, check: (nitro: Nitro) => void | Promise<void>): void {
  if (!nuxt.options.dev) return void nuxt.hook('build:before', () => check(useNitro()))
  nuxt.hook('nitro:init', () => {
    const nitro = nuxt.runWithContext(useNitro)
    nitro.hooks.hook('rollup:before', (_nitro, config) => {
      config.plugins = [config.plugins, { name, buildStart: () => check(nitro) }]
    })
  })
}
