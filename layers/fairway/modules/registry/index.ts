import { join } from 'node:path'
import { defineNuxtModule, addServerTemplate, addTypeTemplate, useLogger, type useNuxt } from '@nuxt/kit'
import { registerCollections } from './collections'
import { registerOperations } from './operations'
import { followDeclarations } from './follow-declarations'
import {
  ACTION_PLACE,
  actionFiles,
  CATALOGS,
  MCP_LISTS,
  mcpFiles,
  mcpPlace,
  PROVIDER_PLACE,
  providerFiles,
} from './catalogs'
import { DECLARED, loadActions, loadProviders, loadMcp } from './declarations'
import { type DeclarationFile, listModule } from './discover'
import { platformDir, withShortPaths } from './roots'

/** Finds what the application declares at build time: actions, collections, providers, and what MCP hosts see besides. */
export default defineNuxtModule({
  meta: { name: 'registry' },
  setup(_options, nuxt) {
    registerActions(nuxt)
    registerCollections(nuxt)
    registerOperations(nuxt)
    registerMcp(nuxt)
    registerProviders(nuxt)
    addTypeTemplate({ filename: 'types/fw-declared.d.ts', getContents: declaredTypes }, { nitro: true, nuxt: true })
    if (nuxt.options.dev) listDeclared(nuxt)
  },
})

const namesOf = (files: readonly DeclarationFile[]): string => files.map(({ name }) => name).join(', ')

const declaredTypes = () =>
  `declare module '#fw/declared' {\n  export const declared: readonly { name: string; path: string; maker: string; value: unknown }[]\n}\n`

/** Gives the development server all declarations with their files, so that it can say which one is none (server/mounted/check-declarations.ts). */
function listDeclared(nuxt: ReturnType<typeof useNuxt>): void {
  const { rootDir } = nuxt.options
  addServerTemplate({
    filename: '#fw/declared',
    getContents: () => {
      const files = DECLARED.flatMap(({ list, maker }) => list(rootDir).map(file => ({ ...file, maker })))
      return listModule(
        rootDir,
        'declared',
        files,
        ({ name, path, maker }, imported) =>
          `{ name: ${JSON.stringify(name)}, path: ${JSON.stringify(withShortPaths(join(rootDir, path), rootDir))}, maker: ${JSON.stringify(maker)}, value: ${imported}.default }`,
        '* as ',
      )
    },
  })
}

const TYPES = 'types/fw-actions.d.ts'

/** A file below server/actions, of the application or of the platform, is served because it is there, and a broken one fails the build. */
function registerActions(nuxt: ReturnType<typeof useNuxt>): void {
  const { rootDir } = nuxt.options
  const files = () => actionFiles(rootDir)
  addServerTemplate({ filename: '#fw/actions', getContents: () => CATALOGS['#fw/actions'](rootDir) })
  addTypeTemplate({ filename: TYPES, getContents: () => catalogTypes(rootDir, files()) }, { nitro: true, nuxt: true })
  followDeclarations(nuxt, {
    places: [ACTION_PLACE],
    files,
    load: async () => void (await loadActions(rootDir, files())),
    tell: () => useLogger('actions').info(`${files().length} actions: ${namesOf(files())}`),
    tag: 'actions',
    types: TYPES,
  })
}

// Ambient declarations: a top-level import or export would turn this file into a module of its own.
function catalogTypes(rootDir: string, files: DeclarationFile[]): string {
  const actions = JSON.stringify(join(platformDir, 'server/domains/actions'))
  const rows = files.map(file => {
    const path = JSON.stringify(join(rootDir, file.path.replace(/\.ts$/, '')))
    return `    ${JSON.stringify(file.name)}: import(${actions}).ActionTypeOf<typeof import(${path}).default>\n`
  })
  return (
    `declare module '#fw/actions' {\n  export const catalog: import(${actions}).CatalogEntry[]\n}\n` +
    `declare module '#fw/action-types' {\n  export interface ActionTypes {\n${rows.join('')}  }\n}\n`
  )
}

/** A file below server/providers can be connected when it has a client, and a broken one fails the build. */
function registerProviders(nuxt: ReturnType<typeof useNuxt>): void {
  const { rootDir } = nuxt.options
  addServerTemplate({ filename: '#fw/providers', getContents: () => CATALOGS['#fw/providers'](rootDir) })
  addTypeTemplate(
    {
      filename: 'types/fw-providers.d.ts',
      getContents: () => {
        const domain = JSON.stringify(join(platformDir, 'server/domains/oauth-client'))
        return `declare module '#fw/providers' {\n  export const providers: import(${domain}).ProviderRecord[]\n}\n`
      },
    },
    { nitro: true, nuxt: true },
  )
  const files = () => providerFiles(rootDir)
  followDeclarations(nuxt, {
    places: [PROVIDER_PLACE],
    files,
    load: async () => void (await loadProviders(rootDir)),
    tell: () => (files().length > 0 ? useLogger('providers').info(namesOf(files())) : undefined),
    tag: 'providers',
  })
}

/** Finds resources, prompts and pages for MCP hosts at build time, as actions are found; a broken one fails the build. */
function registerMcp(nuxt: ReturnType<typeof useNuxt>): void {
  const { rootDir } = nuxt.options
  addServerTemplate({ filename: '#fw/mcp', getContents: () => CATALOGS['#fw/mcp'](rootDir) })
  addTypeTemplate({ filename: 'types/fw-mcp.d.ts', getContents: mcpTypes }, { nitro: true, nuxt: true })
  for (const list of MCP_LISTS) {
    const files = () => mcpFiles(rootDir, list)
    followDeclarations(nuxt, {
      places: [mcpPlace(list)],
      files,
      load: async () => void (await loadMcp(rootDir)),
      tell: () => (files().length > 0 ? useLogger('mcp').info(`${list}: ${namesOf(files())}`) : undefined),
      tag: `MCP ${list}`,
    })
  }
}

function mcpTypes(): string {
  const declared = `import(${JSON.stringify(join(platformDir, 'server/domains/mcp'))}).McpDeclarations`
  const rows = MCP_LISTS.map(list => `  export const ${list}: ${declared}['${list}']\n`)
  return `declare module '#fw/mcp' {\n${rows.join('')}}\n`
}
