import { join } from 'node:path'
import { addServerTemplate, addTypeTemplate, useLogger, type useNuxt } from '@nuxt/kit'
import { isDeclared } from '../../server/foundation/declared'
import { discover } from './discover'
import { type DeclarationKind, loadDeclarations } from './load-declarations'
import type { DeclarationFile } from './names'

/** Where app authors declare what MCP hosts see besides the tools, and which function declares it. */
const places = [
  { list: 'resources', kind: kind('resource', 'defineMcpResource') },
  { list: 'prompts', kind: kind('prompt', 'defineMcpPrompt') },
  { list: 'apps', kind: kind('app', 'defineMcpApp') },
] as const

function kind(name: 'resource' | 'prompt' | 'app', maker: string): DeclarationKind<object> {
  return { plural: `MCP ${name}s`, maker, isOne: (value): value is object => isDeclared(name, value) }
}

/** Finds resources, prompts and pages for MCP hosts at build time, as actions are found; a broken one fails the build. */
export function addMcpCatalog(nuxt: ReturnType<typeof useNuxt>): void {
  const { rootDir } = nuxt.options
  const found = () => places.map(place => ({ ...place, files: discover(rootDir, `server/mcp/${place.list}`) }))
  addServerTemplate({
    filename: '#fw/mcp',
    getContents: () =>
      found()
        .map(({ list, files }) => listModule(rootDir, list, files))
        .join(''),
  })
  addTypeTemplate(
    { filename: 'types/fw-mcp.d.ts', getContents: () => listTypes(rootDir) },
    { nitro: true, nuxt: true, node: true },
  )
  nuxt.hook('build:before', async () => {
    for (const { list, files, kind: expected } of found()) {
      const loaded = await loadDeclarations(rootDir, files, expected)
      if (loaded.length > 0) useLogger('mcp').info(`${list}: ${loaded.map(({ name }) => name).join(', ')}`)
    }
  })
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

function listTypes(rootDir: string): string {
  const declared = `import(${JSON.stringify(join(rootDir, 'server/domains/mcp'))}).McpDeclarations`
  const rows = places.map(({ list }) => `  export const ${list}: ${declared}['${list}']\n`)
  return `declare module '#fw/mcp' {\n${rows.join('')}}\n`
}
