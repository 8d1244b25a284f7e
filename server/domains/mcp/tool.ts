import { z } from 'zod'
import { type Action, type CatalogEntry, inputJsonSchema } from '#server/domains/actions'
import type { McpScope } from '#shared/scopes'

/** A tool as hosts see it. */
export interface ToolDefinition {
  name: string
  title: string
  description: string
  inputSchema: { type: 'object' } & Record<string, unknown>
  outputSchema?: Record<string, unknown>
  annotations: {
    title: string
    readOnlyHint: boolean
    destructiveHint: boolean
    idempotentHint: boolean
    openWorldHint: boolean
  }
  _meta?: Record<string, unknown>
}

export interface Tool {
  name: string
  action: Action
  scope: McpScope
  definition: ToolDefinition
  /** The address of the page that shows its answers. */
  appUri?: string
}

/** The scope that calling an action by MCP needs. */
export const scopeOfAction = ({ readOnly }: Action): McpScope => (readOnly ? 'mcp:read' : 'mcp:write')

/** An action as a tool: what hosts need to choose and to call it. */
export function toTool({ name, action }: CatalogEntry, appUri?: string): Tool {
  const title = titleOf(name)
  const definition: ToolDefinition = {
    name,
    title,
    description: action.description,
    inputSchema: { ...inputJsonSchema(action), type: 'object' },
    ...(action.output ? { outputSchema: outputSchema(action.output) } : {}),
    annotations: {
      title,
      readOnlyHint: action.readOnly,
      destructiveHint: action.destructive,
      idempotentHint: action.readOnly,
      openWorldHint: false,
    },
  }
  return { name, action, scope: scopeOfAction(action), definition, appUri }
}

/** The tool for hosts that may open its page (MCP Apps). */
export const withApp = ({ definition, appUri }: Tool): ToolDefinition =>
  appUri ? { ...definition, _meta: { ui: { resourceUri: appUri }, 'ui/resourceUri': appUri } } : definition

function titleOf(name: string): string {
  const words = name.split(/[-_]/).join(' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

const outputSchema = (schema: z.ZodType): Record<string, unknown> => z.toJSONSchema(schema, { unrepresentable: 'any' })
