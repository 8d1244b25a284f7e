import { z } from 'zod'
import { mark, parseDeclaration } from '#fairway/server/kernel/declaration'

/** The media type of a page that a host shows beside a tool's answer (MCP Apps). */
export const APP_MIME_TYPE = 'text/html;profile=mcp-app'

export interface McpAppOptions {
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

const optionsSchema = z.strictObject({
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
  mark('app', parseDeclaration('defineMcpApp', optionsSchema, options))
