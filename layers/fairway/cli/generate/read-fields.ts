// Reads the fields of a resource back from the file of its table.
import { columnOf, type Field, FIELD_TYPES, schemaOf } from './fields'
import { toKebab } from './names'

/**
 * Returns the fields in a table's file. It recognizes the generated lines of the input, and the columns when an author has edited
 * the input. It ignores other lines. Undefined when the file has no such input.
 */
export function readFields(text: string, { input, table }: { input: string; table: string }): Field[] | undefined {
  const body = new RegExp(String.raw`export const ${input} = z\.object\(\{\n((?: {2}.*\n)*)\}\)`).exec(text)?.[1]
  return body
    ?.trimEnd()
    .split('\n')
    .flatMap(line => readField(line, text, table) ?? readColumn(line, text) ?? [])
}

/** Reads a reference from its line and the import of its target. */
function readRef(line: string, text: string, table: string): Field | undefined {
  const [, name = '', given, nullable] = /^ {2}(\w+Id)(?:: (\w+Id)(\.nullable\(\))?)?,$/.exec(line) ?? []
  const isOwn = given !== undefined && text.includes(`\nexport const ${given} = `)
  const [, other] = new RegExp(String.raw`\b${given ?? name} \} from '\./([\w-]+)'`).exec(text) ?? []
  const plural = isOwn ? toKebab(table) : other
  return name && plural ? { name, type: 'ref', isOptional: nullable !== undefined, values: [plural] } : undefined
}

/** Reads a field from its column, when its author has edited the line in the input. */
function readColumn(line: string, text: string): Field | undefined {
  const [, name] = /^ {2}(\w+): /.exec(line) ?? []
  if (name === undefined) return undefined
  for (const type of FIELD_TYPES.filter(each => each !== 'ref' && each !== 'enum'))
    for (const isOptional of [false, true]) {
      const field = { name, type, isOptional, values: [] }
      if (text.includes(`\n${columnOf(field)}\n`)) return field
    }
  return undefined
}

function readField(line: string, text: string, table: string): Field | undefined {
  const ref = readRef(line, text, table)
  if (ref) return ref
  const [, name = '', schema = ''] = /^ {2}(\w+): (.*),$/.exec(line) ?? []
  const [, currency] = /^moneySchema\('([A-Z]{3})'\)/.exec(schema) ?? []
  if (currency) return { name, type: 'money', isOptional: schema.includes('.nullable()'), values: [currency] }
  const file = readFile(name, schema)
  if (file) return file
  const values = enumValues(name, text)
  for (const type of FIELD_TYPES.filter(each => each !== 'ref'))
    for (const isOptional of [false, true]) {
      const field = { name, type, isOptional, values: type === 'enum' ? values : [] }
      if (schemaOf(field, table) === schema) return field
    }
  return undefined
}

/** Reads a file field from the upload in its schema. */
function readFile(name: string, schema: string): Field | undefined {
  const [, upload] = /^filesSchema\('([\w-]+)', \d+\)$/.exec(schema) ?? []
  if (upload) return { name, type: 'files', isOptional: false, values: [upload] }
  const [, one] = /^fileSchema\('([\w-]+)'\)\.nullable\(\)$/.exec(schema) ?? []
  return one ? { name, type: 'file', isOptional: true, values: [one] } : undefined
}

/** Returns the values of an enum's column. */
function enumValues(name: string, text: string): string[] {
  const listed = new RegExp(String.raw`\b${name}: text\('\w+', \{ enum: \[([^\]]*)\]`).exec(text)?.[1] ?? ''
  return listed.split(',').flatMap(value => value.trim().replaceAll("'", '') || [])
}
