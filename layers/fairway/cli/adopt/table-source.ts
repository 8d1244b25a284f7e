// Changes the source of a table: the columns of the organization, their index, and the policy.
import { type Node, parseSync, visitorKeys } from 'oxc-parser'
import { importOf } from '../generate/layout'
import { policyText } from '../generate/resource-files'
import { UsageFault } from '../terminal'

interface TableNames {
  path: string
  /** The constant in code. */
  variable: string
  /** The table in SQL. */
  name: string
  singular: string
}

interface Insertion {
  at: number
  text: string
}

/** Returns a table's file with `organizationColumns()`, an index and a policy. Throws a UsageFault where it cannot read the file. */
export function withOrganization(source: string, names: TableNames): string {
  const { path, variable, singular } = names
  const call = tableCall(path, source, variable)
  const [, columns, extras] = call ?? []
  const object = columns && objectIn(columns)
  const insertions = object ? [columnsInto(object, source), indexInto(call, extras, names)] : []
  if (!object || insertions.includes(undefined))
    throw new UsageFault(
      `${path} declares ${variable} in a way that is not read here. Write ...organizationColumns() into its columns and index('${names.name}_org').on(table.orgId, table.id) behind them, then run \`npm run db:generate\`.`,
    )
  const changed = insertions
    .flatMap(insertion => insertion ?? [])
    .toSorted((a, b) => b.at - a.at)
    .reduce((text, { at, text: added }) => text.slice(0, at) + added + text.slice(at), source)
  const imported = withImport(
    withImport(changed, ['index'], 'drizzle-orm/sqlite-core'),
    ['definePolicy', 'organizationColumns'],
    'nuxt-fairway/tables',
  )
  return `${imported.trimEnd()}\n${policyText({ variable, camel: singular, noun: singular })}`
}

/** The arguments of `export const <variable> = sqliteTable(…)`. */
function tableCall(path: string, source: string, variable: string): Node[] | undefined {
  const { program } = parseSync(path, source)
  const calls: Node[][] = []
  const visit = (node: Node): void => {
    if (node.type === 'VariableDeclarator' && node.id.type === 'Identifier' && node.id.name === variable) {
      if (node.init?.type === 'CallExpression') calls.push(node.init.arguments)
      return
    }
    for (const key of visitorKeys[node.type] ?? []) for (const child of childrenOf(node, key)) visit(child)
  }
  visit(program)
  return calls[0]
}

const childrenOf = (node: Node, key: string): Node[] =>
  [Reflect.get(node, key)].flat().filter((child): child is Node => typeof child?.type === 'string')

type ObjectNode = Extract<Node, { type: 'ObjectExpression' }>

/** The object of columns, or the one that a callback returns. */
function objectIn(node: Node): ObjectNode | undefined {
  if (node.type === 'ObjectExpression') return node
  if (node.type === 'ParenthesizedExpression') return objectIn(node.expression)
  return node.type === 'ArrowFunctionExpression' ? objectIn(node.body) : undefined
}

/** Behind the column `id`, or in front of the first column. */
function columnsInto(object: ObjectNode, source: string): Insertion | undefined {
  const [first] = object.properties
  const id = object.properties.find(
    each => each.type === 'Property' && each.key.type === 'Identifier' && each.key.name === 'id',
  )
  if (!first) return undefined
  if (!id) return { at: first.start, text: `...organizationColumns(), ` }
  const indent = /\n(\s*)$/.exec(source.slice(0, id.start))?.[1]
  return {
    at: id.end,
    text: indent === undefined ? ', ...organizationColumns()' : `,\n${indent}...organizationColumns()`,
  }
}

/** Into the list or the object that the third argument returns, or as a third argument. */
function indexInto(
  call: readonly Node[] | undefined,
  extras: Node | undefined,
  { name }: TableNames,
): Insertion | undefined {
  const index = (table: string) => `index('${name}_org').on(${table}.orgId, ${table}.id)`
  if (!extras) return { at: call?.at(-1)?.end ?? 0, text: `, table => [${index('table')}]` }
  if (extras.type !== 'ArrowFunctionExpression' || extras.params[0]?.type !== 'Identifier') return undefined
  const entry = index(extras.params[0].name)
  if (extras.body.type === 'ArrayExpression')
    return { at: extras.body.start + 1, text: extras.body.elements.length > 0 ? `${entry}, ` : entry }
  const object = objectIn(extras.body)
  return object && { at: object.start + 1, text: ` org: ${entry}${object.properties.length > 0 ? ',' : ''}` }
}

/** Adds names to the import from a module, or a new import behind the others. */
function withImport(source: string, names: readonly string[], from: string): string {
  const present = new RegExp(String.raw`^import \{([^}]*)\} from (['"])${RegExp.escape(from)}\2;?$`, 'm').exec(source)
  if (present) {
    const had = (present[1] ?? '').split(',').flatMap(name => name.trim() || [])
    return source.replace(present[0], importOf([...had, ...names], from))
  }
  const last = [...source.matchAll(/^import .*$/gm)].at(-1)
  const at = last ? last.index + last[0].length + 1 : 0
  return `${source.slice(0, at)}${importOf(names, from)}\n${source.slice(at)}`
}
