import { join } from 'node:path'
import { addServerTemplate, addTypeTemplate, useLogger, type useNuxt } from '@nuxt/kit'
import { followDeclarations } from './follow-declarations'
import { loadMcp, MCP_LISTS, mcpFiles, mcpPlace } from './load-mcp'
import type { DeclarationFile } from './names'
import { houseDir } from './roots'

/** Finds resources, prompts and pages for MCP hosts at build time, as actions are found; a broken one fails the build. */
export function addMcpCatalog(nuxt: ReturnType<typeof useNuxt>): void {
  const { rootDir } = nuxt.options
  addServerTemplate({
    filename: '#fw/mcp',
    getContents: () => MCP_LISTS.map(list => listModule(rootDir, list, mcpFiles(rootDir, list))).join(''),
  })
  addTypeTemplate({ filename: 'types/fw-mcp.d.ts', getContents: () => listTypes() }, { nitro: true, nuxt: true })
  const load = async (again: boolean) => {
    const loaded = await loadMcp(rootDir, { again })
    for (const list of MCP_LISTS) {
      const names = loaded[list].map(({ name }) => name)
      if (names.length > 0) useLogger('mcp').info(`${list}: ${names.join(', ')}`)
    }
  }
  followDeclarations(nuxt, { places: MCP_LISTS.map(mcpPlace), load, tag: 'mcp' })
}

function listModule(rootDir: string, list: string, files: DeclarationFile[]): string {
  const imports = files.map(
    (file, index) => `import ${list}${index} from ${JSON.stringify(join(rootDir, file.path))}\n`,
  )
  const entries = files.map(
    (file, index) => `  { name: ${JSON.stringify(file.name)}, declaration: ${list}${index} },\n`,
  )
  return `${imports.join('')}export const ${list} = [\n${entries.join('')}]\n`
}

function listTypes(): string {
  const declared = `import(${JSON.stringify(join(houseDir, 'server/domains/mcp'))}).McpDeclarations`
  const rows = MCP_LISTS.map(list => `  export const ${list}: ${declared}['${list}']\n`)
  return `declare module '#fw/mcp' {\n${rows.join('')}}\n`
}
