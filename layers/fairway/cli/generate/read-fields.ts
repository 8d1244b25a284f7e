// Reads the fields of a resource back from the file of its table.
import { columnOf, type Field, FIELD_TYPES, isAlwaysOptional, isFile, isNumber, schemaOf } from './fields'
import { toKebab } from './names'

interface FoundFields {
  fields: Field[]
  /** Names in the input whose lines and columns are no longer as generated. */
  authorFields: string[]
}

/**
 * Returns the fields in a table's file. It recognizes the generated lines of the input, and the columns when an author has edited
 * the input. Undefined when the file has no such input.
 */
export function readFields(text: string, { input, table }: { input: string; table: string }): FoundFields | undefined {
  const body = new RegExp(String.raw`export const ${input} = z\.object\(\{\n((?: {2}.*\n)*)\}\)`).exec(text)?.[1]
  if (body === undefined) return undefined
  const lines = [...body.matchAll(/^ {2}(\w+)(?:: (.*?))?,?$/gm)].map(([, name = '', schema = name]) => {
    const line = { name, schema, text, table }
    return { name, field: readRef(line) ?? readField(line) }
  })
  return {
    fields: lines.flatMap(({ field }) => field ?? []),
    authorFields: lines.flatMap(({ name, field }) => (field ? [] : [name])),
  }
}

interface Line {
  name: string
  schema: string
  /** The whole file, and the variable of its table. */
  text: string
  table: string
}

/** Reads a reference from its foreign key, or from the schema of an id that the file declares or imports. */
function readRef({ name, schema, text, table }: Line): Field | undefined {
  const [, key] =
    new RegExp(String.raw`references\(\{ orgId: table\.orgId, id: table\.${name} \}, (\w+)`).exec(text) ?? []
  const target = key ?? /^\w+Id\b/.exec(schema)?.[0]
  const isOwn = target === 'table' || text.includes(`\nexport const ${target} = `)
  const imports = [...text.matchAll(/^import \{([^}]*)\} from '\.\/([\w-]+)'/gm)]
  const from = imports.find(([, names = '']) => names.split(',').some(each => each.trim() === target))?.[2]
  const plural = isOwn ? toKebab(table) : from
  const isOptional = !new RegExp(String.raw`\n {4}${name}: .*\.notNull\(\)`).test(text)
  return name.endsWith('Id') && plural ? { name, type: 'ref', isOptional, values: [plural] } : undefined
}

/** Returns the schema as the generator wrote it before numbers had bounds. */
const unboundedSchemaOf = (field: Field, table?: string): string =>
  isNumber(field) ? schemaOf(field, table).replace(/\.min\(0\)|, \{ min: 0 \}/, '') : schemaOf(field, table)

/** Reads another field from its line in the input, or from its column when its author has edited that line. */
function readField({ name, schema, text, table }: Line): Field | undefined {
  const fields = FIELD_TYPES.filter(type => type !== 'ref').flatMap(type =>
    [false, true]
      .filter(isOptional => isOptional === isAlwaysOptional(type) || !(isFile({ type }) || isAlwaysOptional(type)))
      .map(isOptional => ({ name, type, isOptional, values: valuesOf(type, { name, schema, text }) })),
  )
  const schemasOf = (field: Field) => [schemaOf(field, table), unboundedSchemaOf(field, table)]
  const asGenerated = fields.find(field => schemasOf(field).includes(schema))
  if (asGenerated) return asGenerated
  const stored = fields.filter(field => text.includes(`\n${columnOf(field)}\n`))
  const edited =
    stored.find(field => schemasOf({ ...field, isOptional: false }).some(start => schema.startsWith(start))) ??
    stored[0]
  return edited && { ...edited, isEdited: true }
}

/** The values of an enum's column, the currency of money, or the upload of files. */
function valuesOf(type: Field['type'], { name, schema, text }: Omit<Line, 'table'>): string[] {
  if (type === 'money') return /^moneySchema\('([A-Z]{3})'/.exec(schema)?.slice(1) ?? []
  if (type === 'file' || type === 'files') return /^files?Schema\('([\w-]+)'/.exec(schema)?.slice(1) ?? []
  if (type !== 'enum') return []
  const listed = new RegExp(String.raw`\b${name}: text\('\w+', \{ enum: \[([^\]]*)\]`).exec(text)?.[1] ?? ''
  return listed.split(',').flatMap(value => value.trim().replaceAll("'", '') || [])
}
