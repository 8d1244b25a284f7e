import { z } from 'zod'
import { mark, parseDeclaration } from '#fairway/server/kernel/declaration'
import type { ActionContext } from '#fairway/server/domains/actions'

/** Offers what a value may become; `values` are those that are chosen already. */
export type Complete = (
  typed: string,
  context: ActionContext,
  values: Record<string, string>,
) => readonly string[] | Promise<readonly string[]>

export interface ListedResource {
  uri: string
  title: string
  description?: string
}

/** A document that hosts may read, as it is declared; see `McpResource` for what becomes of it. */
export interface McpResourceOptions {
  /** An address such as `notes://pinned`, or a template such as `notes://note/{id}`; not `ui:`, `http:` or `https:`. */
  uri: string
  /** A few words for people. */
  title: string
  description?: string
  mimeType: string
  /** A text, bytes, or anything else as JSON; throw `not-found` where there is nothing. */
  read(values: Record<string, string>, context: ActionContext): unknown
  /** Which documents of a template there are. */
  list?(context: ActionContext): readonly ListedResource[] | Promise<readonly ListedResource[]>
  /** For each value of a template what may be offered. */
  complete?: Record<string, Complete>
}

export type McpResource = Readonly<McpResourceOptions & { isTemplate: boolean }>

const someFunction = <T>() => z.custom<T>(value => typeof value === 'function', 'must be a function')
const optionsSchema = z.strictObject({
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
  const parsed = parseDeclaration('defineMcpResource', optionsSchema, options)
  const isTemplate = parsed.uri.includes('{')
  if (!isTemplate && (parsed.list || parsed.complete))
    throw new Error('defineMcpResource: list and complete belong to a template such as notes://note/{id}')
  return mark('resource', { ...parsed, isTemplate })
}
