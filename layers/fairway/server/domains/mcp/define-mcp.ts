// What authors declare for hosts besides actions: documents, prompts and pages.
import { z } from 'zod'
import type { ActionContext, McpBlock } from '#fairway/server/domains/actions'
import { mark, parseDeclaration } from '#fairway/server/kernel/declaration'

/** Offers what a value may become; `values` are those that are chosen already. */
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

/** A document that hosts may read, as it is declared; see `McpResource` for what becomes of it. */
interface McpResourceOptions {
  /** An address such as `notes://pinned`, or a template such as `notes://note/{id}`; not `ui:`, `http:` or `https:`. */
  uri: string
  /** A few words for people. */
  title: string
  description?: string
  mimeType: string
  /** A text, bytes, a `Blob` with a media type of its own, or anything else as JSON; throw `not-found` where there is nothing. */
  read(values: Record<string, string>, context: ActionContext): unknown
  /** Which documents of a template there are. */
  list?(context: ActionContext): readonly ListedResource[] | Promise<readonly ListedResource[]>
  /** For each value of a template what may be offered. */
  complete?: Record<string, Complete>
}

/** Without a media type where each document has its own. */
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

/** Declares a document that MCP hosts may read with the scope `mcp:read`; throws at load with the option and what it accepts. */
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
  /** What is filled in; hosts send texts only. */
  args?: Args
  /** For each argument what may be offered. */
  complete?: Record<string, Complete>
  /** The text that the host sends to its model, or messages. */
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

/** Declares a prompt that MCP hosts offer to people, with the scope `mcp:read`; throws at load with the option and what it accepts. */
export function defineMcpPrompt<Args extends z.ZodObject = z.ZodObject>(options: McpPromptOptions<Args>): McpPrompt {
  const parsed = parseDeclaration('defineMcpPrompt', promptSchema, options)
  const unknown = Object.keys(parsed.complete ?? {}).filter(name => !(name in parsed.args.shape))
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
  /** The whole page; hosts show it in a frame of its own without network, so that nothing may be loaded. */
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

/** Declares a page that hosts show for a tool, with the scope `mcp:apps`; its address is `ui://app/<file name>`. Throws at load with the option and what it accepts. */
export const defineMcpApp = (options: McpAppOptions): McpApp =>
  mark('app', parseDeclaration('defineMcpApp', appSchema, options))
