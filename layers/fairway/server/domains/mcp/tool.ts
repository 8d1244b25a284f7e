import { z } from 'zod'
import type { Action, CatalogEntry } from '#fairway/server/domains/actions'
import type { McpScope } from '#fairway/shared/scopes'

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
    inputSchema: { ...toolSchema(action.input, 'input'), type: 'object' },
    ...(action.output ? { outputSchema: toolSchema(action.output, 'output') } : {}),
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

/**
 * A schema that means the same to validators of draft-07 and of 2020-12: hosts have either, and the former refuse a
 * `$schema` that names the latter. What an author names in `meta` stays.
 */
function toolSchema(schema: z.ZodType, io: 'input' | 'output'): Record<string, unknown> {
  const { $schema: _dialect, ...stated } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: ({ jsonSchema }) => widenTuple(jsonSchema),
  })
  const own = schema.meta()?.$schema
  return own === undefined ? stated : { $schema: own, ...stated }
}

// The two drafts write tuples differently, and each takes the other's for something else: hosts are told the kinds and
// the length, and the action itself checks the places.
function widenTuple(schema: z.core.JSONSchema.BaseSchema): void {
  const { prefixItems: places, items: rest = [] } = schema
  if (!places) return
  delete schema.prefixItems
  delete schema.items
  const kinds = [places, rest].flat().filter(kind => typeof kind === 'object')
  if (kinds.length > 0) schema.items = { anyOf: kinds }
}
