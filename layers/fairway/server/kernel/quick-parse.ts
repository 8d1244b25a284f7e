// What an action answers is checked on every call, and nearly always it fits. Zod makes an object for each field on the way to its
// errors; here nothing is made but the answer, and whatever does not fit, or is not of the plain kinds, is left to Zod.
import type { z } from 'zod'

/** The value that a schema gives; `MISFIT` where Zod has to look. */
type Quick = (value: unknown) => unknown

const MISFIT = Symbol('misfit')

const quicks = new WeakMap<z.core.$ZodType, Quick>()

/** What `schema.safeParse(value)` gives, found out with as little as the schema allows. */
export function quickParse<T extends z.core.$ZodType>(
  schema: T,
  value: unknown,
): z.ZodSafeParseResult<z.core.output<T>> {
  const data = quickOf(schema)(value)
  if (data !== MISFIT) return { success: true, data: data as z.core.output<T> }
  return (schema as unknown as z.ZodType<z.core.output<T>>).safeParse(value)
}

/** Declares what a schema gives for values that are easily told; undefined leaves a value to the schema. */
export function withShortcut<T extends z.ZodType>(schema: T, shortcut: (value: unknown) => z.output<T> | undefined): T {
  const slow = slowly(schema)
  quicks.set(schema, value => shortcut(value) ?? slow(value))
  return schema
}

function quickOf(schema: z.core.$ZodType): Quick {
  const known = quicks.get(schema)
  if (known) return known
  // A schema that contains itself finds this while it is looked at.
  quicks.set(schema, slowly(schema))
  const quick = plainly(schema) ?? slowly(schema)
  quicks.set(schema, quick)
  return quick
}

/** The schema as Zod has it. */
function slowly(schema: z.core.$ZodType): Quick {
  return value => {
    const parsed = (schema as z.ZodType).safeParse(value)
    return parsed.success ? parsed.data : MISFIT
  }
}

const when =
  (fits: (value: unknown) => boolean): Quick =>
  value =>
    fits(value) ? value : MISFIT

const isChecked = ({ checks }: z.core.$ZodTypeDef): boolean => checks !== undefined && checks.length > 0

function plainly(schema: z.core.$ZodType): Quick | undefined {
  const { def } = (schema as z.core.$ZodTypes)._zod
  if (isChecked(def)) return undefined
  switch (def.type) {
    case 'nullable': {
      const inner = quickOf(def.innerType)
      return value => (value === null ? null : inner(value))
    }
    case 'array':
      return arrayOf(quickOf(def.element))
    case 'object':
      return def.catchall ? undefined : objectOf(Object.entries(def.shape))
    default:
      return leaf(schema)
  }
}

function leaf(schema: z.core.$ZodType): Quick | undefined {
  const { def } = (schema as z.core.$ZodTypes)._zod
  if ('coerce' in def && def.coerce) return undefined
  const format = 'format' in def ? def.format : undefined
  switch (def.type) {
    case 'string':
      return format ? undefined : when(value => typeof value === 'string')
    case 'number':
      if (format === 'safeint') return when(Number.isSafeInteger)
      return format ? undefined : when(Number.isFinite)
    case 'boolean':
      return when(value => typeof value === 'boolean')
    case 'enum':
    case 'literal':
      return values(schema._zod.values)
    default:
      return undefined
  }
}

const values = (allowed: ReadonlySet<unknown> | undefined): Quick | undefined =>
  allowed && when(value => allowed.has(value))

function arrayOf(element: Quick): Quick {
  return value => {
    if (!Array.isArray(value)) return MISFIT
    const made: unknown[] = []
    for (const item of value) {
      const one = element(item)
      if (one === MISFIT) return MISFIT
      made.push(one)
    }
    return made
  }
}

function objectOf(shape: readonly [string, z.core.$ZodType][]): Quick | undefined {
  if (shape.some(([name]) => name === '__proto__')) return undefined
  const fields = shape.map(([name, schema]) => ({ name, quick: fieldOf(schema), isOptional: isOptional(schema) }))
  const isWhole = fields.every(({ isOptional }) => !isOptional)
  // All objects begin as copies of one, which is cheaper than to let each grow.
  const empty = isWhole ? Object.fromEntries(fields.map(({ name }) => [name, undefined])) : {}
  return value => {
    if (!isRecord(value)) return MISFIT
    const made: Record<string, unknown> = { ...empty }
    for (const { name, quick, isOptional } of fields) {
      const given = value[name]
      if (given === undefined && !(name in value)) {
        if (isOptional) continue
        return MISFIT
      }
      const field = quick(given)
      if (field === MISFIT) return MISFIT
      made[name] = field
    }
    return made
  }
}

const isOptional = (schema: z.core.$ZodType): boolean => (schema as z.core.$ZodTypes)._zod.def.type === 'optional'

/** A field that is there; only an optional one may be undefined. */
function fieldOf(schema: z.core.$ZodType): Quick {
  const { def } = (schema as z.core.$ZodTypes)._zod
  if (def.type !== 'optional' || isChecked(def)) return quickOf(schema)
  const inner = quickOf(def.innerType)
  return value => (value === undefined ? undefined : inner(value))
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
