import * as z from 'zod/mini'

const callersSchema = z.object({
  kind: z.enum(['public', 'signed-in', 'org-roles', 'app-roles', 'both-roles', 'operators', 'guard']),
  roles: z.optional(z.array(z.string())),
  appRoles: z.optional(z.array(z.string())),
  text: z.optional(z.string()),
})
const toolSchema = z.object({
  name: z.string(),
  title: z.optional(z.string()),
  description: z._default(z.string(), ''),
  group: z._default(z.string(), 'general'),
  isPlatform: z._default(z.boolean(), false),
  readOnly: z.boolean(),
  destructive: z.boolean(),
  callers: z._default(callersSchema, { kind: 'signed-in' }),
  http: z._default(z.boolean(), true),
  scope: z.optional(z.string()),
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
  scope: z.optional(z.string()),
})
const promptSchema = z.object({
  name: z.string(),
  title: z.optional(z.string()),
  description: z.optional(z.string()),
  arguments: z._default(z.array(z.string()), []),
})
const collectionSchema = z.object({
  name: z.string(),
  path: z.string(),
  title: z.string(),
  description: z.optional(z.string()),
  filter: z.string(),
  to: z.string(),
  icon: z.optional(z.string()),
  text: z.optional(z.string()),
})
const catalogSchema = z.object({
  tools: z.array(toolSchema),
  resources: z.array(resourceSchema),
  prompts: z.array(promptSchema),
  collections: z._default(z.array(collectionSchema), []),
})

/** Every action, what else hosts see of this server, and the collections that may be searched. */
export type ToolCatalog = z.infer<typeof catalogSchema>
export type CatalogTool = ToolCatalog['tools'][number]
export type SearchableCollection = ToolCatalog['collections'][number]

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

/** Tools below the folder of their declaration: the application's own first, then the platform's. */
interface ToolGroup<Tool> {
  id: string
  name: string
  isPlatform: boolean
  tools: Tool[]
}

/** The groups of a list of tools, each in the order of the list. */
export function groupTools<Tool extends Pick<CatalogTool, 'group' | 'isPlatform'>>(
  tools: readonly Tool[],
): ToolGroup<Tool>[] {
  const groups = Map.groupBy(tools, ({ group, isPlatform }) => `${isPlatform ? 'platform' : 'application'}/${group}`)
  return [...groups]
    .map(([id, [first, ...others]]) => ({
      id,
      name: toWords(first!.group),
      isPlatform: first!.isPlatform,
      tools: [first!, ...others],
    }))
    .toSorted((a, b) => Number(a.isPlatform) - Number(b.isPlatform) || a.name.localeCompare(b.name))
}

/** `itemsPerPage`, `note-list` and `note_id` as words: `Items per page`, `Note list`, `Note id`. */
export function toWords(name: string): string {
  const words = name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .replaceAll(/[-_/]+/g, ' ')
    .toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** The first clause of a description, without its end: what an action does, short enough for a line. */
export const firstClause = (description: string): string => /^[^,;:.(]+/.exec(description)?.[0].trim() ?? description
