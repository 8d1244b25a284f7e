// The surface for hosts: tools made of actions, documents, prompts and pages, by name.
import type { ListToolsResult } from '@modelcontextprotocol/server'
import { z } from 'zod'
import {
  callersOf,
  type CatalogEntry,
  dropFormKeywords,
  inputJsonSchema,
  isOffered,
  scopeOfAction,
} from '#fairway/server/domains/actions'
import type { App } from '#fairway/server/kernel/app-context'
import type { Config } from '#fairway/server/kernel/config/config'
import type { CatalogTool } from '#fairway/shared/schemas/tool-catalog'
import { FILES_PREFIX } from '#fairway/shared/paths'
import type { McpScope } from '#fairway/shared/scopes'
import { APP_MIME_TYPE, type McpApp, type McpPrompt, type McpResource } from './define-mcp'
import { isRecord } from '#fairway/shared/record'
import { NAMED_SCHEMAS, VALUES } from '#fairway/shared/schema-parts'

/** Everything that an application declares for hosts, as the build finds it. */
export interface McpDeclarations {
  actions: readonly CatalogEntry[]
  resources: readonly Declared<McpResource>[]
  prompts: readonly Declared<McpPrompt>[]
  apps: readonly Declared<McpApp>[]
  /** Reads the files of rows; missing when there are none. */
  readFile?: McpResource['read']
}

/** A declaration and the name of its file. */
export interface Declared<T> {
  name: string
  declaration: T
}

/** The surface of an application, created on first use. */
export const surfaceOf = (app: App, declared: McpDeclarations): Surface =>
  app.memo('mcp-surface', () => createSurface(declared, app.config.baseUrl))

const laterOf = (app: App) =>
  app.memo('mcp-declarations', (): { load: () => Promise<McpDeclarations> } => ({
    load: () => Promise.reject(new Error('declareTools was not called')),
  }))

/** Sets the declarations that `loadSurface` finds; they are loaded when it is first called. */
export function declareTools(app: App, load: () => Promise<McpDeclarations>): void {
  laterOf(app).load = load
}

/** The surface outside requests. */
export const loadSurface = async (app: App): Promise<Surface> => surfaceOf(app, await laterOf(app).load())

/** Arranges the declarations. Throws for a page whose tool does not exist. */
export function createSurface(declared: McpDeclarations, baseUrl: string) {
  const apps = declared.apps.toSorted(byName)
  const actions = declared.actions.filter(entry => entry.action.mcp).toSorted(byName)
  const pageOf = new Map(apps.flatMap(app => app.declaration.tools.map(tool => [tool, appUri(app.name)])))
  const unknown = [...pageOf.keys()].filter(tool => !actions.some(entry => entry.name === tool))
  if (unknown.length > 0) throw new Error(`server/mcp/apps: there is no tool ${unknown.join(', ')}`)
  return {
    tools: new Map(actions.map(entry => [entry.name, toTool(entry, pageOf.get(entry.name))])),
    resources: [
      ...declared.resources.toSorted(byName),
      ...(declared.readFile ? [files(baseUrl, declared.readFile)] : []),
    ],
    prompts: new Map(declared.prompts.toSorted(byName).map(entry => [entry.name, entry])),
    apps: new Map(apps.map(app => [appUri(app.name), app])),
    /** The permissions that tools require. */
    permissions: [...new Set(actions.flatMap(({ action }) => action.guard?.permissions ?? []))],
    /** Whether hosts may get tasks. */
    hasTasks: actions.some(({ action }) => action.task),
  }
}

/** The files of all rows, at the addresses that browsers use. */
const files = (baseUrl: string, read: McpResource['read']): Declared<McpResource> => ({
  name: 'files',
  declaration: {
    uri: `${baseUrl}${FILES_PREFIX}/{collection}/{row}/{file}`,
    title: 'Files',
    description: 'A file of a row. Tools return its address as “url”.',
    isTemplate: true,
    read,
  },
})

/** The surface for hosts by name, in a stable order; pages by address. */
export type Surface = ReturnType<typeof createSurface>

const byName = (a: { name: string }, b: { name: string }): number => (a.name < b.name ? -1 : 1)

/** The address of a declared page. */
export const appUri = (name: string): string => `ui://app/${name}`

/** The scope that one message requires, or null when every connected host may send it. */
export function neededScope(surface: Surface, method: string, params: Record<string, unknown>): McpScope | null {
  if (method === 'tools/call') return surface.tools.get(String(params.name))?.scope ?? null
  if (method === 'resources/read') return String(params.uri).startsWith('ui://') ? 'mcp:apps' : 'mcp:read'
  return method === 'prompts/get' || method === 'completion/complete' ? 'mcp:read' : null
}

/** An action as a tool, with the data that hosts need to choose and call it. */
function toTool({ name, action }: CatalogEntry, appUri?: string) {
  const title = titleOf(name)
  const scope = scopeOfAction(action)
  const securitySchemes = [{ type: 'oauth2' as const, scopes: [scope] }]
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
      openWorldHint: action.external,
    },
    // Not part of the protocol (SEP-1488). Hosts that know it read it in one of these places.
    securitySchemes,
    _meta: { securitySchemes },
  }
  return {
    name,
    action,
    scope,
    definition,
    /** Whether headers repeat some of its arguments and must be compared. */
    hasHeaders: JSON.stringify(definition.inputSchema).includes('"x-mcp-header"'),
    /** Whether its data is not an object. Hosts of the earlier revisions then get it wrapped in one. */
    isWrapped: definition.outputSchema !== undefined && definition.outputSchema.type !== 'object',
    /** The address of the page that shows its results. */
    appUri,
  }
}

export type Tool = ReturnType<typeof toTool>

/** A tool as hosts see it. */
type ToolDefinition = ListToolsResult['tools'][number] & {
  securitySchemes: { type: 'oauth2'; scopes: string[] }[]
}

/** A call of a tool, for the audit row of its refusal. */
export const writeOf = ({ name, action }: Tool, input: unknown) => ({
  action: name,
  schema: action.input,
  keeps: action.audit,
  input,
})

/** The tool for hosts that may open its page (MCP Apps). */
export const withApp = ({ definition, appUri }: Tool): ToolDefinition =>
  appUri
    ? { ...definition, _meta: { ...definition._meta, ui: { resourceUri: appUri }, 'ui/resourceUri': appUri } }
    : definition

/** The tools of `tools/list` for a host with every scope, and a person whose role keeps no tool back. */
export function offeredTools(declared: McpDeclarations, config: Pick<Config, 'builder'>): ToolDefinition[] {
  // The address of the server is part of documents only.
  const { tools } = createSurface(declared, '')
  return [...tools.values()].filter(({ action }) => isOffered(action, config)).map(withApp)
}

/** The words of an action's name. */
export function titleOf(name: string): string {
  const words = name.split(/[-_]/).join(' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/**
 * A schema with the same meaning for validators of draft-07 and of 2020-12, and one `type` in each part. Hosts use either draft,
 * and draft-07 validators refuse a `$schema` of 2020-12. Keywords from an author's `meta` are kept except those for our forms,
 * because strict validators refuse unknown keywords.
 */
export function toolSchema(schema: z.ZodType, io: 'input' | 'output'): Record<string, unknown> {
  const { $schema: _dialect, ...stated } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: ({ jsonSchema }) => {
      widenTuple(jsonSchema)
      dropFormKeywords(jsonSchema)
    },
  })
  const dialect = schema.meta()?.$schema
  return withSingleTypes(dialect === undefined ? stated : { $schema: dialect, ...stated })
}

// The two drafts write tuples differently, and each misinterprets the other's form. Hosts get the item types and the length; the
// action validates the positions.
function widenTuple(schema: z.core.JSONSchema.BaseSchema): void {
  const { prefixItems: places, items: rest = [] } = schema
  if (!places) return
  delete schema.prefixItems
  delete schema.items
  const kinds = [places, rest].flat().filter(kind => typeof kind === 'object')
  if (kinds.length > 0) schema.items = { anyOf: kinds }
}

/**
 * The same schema with one `type` in each of its parts, because some hosts, such as Gemini, accept nothing else. Zod writes a
 * union of plain types as a list, after `override` has run.
 */
function withSingleTypes(schema: Record<string, unknown>): Record<string, unknown> {
  const parts = Object.entries(schema).map(([keyword, part]) => [
    keyword,
    VALUES.has(keyword) ? part : NAMED_SCHEMAS.has(keyword) ? mapParts(part) : eachPart(part),
  ])
  const { type: types, ...rest }: Record<string, unknown> = Object.fromEntries(parts)
  if (!Array.isArray(types)) return Object.fromEntries(parts)
  const kinds = { anyOf: types.map(type => ({ type })) }
  return 'anyOf' in rest ? { ...rest, allOf: [rest.allOf ?? [], kinds].flat() } : { ...rest, ...kinds }
}

const eachPart = (part: unknown): unknown =>
  Array.isArray(part) ? part.map(eachPart) : isRecord(part) ? withSingleTypes(part) : part

const mapParts = (named: unknown): unknown =>
  isRecord(named) ? Object.fromEntries(Object.entries(named).map(([name, part]) => [name, eachPart(part)])) : named

/** A declared document as lists show it. */
export const toListed = ({ name, declaration: { uri, title, description, mimeType } }: Declared<McpResource>) => ({
  uri,
  name,
  title,
  description,
  mimeType,
})

/** A declared page as lists show it. */
export const toListedApp = ({ name, declaration: { title, description } }: Declared<McpApp>) => ({
  uri: appUri(name),
  name,
  title,
  description,
  mimeType: APP_MIME_TYPE,
})

/**
 * All actions that this installation offers and all other declarations for hosts, for the pages. Each entry has its required
 * scope and the people who may use it.
 */
export const toolCatalog = (app: App, declared: McpDeclarations) =>
  app.memo('mcp-tool-catalog', () => {
    const surface = surfaceOf(app, declared)
    return {
      tools: declared.actions
        .filter(({ action }) => isOffered(action, app.config) && (action.http || action.mcp))
        .toSorted(byName)
        .map(entry => toCatalogTool(app, entry, surface.tools.get(entry.name))),
      resources: [
        ...surface.resources.map(entry => ({ ...toListed(entry), scope: 'mcp:read' as const })),
        ...[...surface.apps.values()].map(entry => ({ ...toListedApp(entry), scope: 'mcp:apps' as const })),
      ],
      prompts: [...surface.prompts.values()].map(({ name, declaration: { title, description, args } }) => {
        return { name, title, description, scope: 'mcp:read' as const, arguments: Object.keys(args.shape) }
      }),
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
