// Declarations of authors for MCP hosts besides actions: documents, prompts and pages.
import { z } from 'zod'
import type { ActionContext, McpBlock } from '#fairway/server/domains/actions'
import { mark, parseDeclaration } from '#fairway/server/kernel/declaration'

/** Suggests completions of a value; `values` are those that are already chosen. */
export type Complete = (
  typed: string,
  context: ActionContext,
  values: Record<string, string>,
) => readonly string[] | Promise<readonly string[]>

interface ListedResource {
  uri: string
  title: string
  description?: string
}

/** The options of a document that hosts may read; see `McpResource` for the result. */
interface McpResourceOptions {
  /** An address such as `notes://pinned`, or a template such as `notes://note/{id}`; not `ui:`, `http:` or `https:`. */
  uri: string
  /** A few words for people. */
  title: string
  description?: string
  mimeType: string
  /**
   * Returns a text, bytes, a `Blob` with a media type, or any other value, which is sent as JSON. Throw `not-found` when the
   * document does not exist.
   */
  read(values: Record<string, string>, context: ActionContext): unknown
  /** Lists the documents of a template. */
  list?(context: ActionContext): readonly ListedResource[] | Promise<readonly ListedResource[]>
  /** Completions for each value of a template. */
  complete?: Record<string, Complete>
}

/** Has no media type when each document sets one. */
export type McpResource = Readonly<
  Omit<McpResourceOptions, 'mimeType'> & Partial<Pick<McpResourceOptions, 'mimeType'>> & { isTemplate: boolean }
>

const someFunction = <T>() => z.custom<T>(value => typeof value === 'function', 'must be a function')
const resourceSchema = z.strictObject({
  uri: z
    .string()
    .regex(/^[a-z][a-z0-9+.-]*:\S+$/, 'must be an address with a scheme of your own')
    .refine(uri => !/^(ui|https?|javascript|data|file):/.test(uri), 'this scheme means something else to hosts'),
  title: z.string().trim().min(1),
  description: z.string().trim().min(1).optional(),
  mimeType: z.string().regex(/^[\w.+-]+\/[\w.+-]+/, 'must be a media type'),
  read: someFunction<McpResourceOptions['read']>(),
  list: someFunction<NonNullable<McpResourceOptions['list']>>().optional(),
  complete: z.record(z.string(), someFunction<Complete>()).optional(),
})

/**
 * Declares a document that MCP hosts may read with the scope `mcp:read`. Throws at load with the invalid option and the values
 * that it accepts.
 */
export function defineMcpResource(options: McpResourceOptions): McpResource {
  const parsed = parseDeclaration('defineMcpResource', resourceSchema, options)
  const isTemplate = parsed.uri.includes('{')
  if (!isTemplate && (parsed.list || parsed.complete))
    throw new Error('defineMcpResource: list and complete belong to a template such as notes://note/{id}')
  return mark('resource', { ...parsed, isTemplate })
}

type PromptText = string | readonly { role: 'user' | 'assistant'; content: McpBlock }[]

interface McpPromptOptions<Args extends z.ZodObject> {
  /** A few words for people. */
  title: string
  /** One sentence that says what the prompt is for. */
  description: string
  /** The arguments; hosts send only texts. */
  args?: Args
  /** Completions for each argument. */
  complete?: Record<string, Complete>
  /** Returns the text or the messages that the host sends to its model. */
  build(args: z.output<Args>, context: ActionContext): PromptText | Promise<PromptText>
}

export type McpPrompt = Readonly<McpPromptOptions<z.ZodObject>> & { readonly args: z.ZodObject }

const promptSchema = z.strictObject({
  title: z.string().trim().min(1),
  description: z.string().trim().min(1),
  args: z.custom<z.ZodObject>(value => value instanceof z.ZodObject, 'must be a z.object').default(() => z.object({})),
  complete: z.record(z.string(), someFunction<Complete>()).optional(),
  build: someFunction<McpPrompt['build']>(),
})

/**
 * Declares a prompt that MCP hosts offer to people, with the scope `mcp:read`. Throws at load with the invalid option and the
 * values that it accepts.
 */
export function defineMcpPrompt<Args extends z.ZodObject = z.ZodObject>(options: McpPromptOptions<Args>): McpPrompt {
  const parsed = parseDeclaration('defineMcpPrompt', promptSchema, options)
  const unknown = Object.keys(parsed.complete ?? {}).filter(name => !Object.hasOwn(parsed.args.shape, name))
  if (unknown.length > 0) throw new Error(`defineMcpPrompt: complete: there is no argument ${unknown.join(', ')}`)
  return mark('prompt', parsed)
}

/** The media type of a page that a host shows beside a tool's answer (MCP Apps). */
export const APP_MIME_TYPE = 'text/html;profile=mcp-app'

interface McpAppOptions {
  /** A few words for people. */
  title: string
  description?: string
  /** The names of the actions whose answers this page shows. */
  tools: readonly string[]
  /** The complete page. Hosts show it in a frame without network access, so it cannot load anything. */
  html: string
  /** Whether the host should draw a frame around it. */
  prefersBorder?: boolean
}

export type McpApp = Readonly<McpAppOptions>

const LOADS_SOMETHING =
  /<(?:script|img|iframe|link|video|audio|source)\b[^>]*\s(?:src|href)\s*=\s*["']?(?:https?:)?\/\//i

const appSchema = z.strictObject({
  title: z.string().trim().min(1),
  description: z.string().trim().min(1).optional(),
  tools: z.array(z.string()).min(1),
  html: z
    .string()
    .regex(/<html[\s>]/i, 'must be a whole page')
    .refine(html => !LOADS_SOMETHING.test(html), 'must not load anything from another address'),
  prefersBorder: z.boolean().optional(),
})

/**
 * Declares a page that hosts show for a tool, with the scope `mcp:apps`; its address is `ui://app/<file name>`. Throws at load
 * with the invalid option and the values that it accepts.
 */
export const defineMcpApp = (options: McpAppOptions): McpApp =>
  mark('app', parseDeclaration('defineMcpApp', appSchema, options))
