import type { CatalogEntry } from '#fairway/server/domains/actions'
import type { McpScope } from '#fairway/shared/scopes'
import type { Declared } from './declared'
import type { McpApp } from './define-mcp-app'
import type { McpPrompt } from './define-mcp-prompt'
import type { McpResource } from './define-mcp-resource'
import { type Tool, toTool } from './tool'

/** Everything that an application declares for hosts, as the build finds it. */
export interface McpDeclarations {
  actions: readonly CatalogEntry[]
  resources: readonly Declared<McpResource>[]
  prompts: readonly Declared<McpPrompt>[]
  apps: readonly Declared<McpApp>[]
}

/** The same by name, in an order that never changes. */
export interface Surface {
  tools: ReadonlyMap<string, Tool>
  resources: readonly Declared<McpResource>[]
  prompts: ReadonlyMap<string, Declared<McpPrompt>>
  /** By address. */
  apps: ReadonlyMap<string, Declared<McpApp>>
}

/** The address of a declared page. */
export const appUri = (name: string): string => `ui://app/${name}`

const byName = (a: { name: string }, b: { name: string }): number => (a.name < b.name ? -1 : 1)

/** Puts the declarations in order; throws for a page whose tool does not exist. */
export function createSurface(declared: McpDeclarations): Surface {
  const apps = declared.apps.toSorted(byName)
  const actions = declared.actions.filter(entry => entry.action.mcp).toSorted(byName)
  const pageOf = new Map(apps.flatMap(app => app.declaration.tools.map(tool => [tool, appUri(app.name)])))
  const unknown = [...pageOf.keys()].filter(tool => !actions.some(entry => entry.name === tool))
  if (unknown.length > 0) throw new Error(`server/mcp/apps: there is no tool ${unknown.join(', ')}`)
  return {
    tools: new Map(actions.map(entry => [entry.name, toTool(entry, pageOf.get(entry.name))])),
    resources: declared.resources.toSorted(byName),
    prompts: new Map(declared.prompts.toSorted(byName).map(entry => [entry.name, entry])),
    apps: new Map(apps.map(app => [appUri(app.name), app])),
  }
}

/** The scope that one message needs, or null when every connected host may send it. */
export function neededScope(surface: Surface, method: string, params: Record<string, unknown>): McpScope | null {
  if (method === 'tools/call') return surface.tools.get(String(params.name))?.scope ?? null
  if (method === 'resources/read') return String(params.uri).startsWith('ui://') ? 'mcp:apps' : 'mcp:read'
  return method === 'prompts/get' || method === 'completion/complete' ? 'mcp:read' : null
}
