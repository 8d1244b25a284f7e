import { is, SQL } from 'drizzle-orm'
import { SQLiteTable } from 'drizzle-orm/sqlite-core'
import { z } from 'zod'
import { paginationShape } from '#fairway/server/kernel/config/collections-config'
import type { Collection, CollectionScope, SqlDeclaration, SqlSelect } from './collection'
import type { CollectionProvider, ProviderDeclaration } from './create-provider-reader'

const aFunction = <T>() => z.custom<T>(value => typeof value === 'function', 'must be a function')
const kind = z.enum(['exact', 'range', 'search'])
const direction = z.enum(['ASC', 'DESC'])

const SCOPES = ['shared', 'organization', 'everybody']

/** The options of defineCollection as they are checked at load. */
export const collectionSchema = z.strictObject({
  description: z.string().trim().min(1),
  shortName: z
    .string()
    .regex(/^[A-Z][A-Za-z0-9]*$/, 'must be a name like Note')
    .optional(),
  item: z.custom<z.ZodObject>(value => value instanceof z.ZodObject, 'must be a z.object'),
  source: z.custom<SqlDeclaration['source'] | CollectionProvider<unknown, never>>(
    value => typeof value === 'function' || isTable(value) || isSelect(value),
    'must be a drizzle table, a query { root, … } or a function',
  ),
  toItem: aFunction<SqlDeclaration['toItem']>().optional(),
  getItem: aFunction<ProviderDeclaration['getItem']>().optional(),
  scope: z
    .custom<CollectionScope>(
      value => typeof value === 'function' || (typeof value === 'string' && SCOPES.includes(value)),
      `must be ${SCOPES.map(scope => `'${scope}'`).join(', ')} or a function`,
    )
    .optional(),
  public: z.boolean().default(false),
  guard: aFunction<Collection['guard']>().optional(),
  filters: z.record(z.string(), z.union([kind, z.array(kind).min(1)])).default({}),
  order: z.array(z.string()).default([]),
  defaultOrder: z.array(z.strictObject({ field: z.string(), direction })).default([]),
  operations: z
    .strictObject({ list: z.strictObject(paginationShape).default({}), get: z.boolean().optional() })
    .prefault({}),
  ...paginationShape,
})

export type CheckedCollection = z.output<typeof collectionSchema>

/** Whether a source is a table, and not a query over tables. */
export const isTable = (value: unknown): value is SQLiteTable => is(value, SQLiteTable)

const isSelect = (value: unknown): value is SqlSelect =>
  typeof value === 'object' && value !== null && !is(value, SQL) && 'root' in value && isTable(value.root)
