import type { McpDeclarations } from '../../server/domains/mcp'
import { isDeclared } from '../../server/kernel/declaration'
import { discoverAll } from './discover'
import { type DeclarationKind, loadDeclarations, type LoadOptions } from './load-declarations'
import type { DeclarationFile } from './names'

type List = Exclude<keyof McpDeclarations, 'actions'>
type Declaration<L extends List> = McpDeclarations[L][number]['declaration']

const kinds = {
  resources: kind<Declaration<'resources'>>('resource', 'defineMcpResource'),
  prompts: kind<Declaration<'prompts'>>('prompt', 'defineMcpPrompt'),
  apps: kind<Declaration<'apps'>>('app', 'defineMcpApp'),
}

function kind<T>(name: 'resource' | 'prompt' | 'app', maker: string): DeclarationKind<T> {
  return { plural: `MCP ${name}s`, maker, isOne: (value): value is T => isDeclared(name, value) }
}

/** What app authors declare for MCP hosts besides the tools. */
export const MCP_LISTS = ['resources', 'prompts', 'apps'] as const

/** Where the declarations of one of these lists are. */
export const mcpPlace = (list: List): string => `server/mcp/${list}`

/** The files of one of these lists. */
export const mcpFiles = (rootDir: string, list: List): DeclarationFile[] => discoverAll(rootDir, mcpPlace(list))

/** Loads all of them; throws DeclarationError with all faults of a list at once. */
export async function loadMcp(rootDir: string, options?: LoadOptions): Promise<Omit<McpDeclarations, 'actions'>> {
  const load = async <T>(list: List, expected: DeclarationKind<T>) => {
    const loaded = await loadDeclarations(rootDir, mcpFiles(rootDir, list), expected, options)
    return loaded.map(({ name, declared }) => ({ name, declaration: declared }))
  }
  return {
    resources: await load('resources', kinds.resources),
    prompts: await load('prompts', kinds.prompts),
    apps: await load('apps', kinds.apps),
  }
}
