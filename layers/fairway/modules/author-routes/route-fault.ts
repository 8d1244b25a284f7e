import { type CallExpression, type Node, parseSync, type Program, visitorKeys } from 'oxc-parser'
import { published } from '../../published'

/** Makers of handlers that are public, or that check the caller themselves. */
const OPEN = ['definePublicRoute', 'defineLocalMigration']
const WRAPPERS = ['defineEventHandler', 'eventHandler']
/** Readers that call their second argument. */
const VALIDATING = ['getValidatedQuery', 'getValidatedRouterParams', 'readValidatedBody']
const READERS_OF_FW = [
  'AppError',
  'getSession',
  'requireAll',
  'requireOrganization',
  'requireOrgRole',
  'requireSession',
]
const READERS_OF_H3 = `assertMethod createError getCookie getHeader getHeaders getMethod getQuery getRequestHeader
  getRequestHeaders getRequestIP getRequestURL getRouterParam getRouterParams isMethod parseCookies readBody readFormData
  readMultipartFormData readRawBody setHeader setHeaders setResponseHeader setResponseHeaders setResponseStatus`.split(
  /\s+/,
)
const GLOBALS = ['Boolean', 'Date', 'Error', 'Number', 'String', 'URL', 'URLSearchParams']
/** Functions allowed before the session check: they read the request, prepare the response or create a value. */
const HARMLESS = new Set([...READERS_OF_FW, ...READERS_OF_H3, ...GLOBALS])
/** Methods allowed before the session check: those of a schema, and the guard of app roles. */
const METHODS = new Set(['parse', 'parseAsync', 'requireAny', 'safeParse', 'safeParseAsync'])
const IMPORTABLE: Readonly<Record<string, readonly string[]>> = {
  '#fw': [...READERS_OF_FW, ...OPEN, 'useFairway'],
  h3: [...READERS_OF_H3, ...WRAPPERS, ...VALIDATING],
}
const WITHOUT_IMPORT = [...Object.keys(published.serverWithoutImport), ...(IMPORTABLE.h3 ?? []), ...GLOBALS]

/** The syntax that may come before the session check. */
const PLAIN = new Set(
  `ArrayExpression ArrayPattern ArrowFunctionExpression AssignmentPattern AwaitExpression BinaryExpression CallExpression
  ChainExpression ConditionalExpression ExpressionStatement FunctionDeclaration FunctionExpression Identifier IfStatement Literal
  LogicalExpression MemberExpression MetaProperty NewExpression ObjectExpression ObjectPattern Property RestElement
  ReturnStatement SequenceExpression SpreadElement TemplateElement TemplateLiteral ThrowStatement TSAsExpression
  TSNonNullExpression TSSatisfiesExpression TSTypeAliasDeclaration UnaryExpression
  VariableDeclaration VariableDeclarator`.split(/\s+/),
)
/** The parts of that syntax that run only in some cases, where a session check does not count. */
const UNCERTAIN =
  /^(?:ChainExpression|(?:AssignmentPattern|LogicalExpression)\.right|ConditionalExpression\.(?:alternate|consequent))/

type Handler = Extract<Node, { type: 'ArrowFunctionExpression' | 'FunctionExpression' | 'FunctionDeclaration' }>

interface RouteFile {
  /** The names that refer to the platform, h3 or JavaScript. */
  known: ReadonlyMap<string, string>
  /** The constants and functions declared in the file. */
  declared: ReadonlyMap<string, Node>
}

/**
 * The reason why a route that can change data must not be served, with its line, or undefined. Reads the syntax of this one file.
 * Before the session check, the handler may only read the request and fail. The check is an awaited `useFairway(event)` or
 * `requireSession(event)`, or a refusal of callers for whom `getSession(event)` returns null.
 */
export function routeFault(path: string, source: string): string | undefined {
  const { program, errors } = parseSync(path, source, { preserveParens: false })
  // The bundler reports syntax errors better.
  const fault = errors.length > 0 ? undefined : programFault(program)
  if (!fault) return undefined
  const line = source.slice(0, fault.start).split('\n').length
  const [code = ''] = source.slice(fault.start, fault.end).split('\n')
  return `${path}:${line}: \`${code.slice(0, 60)}\` ${reasonOf(fault)}`
}

function reasonOf(fault: Node): string {
  if (fault.type === 'ReturnStatement') return 'answers without a session: throw, or set the status 401 right before it'
  if (isFunction(fault)) return 'never checks the session'
  const isElsewhere = fault.type === 'ExportDefaultDeclaration' || fault.type === 'Program'
  return isElsewhere
    ? 'gives `defineEventHandler` no function of this file, or runs something around it'
    : 'comes before the session check'
}

function programFault(program: Program): Node | undefined {
  const file = readFile(program)
  const exported = program.body.find(statement => statement.type === 'ExportDefaultDeclaration')
  if (!exported) return program
  const value = plain(exported.declaration, file)
  const [maker, argument] = value.type === 'CallExpression' ? [knownName(value.callee, file), value.arguments[0]] : ['']
  if (OPEN.includes(maker)) return undefined
  const handler = argument && WRAPPERS.includes(maker) ? plain(argument, file) : value
  return isFunction(handler) ? handlerFault(handler, file) : exported
}

function readFile(program: Program): RouteFile {
  const bound = boundNames(program)
  const known = [...WITHOUT_IMPORT.map(name => [name, name] as const), ...program.body.flatMap(importsOf)]
  return {
    known: new Map(known.filter(([local]) => !bound.has(local))),
    declared: new Map(program.body.flatMap(declarationsOf)),
  }
}

/** Every imported name with the function of `#fw` or h3 that it refers to; empty for all others. */
function importsOf(statement: Node): (readonly [string, string])[] {
  if (statement.type !== 'ImportDeclaration') return []
  const names = IMPORTABLE[statement.source.value] ?? []
  return statement.specifiers.map(each => {
    const name = each.type === 'ImportSpecifier' && each.imported.type === 'Identifier' ? each.imported.name : ''
    return [each.local.name, names.includes(name) ? name : ''] as const
  })
}

function declarationsOf(statement: Node): (readonly [string, Node])[] {
  if (statement.type === 'FunctionDeclaration') return statement.id ? [[statement.id.name, statement]] : []
  if (statement.type !== 'VariableDeclaration' || statement.kind !== 'const') return []
  return statement.declarations.flatMap(({ id, init }) =>
    id.type === 'Identifier' && init ? [[id.name, init] as const] : [],
  )
}

/** Every name that the file declares in any scope. An extra name only makes the check stricter. */
function boundNames(program: Program): Set<string> {
  const names = new Set<string>()
  const visit = (node: Node, isBound: boolean): void => {
    if (isBound && node.type === 'Identifier') names.add(node.name)
    if (node.type === 'ImportDeclaration' || node.type.startsWith('TSType')) return
    for (const key of visitorKeys[node.type] ?? [])
      for (const part of childrenAt(node, key)) visit(part, isBound || ['id', 'param', 'params'].includes(key))
  }
  visit(program, false)
  return names
}

/** The node without its type annotations. A name declared in the file is replaced by its value. */
function plain(node: Node, file: RouteFile): Node {
  if (node.type === 'Identifier') return file.declared.get(node.name) ?? node
  return node.type === 'TSAsExpression' || node.type === 'TSSatisfiesExpression' ? plain(node.expression, file) : node
}

const isFunction = (node: Node): node is Handler =>
  node.type === 'ArrowFunctionExpression' || node.type === 'FunctionExpression' || node.type === 'FunctionDeclaration'

const knownName = (node: Node, { known }: RouteFile): string =>
  node.type === 'Identifier' ? (known.get(node.name) ?? '') : ''

const keyOf = (node: Node): string =>
  node.type === 'Property' && !node.computed && node.key.type === 'Identifier' ? node.key.name : ''

function handlerFault(handler: Handler, file: RouteFile): Node | undefined {
  const statements = handler.body?.type === 'BlockStatement' ? handler.body.body : childrenAt(handler, 'body')
  const sessions = new Set<string>()
  for (const statement of [...handler.params, ...statements]) {
    const isRefusal = statement.type === 'IfStatement' && isAbsence(statement.test, sessions, file)
    const fault = isRefusal ? exitFault(statement.consequent, file) : first(statement, file)
    if (fault === 'check') return undefined
    if (fault || isRefusal || statement.type === 'ThrowStatement') return fault
    for (const name of sessionsOf(statement, file)) sessions.add(name)
  }
  return handler
}

/** The fault in an exit for callers without a session: it must throw or return 401, and change nothing. */
function exitFault(node: Node, file: RouteFile): Node | undefined {
  const statements: readonly Node[] = node.type === 'BlockStatement' ? node.body : [node]
  const index = statements.findIndex(({ type }) => type === 'ReturnStatement' || type === 'ThrowStatement')
  const is401 = setsStatus401(statements[index - 1], file)
  for (const [place, statement] of statements.entries()) {
    const fault = first(statement, file)
    if (fault && fault !== 'check' && !(is401 && place === index && fault === statement)) return fault
  }
  return index < 0 ? node : undefined
}

function setsStatus401(statement: Node | undefined, file: RouteFile): boolean {
  const call = statement?.type === 'ExpressionStatement' ? statement.expression : undefined
  if (call?.type !== 'CallExpression' || knownName(call.callee, file) !== 'setResponseStatus') return false
  return call.arguments[1]?.type === 'Literal' && call.arguments[1].value === 401
}

/** The first result of a node in execution order: the session check, a disallowed part, or undefined. */
function first(node: Node, file: RouteFile): 'check' | Node | undefined {
  if (!PLAIN.has(node.type)) return node
  for (const [key, part] of partsOf(node)) {
    const isExit = node.type === 'IfStatement' && key !== 'test'
    const fault = isExit ? exitFault(part, file) : first(part, file)
    if (fault && !(fault === 'check' && UNCERTAIN.test(`${node.type}.${key}`))) return fault
  }
  if (node.type === 'AwaitExpression' && isCheck(node.argument, file)) return 'check'
  return isHarmless(node, file) ? undefined : node
}

const partsOf = (node: Node): (readonly [string, Node])[] =>
  (isFunction(node) ? [] : (visitorKeys[node.type] ?? []))
    .filter(key => !key.startsWith('type'))
    .flatMap(key => childrenAt(node, key).map(part => [key, part] as const))

function isCheck(node: Node, file: RouteFile): boolean {
  if (node.type !== 'CallExpression') return false
  const name = knownName(node.callee, file)
  return name === 'requireSession' || (name === 'useFairway' && ['', 'guard'].includes(optionOf(node)))
}

/**
 * The single literal option of a call of `useFairway` besides `openIn`; empty without one. With `public` a guard would run without
 * a session.
 */
function optionOf(call: CallExpression): string {
  const [, options] = call.arguments
  if (!options) return call.arguments[0]?.type === 'SpreadElement' ? 'unknown' : ''
  if (options.type !== 'ObjectExpression') return 'unknown'
  const [property, ...others] = options.properties.filter(each => keyOf(each) !== 'openIn')
  return others.length > 0 ? 'unknown' : property ? keyOf(property) || 'unknown' : ''
}

function isHarmless(node: Node, file: RouteFile): boolean {
  if (node.type === 'ReturnStatement') return false
  if (node.type === 'UnaryExpression') return node.operator !== 'delete'
  if (node.type !== 'CallExpression' && node.type !== 'NewExpression') return true
  const name = knownName(node.callee, file)
  if (name === 'useFairway') return node.type === 'CallExpression' && optionOf(node) !== 'unknown'
  if (VALIDATING.includes(name)) return validates(node.arguments[1], file)
  return HARMLESS.has(name) || (node.type === 'CallExpression' && isMethod(node.callee))
}

const isMethod = (node: Node): boolean =>
  node.type === 'MemberExpression' &&
  !node.computed &&
  node.property.type === 'Identifier' &&
  METHODS.has(node.property.name)

/** Whether a reader may call this: the method of a schema, or an expression that changes nothing. */
const validates = (node: Node | undefined, file: RouteFile): boolean =>
  node?.type === 'ArrowFunctionExpression'
    ? [...node.params, node.body].every(part => first(part, file) === undefined)
    : node !== undefined && isMethod(node)

/** The names that a statement assigns to a session that may be null. */
function sessionsOf(statement: Node, file: RouteFile): string[] {
  if (statement.type !== 'VariableDeclaration') return []
  return statement.declarations.flatMap(({ id, init }) => {
    if (init?.type !== 'AwaitExpression' || init.argument.type !== 'CallExpression') return []
    const name = knownName(init.argument.callee, file)
    if (name === 'getSession' && id.type === 'Identifier') return [id.name]
    if (name !== 'useFairway' || id.type !== 'ObjectPattern') return []
    const property = id.properties.find(each => keyOf(each) === 'session')
    return property?.type === 'Property' && property.value.type === 'Identifier' ? [property.value.name] : []
  })
}

/** Whether a condition is always true without a session, and changes nothing. */
function isAbsence(test: Node, sessions: ReadonlySet<string>, file: RouteFile): boolean {
  const isSession = (node: Node) => node.type === 'Identifier' && sessions.has(node.name)
  if (test.type === 'UnaryExpression') return test.operator === '!' && isSession(test.argument)
  if (test.type === 'BinaryExpression')
    return /^===?$/.test(test.operator) && isSession(test.left) && 'raw' in test.right && test.right.raw === 'null'
  if (test.type !== 'LogicalExpression' || test.operator !== '||') return false
  return isAbsence(test.left, sessions, file) || (!first(test.left, file) && isAbsence(test.right, sessions, file))
}

const childrenAt = (node: Node, key: string): Node[] => [Reflect.get(node, key)].flat().filter(isNode)

/** Whether a value is a node of the syntax tree. */
const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value
