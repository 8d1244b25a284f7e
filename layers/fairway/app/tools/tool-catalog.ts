import * as z from 'zod/mini'

const scopeSchema = z.string()
const toolSchema = z.object({
  name: z.string(),
  title: z.optional(z.string()),
  description: z._default(z.string(), ''),
  readOnly: z.boolean(),
  destructive: z.boolean(),
  scope: scopeSchema,
  roles: z.optional(z.array(z.string())),
  inputSchema: z.unknown(),
  outputSchema: z.optional(z.unknown()),
  app: z.optional(z.string()),
})
const resourceSchema = z.object({
  uri: z.string(),
  name: z.string(),
  title: z.optional(z.string()),
  description: z.optional(z.string()),
  mimeType: z.optional(z.string()),
  scope: z.optional(scopeSchema),
})
const promptSchema = z.object({
  name: z.string(),
  title: z.optional(z.string()),
  description: z.optional(z.string()),
  arguments: z._default(z.array(z.string()), []),
})
const catalogSchema = z.object({
  tools: z.array(toolSchema),
  resources: z.array(resourceSchema),
  prompts: z.array(promptSchema),
})

/** Everything that hosts see of this server. */
export type ToolCatalog = z.infer<typeof catalogSchema>
export type CatalogTool = ToolCatalog['tools'][number]

/** The catalogue in an answer of the server, tools by name; throws a ZodError when it is not one. */
export function readToolCatalog(answer: unknown): ToolCatalog {
  const catalog = catalogSchema.parse(answer)
  return { ...catalog, tools: catalog.tools.toSorted((a, b) => a.name.localeCompare(b.name)) }
}

/** What holds every word of a search, in its name, title or description. */
export function matching<Item extends { name: string; title?: string; description?: string }>(
  items: readonly Item[],
  query: string,
): Item[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  return items.filter(item => {
    const text = [item.name, item.title, item.description].join(' ').toLowerCase()
    return words.every(word => text.includes(word))
  })
}
