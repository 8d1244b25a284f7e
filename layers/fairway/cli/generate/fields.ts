// The fields of a resource: how an author types them, and their code in a table, a schema, a form and a list.
import { normalizeCollectionsConfig } from '../../server/kernel/config/collections-config'
import { fitted, quoted } from './layout'
import { checkName, toCamel, toSnake } from './names'
import { UsageFault } from '../terminal'

export const FIELD_TYPES = [
  'text',
  'longtext',
  'email',
  'url',
  'integer',
  'number',
  'money',
  'boolean',
  'date',
  'datetime',
  'enum',
  'json',
  'person',
  'team',
  'ref',
  'file',
  'files',
] as const
type FieldType = (typeof FIELD_TYPES)[number]

export interface Field {
  /** In camelCase. */
  name: string
  type: FieldType
  isOptional: boolean
  /**
   * The values of an `enum`, of which the first is the default. For a `ref`, the plural of its target; for `money`, the currency;
   * for files, the upload.
   */
  values: readonly string[]
  /** The target of a `ref`, once it has been read from the project. */
  target?: RefTarget
  /** Whether its author has edited its line in the input, so that its type comes from its column. */
  isEdited?: boolean
}

/** A resource of the organization that others can refer to. */
export interface RefTarget {
  plural: string
  /** `companies`, in code. */
  variable: string
  /** `company`, as a prefix of names in code and in the names of actions. */
  camel: string
  kebab: string
  /** The field that people identify a row by. */
  title: string
  fields: readonly Field[]
}

const TAKEN = [
  'id',
  'ownerEmail',
  'orgId',
  'visibility',
  'createdAt',
  'updatedAt',
  'access',
  'createdBy',
  'createdByName',
  'can',
]
const FIELD = /^([^:?]+):([a-z]+)(?:\(([^)]*)\)|:([^?]*))?(\?)?$/
const VALUE = /^[A-Za-z][\w-]{0,23}$/
const EXAMPLE = 'title:text, dueAt:date?, "status:enum(open,done)"'

/**
 * Parses typed fields, for example `title:text`, `dueAt:date?` and `status:enum(open,done)`; throws a UsageFault for an invalid
 * field.
 */
export function parseFields(typed: readonly string[]): Field[] {
  const fields = typed.map(parseField)
  const twice = fields.find(({ name }, at) => fields.findIndex(each => each.name === name) !== at)
  if (twice) throw new UsageFault(`The field ${twice.name} is there twice.`)
  return fields
}

function parseField(typed: string): Field {
  const [, fieldName = '', type = '', listed, alsoListed, mark] = FIELD.exec(typed) ?? []
  if (!fieldName) throw new UsageFault(`“${typed}” is no field. Write its name and its type: ${EXAMPLE}`)
  checkName('field', fieldName)
  const name = toCamel(fieldName) + (namesRow({ type }) ? 'Id' : '')
  if (TAKEN.includes(name)) throw new UsageFault(`Every row has ${name} already. Give the field another name.`)
  if (!isFieldType(type))
    throw new UsageFault(`There is no type ${type} (${typed}). There are: ${FIELD_TYPES.join(', ')}.`)
  if (mark) checkOptional(name, type)
  return {
    name,
    type,
    isOptional: mark !== undefined || isAlwaysOptional(type),
    values: parseValues(name, type, listed ?? alsoListed),
  }
}

/** Throws for types that cannot be optional. */
function checkOptional(name: string, type: FieldType): void {
  const instead = { boolean: 'false unless somebody says otherwise', files: 'an empty list when there are none' }
  if (type === 'boolean' || type === 'files')
    throw new UsageFault(`${name} is ${instead[type]}: write ${name}:${type}, without “?”.`)
}

const isFieldType = (type: string): type is FieldType => FIELD_TYPES.some(each => each === type)

function parseValues(name: string, type: FieldType, listed: string | undefined): string[] {
  if (type === 'ref') return [parsePlural(name, listed)]
  if (type === 'money') return [parseCurrency(name, listed)]
  if (type === 'enum') return parseEnum(name, listed)
  if (listed === undefined) return []
  throw new UsageFault(`Only an enum has values: ${name}:${type}.`)
}

function parsePlural(name: string, argument = ''): string {
  const plural = argument.trim()
  if (/^[a-z][a-z0-9-]*$/.test(plural)) return plural
  throw new UsageFault(`${name} needs the plural of what it refers to: "company:ref(companies)", in quotation marks.`)
}

function parseCurrency(name: string, argument = ''): string {
  const currency = argument.trim()
  if (Intl.supportedValuesOf('currency').includes(currency)) return currency
  throw new UsageFault(`${name} needs a currency of ISO 4217: "${name}:money(EUR)", in quotation marks.`)
}

function parseEnum(name: string, listed = ''): string[] {
  const values = listed.split(',').map(value => value.trim())
  const wrong = values.find(value => !VALUE.test(value))
  if (wrong === undefined && new Set(values).size === values.length && values.length > 1) return values
  throw new UsageFault(
    `${name} needs two or more different values of letters, digits, “-” and “_”: "${name}:enum(open,done)", in quotation marks.`,
  )
}

/** Returns a field in its typed form. */
export const fieldText = ({ name, type, values, isOptional }: Field): string =>
  isFile({ type })
    ? `${name}:${type}`
    : `${namesRow({ type }) ? refName(name) : name}:${type}${values.length > 0 ? `(${values.join(',')})` : ''}${isOptional && type !== 'team' ? '?' : ''}`

/** Whether the field holds files. */
export const isFile = ({ type }: Pick<Field, 'type'>): boolean => type === 'file' || type === 'files'

/** Whether the field holds the ID of another row, or of a team. */
export const namesRow = ({ type }: { type: string }): boolean => type === 'ref' || type === 'team'

/** A file may be missing, and a team may be deleted. */
export const isAlwaysOptional = (type: FieldType): boolean => type === 'file' || type === 'team'

/** The maximum number of files in a field that takes several. */
export const MOST_FILES = 10

/** `company` for the field `companyId`. */
export const refName = (name: string): string => name.replace(/Id$/, '')

/** The name of the list field with the title of the referenced row, or the name of the team. */
export const titleField = ({ name, type }: Pick<Field, 'name' | 'type'>): string =>
  refName(name) + (type === 'team' ? 'Name' : 'Title')

/** Whether the input of a new row may omit the field. */
export const hasDefault = ({ type, isOptional }: Field): boolean =>
  isOptional || type === 'enum' || type === 'boolean' || type === 'files'

const INDENT = '    '

/** Returns the line of the field in its table. */
export function columnOf(field: Field): string {
  const { name, isOptional } = field
  const head = `${INDENT}${name}: `
  if (isOptional) return `${head}${builderOf(field)},`
  const value = field.type === 'enum' ? quoted(field.values[0] ?? '') : blankOf(field)
  if (!hasDefault(field)) return `${head}${builderOf(field)}.notNull(),`
  const line = `${head}${builderOf(field)}.notNull().default(${value}),`
  return field.type === 'enum'
    ? `${head}${builderOf(field)}\n${INDENT}  .notNull()\n${INDENT}  .default(${value}),`
    : line
}

const BUILDERS: Partial<Record<FieldType, string>> = {
  integer: 'integer',
  money: 'integer',
  number: 'real',
  person: 'person',
  team: 'teamColumn',
}

function builderOf({ name, type, values }: Field): string {
  const column = quoted(toSnake(name))
  if (isFile({ type })) {
    const most = type === 'files' ? `, most: ${MOST_FILES}` : ''
    return `${type}(${column}, { upload: ${quoted(values[0] ?? '')}${most} })`
  }
  switch (type) {
    case 'boolean':
      return `integer(${column}, { mode: 'boolean' })`
    case 'datetime':
      return `integer(${column}, { mode: 'timestamp_ms' })`
    case 'json':
      return `text(${column}, { mode: 'json' }).$type<z.output<typeof jsonSchema>>()`
    case 'enum':
      return `text(${column}, { enum: [${values.map(quoted).join(', ')}] })`
    default:
      return `${BUILDERS[type] ?? 'text'}(${column})`
  }
}

/** Returns the drizzle functions that the columns of these fields require. */
export const columnTypes = (fields: readonly Field[]): string[] =>
  fields.some(({ type }) => type === 'number') ? ['real'] : []

/** Returns the declarations that a table's file requires before its inputs: JSON has no dates. */
export const MOMENT = `const moment = z.iso.datetime({ offset: true }).transform(at => new Date(at))`

const SCHEMAS: Readonly<
  Record<Exclude<FieldType, 'enum' | 'money' | 'text' | 'longtext' | 'ref' | 'file' | 'files'>, string>
> = {
  email: 'z.email().max(254)',
  url: 'z.httpUrl().max(2000)',
  integer: 'z.int().min(0)',
  number: 'z.number()',
  boolean: 'z.boolean()',
  date: 'z.iso.date()',
  datetime: 'moment',
  json: 'jsonSchema',
  person: 'personSchema',
  team: 'teamSchema',
}

/** Returns the schema of an input; an enum takes its values from the column of `table`. */
export function schemaOf({ name, type, isOptional, values, target }: Field, table?: string): string {
  const nullable = isOptional ? '.nullable()' : ''
  if (type === 'text' || type === 'longtext') return textSchemaOf(type, isOptional) + nullable
  if (type === 'ref') return `${target?.camel}Id${nullable}`
  if (type === 'file' || type === 'files') return fileSchemaOf(type, values)
  if (type === 'money') return `moneySchema(${quoted(values[0] ?? '')}, { min: 0 })${nullable}`
  if (type !== 'enum') return SCHEMAS[type] + nullable
  const listed = table ? `${table}.${name}.enumValues` : fitted(values.map(quoted), { open: '[', close: ']' })
  return `z.enum(${listed})${nullable}`
}

const textSchemaOf = (type: 'text' | 'longtext', isOptional: boolean): string =>
  `z.string().trim()${isOptional ? '' : '.min(1)'}.max(${{ text: '200', longtext: '20_000' }[type]})`

const fileSchemaOf = (type: 'file' | 'files', [upload = '']: readonly string[]): string =>
  type === 'file' ? `fileSchema(${quoted(upload)}).nullable()` : `filesSchema(${quoted(upload)}, ${MOST_FILES})`

/** Returns the line of the field in the input of its resource. */
export function inputLine(field: Field, table: string): string {
  const schema = schemaOf(field, table)
  return schema === field.name ? `  ${schema},` : `  ${field.name}: ${schema},`
}

/** Whether the field contains a number. */
export const isNumber = ({ type }: Pick<Field, 'type'>): boolean => ['integer', 'number', 'money'].includes(type)

/** Returns the imports of a table's file for the schemas of these fields. */
export const schemaHelpers = (fields: readonly Field[]): string[] =>
  (['file', 'files', 'json', 'money', 'person', 'team'] as const)
    .filter(type => fields.some(field => field.type === type))
    .map(type => `${type}Schema`)

const { pagination, orderParameterName } = normalizeCollectionsConfig()
const PARAMETERS: readonly string[] = [...Object.values(pagination), orderParameterName]

/** Whether a list can have a filter of this name: parameters of pages and orders have theirs already. */
export const isFilterName = (name: string): boolean => !PARAMETERS.includes(name)

/** Returns the list filter of the field. */
export const filterOf = ({ type }: Field): string => {
  if (['text', 'longtext', 'email', 'url'].includes(type)) return `'search'`
  return isNumber({ type }) || type === 'date' || type === 'datetime' ? `'range'` : `'exact'`
}

/** Returns the value of the field in an empty form, as code. */
export function blankOf({ type, isOptional, values }: Field): string {
  if (isOptional) return 'null'
  if (isNumber({ type })) return '0'
  if (type === 'json') return '{}'
  if (type === 'files') return '[]'
  if (type === 'boolean') return 'false'
  return type === 'enum' ? quoted(values[0] ?? '') : `''`
}
