import { isOffered } from '#fairway/server/domains/actions'
import type { App } from '#fairway/server/kernel/app-context'
import type { McpScope } from '#fairway/shared/scopes'
import { toListed, toListedApp } from './resources'
import { type McpDeclarations, surfaceOf, type Tool } from './surface'

export interface CatalogTool {
  name: string
  title: string
  description: string
  readOnly: boolean
  destructive: boolean
  scope: McpScope
  /** The roles that may call it; absent where every member may. */
  roles?: readonly string[]
  inputSchema: Record<string, unknown>
  outputSchema?: Record<string, unknown>
  /** The address of the page that shows its answers. */
  app?: string
}

/** Everything that hosts see, for the page of tools: what there is, which scope it needs and which roles may use it. */
export const toolCatalog = (app: App, declared: McpDeclarations) =>
  app.memo('mcp-tool-catalog', () => {
    const surface = surfaceOf(app, declared)
    return {
      tools: [...surface.tools.values()]
        .filter(tool => isOffered(tool.action, app.config))
        .map(tool => toCatalogTool(app, tool)),
      resources: [
        ...surface.resources.map(entry => ({ ...toListed(entry), scope: 'mcp:read' as const })),
        ...[...surface.apps.values()].map(entry => ({ ...toListedApp(entry), scope: 'mcp:apps' as const })),
      ],
      prompts: [...surface.prompts.values()].map(({ name, declaration: { title, description, args } }) => ({
        name,
        title,
        description,
        scope: 'mcp:read' as const,
        arguments: Object.keys(args.shape),
      })),
    }
  })

function toCatalogTool({ config }: App, { name, action, scope, definition, appUri }: Tool): CatalogTool {
  const { title, description, inputSchema, outputSchema } = definition
  return {
    name,
    title,
    description,
    readOnly: action.readOnly,
    destructive: action.destructive,
    scope,
    roles: action.platform?.admits(config).roles ?? (action.guard && rolesOf(action.guard)),
    inputSchema,
    outputSchema,
    app: appUri,
  }
}

// A guard of `requireAny` says its roles; of any other one it is only known that there is one.
function rolesOf(guard: object): readonly string[] {
  const roles = 'roles' in guard ? guard.roles : undefined
  return Array.isArray(roles) ? roles.map(String) : ['whoever the guard of the action lets in']
}
