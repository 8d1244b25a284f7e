import {
  type Argument,
  type ExportDefaultDeclarationKind,
  type Expression,
  type Node,
  parseSync,
  type Program,
  type Statement,
  visitorKeys,
} from 'oxc-parser'
import { published } from '../../published'

/** What makes a handler that needs no further look: it says that anyone may call it, or asks by itself. */
const MAKERS = new Set(['definePublicRoute', 'defineLocalMigration'])

type Handler = Extract<Node, { type: 'ArrowFunctionExpression' | 'FunctionExpression' | 'FunctionDeclaration' }>

/** What stands at the top of a route's file. */
interface RouteFile {
  /** The names it has for what is of `#fw`, imported by it or by the build. */
  imported: ReadonlyMap<string, string>
  /** Its own constants and functions. */
  declared: ReadonlyMap<string, Node>
}

/**
 * Why a route that can change data must not be served, or undefined. It looks at the syntax of the one file: its handler must begin
 * by waiting for `useFairway(event)` or `requireSession(event)`, or by refusing callers that `getSession(event)` does not find. What it
 * cannot see (a handler from another file, a question inside a condition, a `try` or a helper) counts as no question.
 */
export function routeFault(path: string, source: string): string | undefined {
  const { program, errors } = parseSync(path, source)
  // The bundler says it better.
  if (errors.length > 0) return undefined
  const file = readFile(program)
  const exported = program.body.find(statement => statement.type === 'ExportDefaultDeclaration')
  if (!exported) return 'its handler is not in this file'
  const value = plain(exported.declaration, file)
  if (value.type === 'CallExpression' && MAKERS.has(importedName(value.callee, file))) return undefined
  const handler = handlerOf(value, file)
  if (!handler) return 'its handler is not in this file'
  return begins(handler, file) ? undefined : 'it does not begin by asking who calls'
}

function readFile(program: Program): RouteFile {
  const bound = boundNames(program)
  const byBuild = Object.keys(published.serverWithoutImport).filter(name => !bound.has(name))
  return {
    imported: new Map([
      ...byBuild.map(name => [name, name] satisfies [string, string]),
      ...program.body.flatMap(importsOf),
    ]),
    declared: new Map(program.body.flatMap(declarationsOf)),
  }
}

function importsOf(statement: Program['body'][number]): [string, string][] {
  if (statement.type !== 'ImportDeclaration' || statement.source.value !== '#fw') return []
  return statement.specifiers.flatMap(each =>
    each.type === 'ImportSpecifier' && each.imported.type === 'Identifier'
      ? [[each.local.name, each.imported.name] satisfies [string, string]]
      : [],
  )
}

function declarationsOf(statement: Program['body'][number]): [string, Node][] {
  if (statement.type === 'FunctionDeclaration') return statement.id ? [[statement.id.name, statement]] : []
  if (statement.type !== 'VariableDeclaration' || statement.kind !== 'const') return []
  return statement.declarations.flatMap(({ id, init }) =>
    id.type === 'Identifier' && init ? [[id.name, init] satisfies [string, Node]] : [],
  )
}

/** The node without the types around it; a name of the file's own is what it stands for. */
function plain(node: ExportDefaultDeclarationKind | Expression | Argument | Node, file: RouteFile): Node {
  if (node.type === 'Identifier') return file.declared.get(node.name) ?? node
  if (
    node.type === 'TSAsExpression' ||
    node.type === 'TSSatisfiesExpression' ||
    node.type === 'ParenthesizedExpression'
  )
    return plain(node.expression, file)
  return node
}

const isFunction = (node: Node): node is Handler =>
  node.type === 'ArrowFunctionExpression' || node.type === 'FunctionExpression' || node.type === 'FunctionDeclaration'

/** The function that answers: the exported one, or what a call such as `defineEventHandler` is given. */
function handlerOf(node: Node, file: RouteFile): Handler | undefined {
  if (isFunction(node)) return node
  if (node.type === 'CallExpression') {
    const [first] = node.arguments
    const given = first && plain(first, file)
    return given && (isFunction(given) || given.type === 'ObjectExpression') ? handlerOf(given, file) : undefined
  }
  if (node.type !== 'ObjectExpression') return undefined
  const property = node.properties.find(
    each => each.type === 'Property' && each.key.type === 'Identifier' && each.key.name === 'handler',
  )
  const value = property?.type === 'Property' ? plain(property.value, file) : undefined
  return value && isFunction(value) ? value : undefined
}

const importedName = (node: Node, { imported }: RouteFile): string =>
  node.type === 'Identifier' ? (imported.get(node.name) ?? '') : ''

/** Whether nothing of consequence comes before the question who calls. */
function begins({ body }: Handler, file: RouteFile): boolean {
  if (!body) return false
  if (body.type !== 'BlockStatement') return asks(body, file)
  const found = new Set<string>()
  for (const statement of body.body) {
    if (asks(statement, file) || refuses(statement, found)) return true
    if (!isHarmless(statement)) return false
    for (const name of sessionsOf(statement, file)) found.add(name)
  }
  return false
}

/** Whether this waits, in every case, for a call that throws without a session. */
function asks(node: Node, file: RouteFile): boolean {
  if (node.type === 'AwaitExpression' && node.argument.type === 'CallExpression') {
    const name = importedName(node.argument.callee, file)
    const [, options] = node.argument.arguments
    if (name === 'requireSession' || (name === 'useFairway' && !mayBePublic(options))) return true
  }
  return always(node).some(child => asks(child, file))
}

/** Whether options of `useFairway` may let callers without a session in: they do not where they are written out, and name a guard alone. */
const mayBePublic = (options: Node | undefined): boolean =>
  options !== undefined &&
  (options.type !== 'ObjectExpression' ||
    options.properties.some(
      each => each.type !== 'Property' || each.computed || each.key.type !== 'Identifier' || each.key.name !== 'guard',
    ))

/** The parts that run whenever the node does, where those are not all. */
const CERTAIN: Partial<Record<Node['type'], readonly string[]>> = {
  ArrowFunctionExpression: [],
  FunctionExpression: [],
  FunctionDeclaration: [],
  ClassDeclaration: [],
  ClassExpression: [],
  TryStatement: [],
  DoWhileStatement: [],
  LogicalExpression: ['left'],
  ConditionalExpression: ['test'],
  IfStatement: ['test'],
  WhileStatement: ['test'],
  ForStatement: ['init'],
  ForInStatement: ['right'],
  ForOfStatement: ['right'],
  SwitchStatement: ['discriminant'],
}

const always = (node: Node): Node[] =>
  (CERTAIN[node.type] ?? visitorKeys[node.type] ?? []).flatMap(key => [Reflect.get(node, key)].flat()).filter(isNode)

// Reading a body, a header or a parameter may come first.
const isHarmless = (statement: Statement): boolean =>
  statement.type === 'VariableDeclaration' ||
  statement.type === 'FunctionDeclaration' ||
  (statement.type === 'ExpressionStatement' && !awaits(statement)) ||
  (statement.type === 'IfStatement' && !statement.alternate && leaves(statement.consequent, ['ThrowStatement']))

const awaits = (node: Node): boolean => node.type === 'AwaitExpression' || always(node).some(awaits)

/** The names under which a statement keeps a session that may be null. */
function sessionsOf(statement: Statement, file: RouteFile): string[] {
  if (statement.type !== 'VariableDeclaration') return []
  return statement.declarations.flatMap(({ id, init }) => {
    if (init?.type !== 'AwaitExpression' || init.argument.type !== 'CallExpression') return []
    const name = importedName(init.argument.callee, file)
    if (name === 'getSession' && id.type === 'Identifier') return [id.name]
    if (name !== 'useFairway' || id.type !== 'ObjectPattern') return []
    return id.properties.flatMap(each =>
      each.type === 'Property' &&
      each.key.type === 'Identifier' &&
      each.key.name === 'session' &&
      each.value.type === 'Identifier'
        ? [each.value.name]
        : [],
    )
  })
}

/** Whether this is `if (!session) throw …` for one of the sessions. */
const refuses = (statement: Statement, sessions: ReadonlySet<string>): boolean =>
  statement.type === 'IfStatement' &&
  isAbsence(statement.test, sessions) &&
  leaves(statement.consequent, ['ThrowStatement', 'ReturnStatement'])

function isAbsence(test: Node, sessions: ReadonlySet<string>): boolean {
  const isSession = (node: Node) => node.type === 'Identifier' && sessions.has(node.name)
  if (test.type === 'UnaryExpression') return test.operator === '!' && isSession(test.argument)
  if (test.type === 'BinaryExpression')
    return (
      (test.operator === '===' || test.operator === '==') &&
      isSession(test.left) &&
      test.right.type === 'Literal' &&
      test.right.value === null
    )
  return (
    test.type === 'LogicalExpression' &&
    test.operator === '||' &&
    (isAbsence(test.left, sessions) || isAbsence(test.right, sessions))
  )
}

function leaves(statement: Statement, by: readonly Statement['type'][]): boolean {
  const last = statement.type === 'BlockStatement' ? statement.body.at(-1) : statement
  return last !== undefined && by.includes(last.type)
}

/** Every name that a file gives to something of its own, wherever in it: imports, declarations and parameters. */
function boundNames(program: Program): Set<string> {
  const names = new Set<string>()
  const visit = (node: Node): void => {
    for (const key of BINDING[node.type] ?? []) for (const part of childrenAt(node, key)) addNames(part, names)
    for (const key of visitorKeys[node.type] ?? []) for (const part of childrenAt(node, key)) visit(part)
  }
  visit(program)
  return names
}

/** Where a node of this kind binds names. */
const BINDING: Partial<Record<Node['type'], readonly string[]>> = {
  VariableDeclarator: ['id'],
  FunctionDeclaration: ['id', 'params'],
  FunctionExpression: ['id', 'params'],
  ArrowFunctionExpression: ['params'],
  ClassDeclaration: ['id'],
  ClassExpression: ['id'],
  CatchClause: ['param'],
  ImportSpecifier: ['local'],
  ImportDefaultSpecifier: ['local'],
  ImportNamespaceSpecifier: ['local'],
}

// Of a pattern every name in it, default values too: one name too many only makes the check stricter.
function addNames(node: Node, names: Set<string>): void {
  if (node.type === 'Identifier') names.add(node.name)
  for (const key of visitorKeys[node.type] ?? []) for (const part of childrenAt(node, key)) addNames(part, names)
}

const childrenAt = (node: Node, key: string): Node[] => [Reflect.get(node, key)].flat().filter(isNode)

/** Whether a value is a node of the syntax tree. */
const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value
