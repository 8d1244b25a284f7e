import { z } from 'zod'
import { nearestName } from '../../../shared/nearest-name'
import { isRecord } from '../../../shared/record'

const flag = z.boolean().optional()

/** The zod schema of the pagination options, in the application's settings and in each declared collection. */
export const paginationShape = {
  paginationEnabled: flag,
  paginationItemsPerPage: z.int().min(0).optional(),
  paginationMaximumItemsPerPage: z.int().min(1).nullable().optional(),
  paginationClientEnabled: flag,
  paginationClientItemsPerPage: flag,
  paginationClientPartial: flag,
  paginationPartial: flag,
  paginationViaCursor: z
    .array(z.strictObject({ field: z.string().min(1), direction: z.enum(['ASC', 'DESC']) }))
    .min(1, 'must name at least one field')
    .optional(),
  paginationCursorFormat: z.enum(['bounds', 'opaque']).optional(),
  paginationFetchJoinCollection: flag,
  paginationUseOutputWalkers: flag,
}

// A name appears in addresses unencoded, and brackets would nest.
const parameterName = z.string().regex(/^[\w.~-]+$/, 'must be made of letters, digits and _ . ~ -')

/** What a request with filters or orders that a collection does not have gets: the data without them, or 400. */
export const unknownParameters = z.enum(['ignore', 'refuse'])

const configSchema = z
  .strictObject({
    defaults: z.strictObject(paginationShape).default({}),
    pagination: z
      .strictObject({
        pageParameterName: parameterName.default('page'),
        itemsPerPageParameterName: parameterName.default('itemsPerPage'),
        enabledParameterName: parameterName.default('pagination'),
        partialParameterName: parameterName.default('partial'),
        cursorParameterName: parameterName.default('cursor'),
      })
      .prefault({}),
    orderParameterName: parameterName.default('order'),
    hydraPrefix: z.boolean().default(false),
    urlGenerationStrategy: z.enum(['path', 'absolute', 'network']).default('path'),
    runtime: z.enum(['sql', 'simple']).default('sql'),
    hardLimit: z.int().min(1).default(10_000),
    unknownParameters: unknownParameters.default('ignore'),
  })
  .superRefine((config, context) => {
    const fault = (path: string[], message: string) => context.addIssue({ code: 'custom', path, message })
    const names = [...Object.values(config.pagination), config.orderParameterName]
    if (new Set(names).size < names.length) fault(['pagination'], 'the names of the parameters must differ')
    const { paginationViaCursor, paginationPartial } = config.defaults
    if (paginationViaCursor && paginationPartial !== true)
      fault(['defaults', 'paginationViaCursor'], 'needs paginationPartial: true')
    if (config.runtime !== 'simple') return
    for (const option of RELATIONAL_OPTIONS)
      if (config.defaults[option] !== undefined) fault(['defaults', option], "does not exist with runtime: 'simple'")
  })

/** The options that do not exist in the simple runtime, which has only a count and one extra row, no cursors and no relations. */
export const RELATIONAL_OPTIONS = [
  'paginationViaCursor',
  'paginationCursorFormat',
  'paginationFetchJoinCollection',
  'paginationUseOutputWalkers',
] as const

/** The pagination and format of this application's collections, with every value filled in. */
export type CollectionsConfig = z.output<typeof configSchema>

/**
 * The values that `defineFwConfig({ collections })` accepts: Fairway's shape, or a known layout of others with its spelling of
 * the keys.
 */
export type CollectionsConfigInput =
  | z.input<typeof configSchema>
  | { [group in 'defaults' | 'collection' | 'pagination' | 'serializer']?: Readonly<Record<string, unknown>> }

const parameterNames = ['page', 'itemsPerPage', 'enabled', 'partial', 'cursor'].map(name => `${name}ParameterName`)
const capitalized = (name: string) => name.charAt(0).toUpperCase() + name.slice(1)

/** Every spelling of a key, and the key that it means. */
const places = new Map<string, string>([
  ...Object.keys(paginationShape).map(option => [`defaults.${option}`, `defaults.${option}`] as const),
  ...parameterNames.flatMap(name =>
    [`pagination.${name}`, `collection.pagination.${name}`, `defaults.pagination${capitalized(name)}`].map(
      place => [place, `pagination.${name}`] as const,
    ),
  ),
  ['collection.pagination.enabled', 'defaults.paginationEnabled'],
  ['paginationCursorFormat', 'defaults.paginationCursorFormat'],
  ['orderParameterName', 'orderParameterName'],
  ['collection.orderParameterName', 'orderParameterName'],
  ['hydraPrefix', 'hydraPrefix'],
  ['serializer.hydraPrefix', 'hydraPrefix'],
  ['urlGenerationStrategy', 'urlGenerationStrategy'],
  ['defaults.urlGenerationStrategy', 'urlGenerationStrategy'],
  ['runtime', 'runtime'],
  ['hardLimit', 'hardLimit'],
  ['unknownParameters', 'unknownParameters'],
])
const groups = new Set(['defaults', 'pagination', 'collection', 'collection.pagination', 'serializer'])

/**
 * Reads the settings in every accepted layout. Throws with each key that is unknown, set twice with different values, or not
 * accepted.
 */
export function normalizeCollectionsConfig(input: unknown = {}): CollectionsConfig {
  const values = new Map<string, { value: unknown; writtenAs: string }>()
  const faults: string[] = []
  for (const { path, writtenAs, value } of leaves(input, '', '')) {
    const key = places.get(path)
    if (!key) {
      faults.push(`${writtenAs}: there is no such key; the nearest is ${nearestName(path, [...places.keys()])}`)
      continue
    }
    const earlier = values.get(key)
    if (earlier && JSON.stringify(earlier.value) !== JSON.stringify(value))
      faults.push(`${writtenAs}: ${earlier.writtenAs} says something else`)
    values.set(key, { value, writtenAs })
  }
  const parsed = configSchema.safeParse(nested(values))
  const issues = parsed.success ? [] : parsed.error.issues
  faults.push(...issues.map(issue => `${writtenPath(issue.path, values)}: ${issue.message}`))
  if (faults.length > 0 || !parsed.success) throw new Error(`collections: ${faults.join('; ')}`)
  return parsed.data
}

interface Leaf {
  path: string
  writtenAs: string
  value: unknown
}

function leaves(value: unknown, path: string, writtenAs: string): Leaf[] {
  if (path !== '' && !groups.has(path)) return [{ path, writtenAs, value }]
  if (!isRecord(value)) throw new Error(`collections: ${writtenAs || 'the settings'}: must be an object`)
  return Object.entries(value)
    .filter(([, inner]) => inner !== undefined)
    .flatMap(([name, inner]) => {
      const key = name.replaceAll(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase())
      return leaves(inner, path ? `${path}.${key}` : key, writtenAs ? `${writtenAs}.${name}` : name)
    })
}

function nested(values: ReadonlyMap<string, { value: unknown }>): Record<string, unknown> {
  const tree: Record<string, Record<string, unknown>> = {}
  const flat: Record<string, unknown> = {}
  for (const [path, { value }] of values) {
    const [group = '', key] = path.split('.')
    if (key === undefined) flat[group] = value
    else (tree[group] ??= {})[key] = value
  }
  return { ...tree, ...flat }
}

function writtenPath(path: readonly PropertyKey[], values: ReadonlyMap<string, { writtenAs: string }>): string {
  const key = path.slice(0, 2).map(String).join('.')
  const rest = path.slice(2).map(String)
  return [values.get(key)?.writtenAs ?? key, ...rest].join('.')
}
