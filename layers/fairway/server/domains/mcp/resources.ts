import type {
  ListResourcesResult,
  ListResourceTemplatesResult,
  ReadResourceResult,
  ServerContext,
  UriTemplate,
} from '@modelcontextprotocol/server'
import { decodedText } from '#fairway/server/kernel/declaration'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { APP_MIME_TYPE, type McpResource } from './define-mcp'
import { runDeclared } from './host'
import type { McpCall } from './mcp-call'
import { type Declared, toListed, toListedApp } from './surface'

type Values = Record<string, string>

/** The documents that the token's scopes allow: declared ones, and those that templates list. */
export async function listResources(call: McpCall, context: ServerContext): Promise<ListResourcesResult> {
  const { scopes } = call.access
  const declared = scopes.has('mcp:read') ? call.surface.resources : []
  const fixed = declared.filter(({ declaration }) => !declaration.isTemplate).map(toListed)
  const listing = declared
    .filter(({ declaration }) => declaration.list)
    .map(entry => listTemplate(call, context, entry))
  const apps = scopes.has('mcp:apps') ? [...call.surface.apps.values()] : []
  return { resources: [...fixed, ...(await Promise.all(listing)).flat(), ...apps.map(toListedApp)] }
}

async function listTemplate(call: McpCall, context: ServerContext, { name, declaration }: Declared<McpResource>) {
  const list = await runDeclared(call, context, resourceContext => declaration.list?.(resourceContext) ?? [])
  if (!Array.isArray(list)) throw new AppError('internal', { cause: `${name}: list asked the host` })
  return list.map(listed => ({ ...listed, name, mimeType: declaration.mimeType }))
}

/** The templates that the token's scopes allow. */
export const listTemplates = ({ surface, access }: McpCall): ListResourceTemplatesResult => ({
  resourceTemplates: (access.scopes.has('mcp:read') ? surface.resources : [])
    .filter(({ declaration }) => declaration.isTemplate)
    .map(entry => {
      const { uri, ...listed } = toListed(entry)
      return { uriTemplate: uri, ...listed }
    }),
})

/** Reads one document. Throws the protocol's error when it does not exist. */
export async function readResource(call: McpCall, context: ServerContext, uri: string) {
  const app = call.surface.apps.get(uri)
  if (app) return page(uri, app.declaration.html, app.declaration.prefersBorder)
  const match = findResource(call, uri)
  if (!match) throw new call.sdk.ResourceNotFoundError(uri)
  const { declaration } = match.entry
  const value = await runDeclared(call, context, resourceContext =>
    readOr(call, uri, () => declaration.read(match.values, resourceContext)),
  )
  return call.sdk.isInputRequiredResult(value) ? value : toContents(uri, declaration.mimeType, value)
}

async function readOr(call: McpCall, uri: string, read: () => unknown): Promise<unknown> {
  try {
    return await read()
  } catch (thrown) {
    if (thrown instanceof AppError && thrown.code === 'not-found') throw new call.sdk.ResourceNotFoundError(uri)
    throw thrown
  }
}

/** Returns an empty result when the document exists; throws the protocol's error when it does not. */
export function checkResource(call: McpCall, uri: string): Record<string, never> {
  if (!call.surface.apps.has(uri) && !findResource(call, uri)) throw new call.sdk.ResourceNotFoundError(uri)
  return {}
}

/** Finds the declaration of an address, and the values of its template. */
function findResource(call: McpCall, address: string): { entry: Declared<McpResource>; values: Values } | undefined {
  const templates = templatesOf(call)
  // Tools return the addresses of files as paths.
  const uri = address.startsWith('/') ? call.app.config.baseUrl + address : address
  for (const entry of call.surface.resources) {
    if (entry.declaration.uri === uri) return { entry, values: {} }
    const values = templates.get(entry.declaration.uri)?.match(uri)
    if (values) return { entry, values: Object.fromEntries(Object.entries(values).map(decoded)) }
  }
  return undefined
}

const decoded = ([name, value]: [string, string | string[]]): [string, string] => [
  name,
  decodedText(String(value)) ?? String(value),
]

const templatesOf = ({ app, sdk, surface }: McpCall): ReadonlyMap<string, UriTemplate> =>
  app.memo(
    'mcp-uri-templates',
    () =>
      new Map(
        surface.resources
          .filter(({ declaration }) => declaration.isTemplate)
          .map(({ declaration }) => [declaration.uri, new sdk.UriTemplate(declaration.uri)]),
      ),
  )

async function toContents(uri: string, mimeType: string | undefined, value: unknown): Promise<ReadResourceResult> {
  if (value instanceof Blob) {
    const bytes = await value.bytes()
    return toContents(uri, value.type || mimeType, (TEXTUAL.test(value.type) ? textOf(bytes) : null) ?? bytes)
  }
  if (value instanceof Uint8Array) return { contents: [{ uri, mimeType, blob: Buffer.from(value).toString('base64') }] }
  return { contents: [{ uri, mimeType, text: typeof value === 'string' ? value : JSON.stringify(value ?? null) }] }
}

const TEXTUAL = /^text\/|[/+](json|xml)$/

/** The bytes as UTF-8; null when they are not valid UTF-8. */
function textOf(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return null
  }
}

const page = (uri: string, html: string, prefersBorder = true): ReadResourceResult => ({
  contents: [{ uri, mimeType: APP_MIME_TYPE, text: html, _meta: { ui: { prefersBorder } } }],
})
