import { callersOf, type CatalogEntry, inputJsonSchema, isOffered } from '#fairway/server/domains/actions'
import type { App } from '#fairway/server/kernel/app-context'
import type { CatalogTool } from '#fairway/shared/schemas/tool-catalog'
import { toListed, toListedApp } from './resources'
import { type McpDeclarations, surfaceOf, titleOf, type Tool, toolSchema } from './surface'

/** Every action that is offered here and everything else that hosts see, for the pages: what there is, which scope it needs and who may use it. */
export const toolCatalog = (app: App, declared: McpDeclarations) =>
  app.memo('mcp-tool-catalog', () => {
    const surface = surfaceOf(app, declared)
    return {
      tools: declared.actions
        .filter(({ action }) => isOffered(action, app.config) && (action.http || action.mcp))
        .toSorted((a, b) => (a.name < b.name ? -1 : 1))
        .map(entry => toCatalogTool(app, entry, surface.tools.get(entry.name))),
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

function toCatalogTool({ config }: App, entry: CatalogEntry, tool: Tool | undefined): CatalogTool {
  const { name, group, isPlatform = false, action } = entry
  const callers = callersOf(action, config)
  return {
    name,
    title: titleOf(name),
    description: action.description,
    group,
    isPlatform,
    readOnly: action.readOnly,
    destructive: action.destructive,
    callers,
    http: action.http,
    scope: tool?.scope,
    roles: callers.roles,
    inputSchema: inputJsonSchema(action),
    outputSchema: action.output && toolSchema(action.output, 'output'),
    app: tool?.appUri,
  }
}
