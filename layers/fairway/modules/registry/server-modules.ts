// What the build does with the server's own modules: it writes them, says what is in them, and builds them again.
import { join } from 'node:path'
import { addServerTemplate, addTypeTemplate, useNitro, type useNuxt } from '@nuxt/kit'
import type { Nitro } from 'nitropack/types'
import type { DeclarationFile } from './discover'

type Nuxt = ReturnType<typeof useNuxt>

interface ServerModule {
  contents: () => string
  /** The lines inside of its declaration. */
  types: () => string
  /** Further declarations. They are ambient: a top-level import or export would turn their file into a module of its own. */
  also?: () => string
}

/** The file of types of a module. */
export const typesFile = (name: `#fw/${string}`) => `types/fw-${name.slice('#fw/'.length)}.d.ts` as const

/** Gives the server a module that the build writes (`#fw/actions`), and TypeScript its types. */
export function addServerModule(name: `#fw/${string}`, { contents, types, also }: ServerModule): void {
  addServerTemplate({ filename: name, getContents: contents })
  const getContents = () => `declare module '${name}' {\n${types()}}\n${also?.() ?? ''}`
  addTypeTemplate({ filename: typesFile(name), getContents }, { nitro: true, nuxt: true })
}

/** The lines of an interface that has a type for each file, by its name; `toType` makes it of the file's import. */
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

/** Lets development build the server again. */
export const buildAgain = (nuxt: Nuxt): Promise<void> =>
  nuxt.runWithContext(async () => void (await useNitro().hooks.callHook('rollup:reload')))

/** Looks before the pages are built, which takes longest; in development again before each build of the server, and what was built before goes on answering until then. */
export function checkWithBuild(nuxt: Nuxt, name: string, check: (nitro: Nitro) => void | Promise<void>): void {
  if (!nuxt.options.dev) return void nuxt.hook('build:before', () => check(useNitro()))
  nuxt.hook('nitro:init', () => {
    const nitro = nuxt.runWithContext(useNitro)
    nitro.hooks.hook('rollup:before', (_nitro, config) => {
      config.plugins = [config.plugins, { name, buildStart: () => check(nitro) }]
    })
  })
}
