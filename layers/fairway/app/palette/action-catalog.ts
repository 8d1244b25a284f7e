import * as z from 'zod/mini'
import { ACTIONS_PREFIX } from '#fairway/shared/paths'

/** One declared action as the server's OpenAPI document describes it. */
export interface ActionEntry {
  name: string
  description: string
  group: string
  isReadOnly: boolean
  isDestructive: boolean
  /** The JSON schema of its input. */
  inputSchema: unknown
}

const operationSchema = z.object({
  summary: z.optional(z.string()),
  description: z.optional(z.string()),
  requestBody: z.optional(z.object({ content: z.object({ 'application/json': z.object({ schema: z.unknown() }) }) })),
  'x-fairway': z.optional(
    z.object({
      readOnly: z.optional(z.boolean()),
      destructive: z.optional(z.boolean()),
      group: z.nullish(z.string()),
    }),
  ),
})

const documentSchema = z.object({
  paths: z.record(z.string(), z.object({ post: z.optional(operationSchema) })),
})

/** The actions of an OpenAPI document, by name; throws a ZodError when it is not one. */
export function readActionCatalog(document: unknown): ActionEntry[] {
  const { paths } = documentSchema.parse(document)
  return Object.entries(paths)
    .flatMap(([path, { post }]) => (post && path.startsWith(`${ACTIONS_PREFIX}/`) ? [toEntry(path, post)] : []))
    .toSorted((a, b) => a.name.localeCompare(b.name))
}

function toEntry(path: string, operation: z.infer<typeof operationSchema>): ActionEntry {
  const marks = operation['x-fairway'] ?? {}
  return {
    name: decodeURIComponent(path.slice(ACTIONS_PREFIX.length + 1)),
    description: operation.description ?? operation.summary ?? '',
    group: marks.group ?? '',
    isReadOnly: marks.readOnly === true,
    isDestructive: marks.destructive === true,
    inputSchema: operation.requestBody?.content['application/json'].schema,
  }
}
