import * as z from 'zod/mini'

const callersSchema = z.object({
  kind: z.enum([
    'public',
    'signed-in',
    'org-roles',
    'app-roles',
    'both-roles',
    'permissions',
    'operators',
    'named',
    'guard',
  ]),
  roles: z.optional(z.readonly(z.array(z.string()))),
  appRoles: z.optional(z.readonly(z.array(z.string()))),
  permissions: z.optional(
    z.readonly(z.array(z.object({ name: z.string(), text: z.string(), forTeam: z.optional(z.boolean()) }))),
  ),
  text: z.optional(z.string()),
})
const toolSchema = z.object({
  name: z.string(),
  title: z.string(),
  description: z.string(),
  /** The folder of the declaration. */
  group: z.string(),
  isPlatform: z.boolean(),
  readOnly: z.boolean(),
  destructive: z.boolean(),
  callers: callersSchema,
  /** Whether HTTP serves it. */
  http: z.boolean(),
  /** The scope that a host needs to call it; absent where hosts are not offered it. */
  scope: z.optional(z.string()),
  /** The roles that may call it; absent where access does not depend on roles. */
  roles: z.optional(z.readonly(z.array(z.string()))),
  /** Includes the fields' metadata for forms, which tools do not have. */
  inputSchema: z.unknown(),
  outputSchema: z.optional(z.unknown()),
  /** The address of the page that shows its results. */
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
  scope: z.string(),
  arguments: z.array(z.string()),
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
/** The tools that hosts and pages can use here. */
export const toolCatalogSchema = z.object({
  tools: z.array(toolSchema),
  resources: z.array(resourceSchema),
  prompts: z.array(promptSchema),
  collections: z.array(collectionSchema),
})

/** Every action, the other things that hosts see of this server, and the searchable collections. */
export type ToolCatalog = z.infer<typeof toolCatalogSchema>
export type CatalogTool = ToolCatalog['tools'][number]
export type SearchableCollection = ToolCatalog['collections'][number]
