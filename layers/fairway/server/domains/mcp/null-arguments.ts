// Models often send null for an argument that they leave out.
import { isTooDeep } from '#fairway/server/kernel/http/read-input'
import { isRecord } from '#fairway/shared/record'

/**
 * The arguments of a tool without members that are null, at every level. A member stays when its schema has null, when it is
 * required, and when the schema does not name it.
 */
export const withoutNulls = (schema: unknown, value: unknown): unknown =>
  isTooDeep(value) || !hasNull(value) ? value : strip([schema], value, schema)

const hasNull = (value: unknown): boolean =>
  value === null || (typeof value === 'object' && Object.values(value).some(hasNull))

/** Does this for a value that one of the schemas describes; `root` has the definitions that they refer to. */
function strip(schemas: readonly unknown[], value: unknown, root: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  // Without repetitions, which would double at each level of a recursive union.
  const forms = [...new Set(schemas.flatMap(schema => formsOf(schema, root)))]
  if (Array.isArray(value)) {
    const items = forms.flatMap(({ items: item }) => item ?? [])
    return value.map(each => strip(items, each, root))
  }
  const fitting = forms.filter(form => mayDescribe(form, value, root))
  const members = Object.entries(value).flatMap(([name, member]) => {
    const stated = fitting.filter(({ properties }) => isRecord(properties) && Object.hasOwn(properties, name))
    const schemas = stated.flatMap(({ properties }) => (isRecord(properties) ? properties[name] : []))
    if (member === null && stated.some(form => !isRequired(form, name)) && !schemas.some(each => takesNull(each, root)))
      return []
    const others = schemas.length > 0 ? schemas : fitting.flatMap(form => form.additionalProperties ?? [])
    return [[name, strip(others, member, root)] as const]
  })
  return Object.fromEntries(members)
}

type Form = Record<string, unknown>

/** The schema without references, combinations and alternatives. */
function formsOf(schema: unknown, root: unknown): Form[] {
  if (!isRecord(schema)) return []
  if (typeof schema.$ref === 'string') return formsOf(referenced(schema.$ref, root), root)
  const parts = [schema.anyOf, schema.oneOf, schema.allOf].filter(Array.isArray).flat()
  const self = parts.length === 0 || 'properties' in schema ? [schema] : []
  return [...self, ...parts.flatMap(part => formsOf(part, root))]
}

/** The part of a schema at a reference such as `#` or `#/$defs/node`. */
const referenced = (reference: string, root: unknown): unknown =>
  reference
    .split('/')
    .slice(1)
    .reduce((part, name) => (isRecord(part) ? part[name] : undefined), root)

/** Whether an alternative may describe the value: its constants, such as a discriminator, are those of the value. */
function mayDescribe({ properties }: Form, value: object, root: unknown): boolean {
  const members = new Map<string, unknown>(Object.entries(value))
  return Object.entries(isRecord(properties) ? properties : {}).every(([name, property]) => {
    const isOther = (form: Form) => 'const' in form && form.const !== members.get(name)
    return !members.has(name) || !formsOf(property, root).every(isOther)
  })
}

const isRequired = ({ required }: Form, name: string): boolean => Array.isArray(required) && required.includes(name)

const takesNull = (schema: unknown, root: unknown): boolean =>
  formsOf(schema, root).some(
    form =>
      form.type === 'null' ||
      form.const === null ||
      (Array.isArray(form.enum) ? form.enum.includes(null) : form.type === undefined && form.const === undefined),
  )
