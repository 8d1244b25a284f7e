import { join } from 'node:path'
import { defineNuxtModule, addServerTemplate, addTypeTemplate, useLogger, type useNuxt } from '@nuxt/kit'
import { registerCollections } from './collections'
import { followDeclarations } from './follow-declarations'
import { ACTION_PLACE, actionFiles, CATALOGS, MCP_LISTS, mcpPlace, PROVIDER_PLACE } from './catalogs'
import { loadActions, loadProviders, loadMcp } from './declarations'
import type { DeclarationFile } from './discover'
import { platformDir } from './roots'

/** Finds what the application declares at build time: actions, collections, providers, and what MCP hosts see besides. */
export default defineNuxtModule({
  meta: { name: 'registry' },
  setup(_options, nuxt) {
    registerActions(nuxt)
    registerCollections(nuxt)
    registerMcp(nuxt)
    registerProviders(nuxt)
  },
})

const TYPES = 'types/fw-actions.d.ts'

/** A file below server/actions, of the application or of the platform, is served because it is there, and a broken one fails the build. */
function registerActions(nuxt: ReturnType<typeof useNuxt>): void {
  const { rootDir } = nuxt.options
  const files = () => actionFiles(rootDir)
  addServerTemplate({ filename: '#fw/actions', getContents: () => CATALOGS['#fw/actions'](rootDir) })
  addTypeTemplate({ filename: TYPES, getContents: () => catalogTypes(rootDir, files()) }, { nitro: true, nuxt: true })
  const load = async (again: boolean) => {
    const actions = await loadActions(rootDir, files(), { again })
    useLogger('actions').info(`${actions.length} actions: ${actions.map(action => action.name).join(', ')}`)
  }
  followDeclarations(nuxt, { places: [ACTION_PLACE], load, tag: 'actions', types: TYPES })
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
  const load = async (again: boolean) => {
    const loaded = await loadProviders(rootDir, { again })
    if (loaded.length > 0) useLogger('providers').info(loaded.map(({ name }) => name).join(', '))
  }
  followDeclarations(nuxt, { places: [PROVIDER_PLACE], load, tag: 'providers' })
}

/** Finds resources, prompts and pages for MCP hosts at build time, as actions are found; a broken one fails the build. */
function registerMcp(nuxt: ReturnType<typeof useNuxt>): void {
  const { rootDir } = nuxt.options
  addServerTemplate({ filename: '#fw/mcp', getContents: () => CATALOGS['#fw/mcp'](rootDir) })
  addTypeTemplate({ filename: 'types/fw-mcp.d.ts', getContents: mcpTypes }, { nitro: true, nuxt: true })
  const load = async (again: boolean) => {
    const loaded = await loadMcp(rootDir, { again })
    for (const list of MCP_LISTS) {
      const names = loaded[list].map(({ name }) => name)
      if (names.length > 0) useLogger('mcp').info(`${list}: ${names.join(', ')}`)
    }
  }
  followDeclarations(nuxt, { places: MCP_LISTS.map(mcpPlace), load, tag: 'mcp' })
}

function mcpTypes(): string {
  const declared = `import(${JSON.stringify(join(platformDir, 'server/domains/mcp'))}).McpDeclarations`
  const rows = MCP_LISTS.map(list => `  export const ${list}: ${declared}['${list}']\n`)
  return `declare module '#fw/mcp' {\n${rows.join('')}}\n`
}
