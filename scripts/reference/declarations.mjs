// Reads the exports of a source file for the reference: the sentences above a declaration and its text up to the body.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import ts from 'typescript'

const MOST_LINES = 60
/** Stands for a return type that the code does not write down. */
const HIDDEN = '…'

/** Parses a TypeScript file; of a component, its script. */
function parse(path) {
  const text = readFileSync(path, 'utf8')
  const script = path.endsWith('.vue') ? (/<script\s+setup[^>]*>\n?(.*?)<\/script>/s.exec(text)?.[1] ?? '') : text
  const kind = path.endsWith('.tsx') ? ts.ScriptKind.TSX : ts.ScriptKind.TS
  return ts.createSourceFile(path, script, ts.ScriptTarget.Latest, true, kind)
}

/** Returns the sentences of the comment above a node, on one line; empty when there is none. */
export function sentencesOf(node) {
  const [comment] = ts.getJSDocCommentsAndTags(node).filter(each => ts.isJSDoc(each))
  const text = comment ? ts.getTextOfJSDocComment(comment.comment) : undefined
  return (text ?? '').replaceAll(/\s*\n\s*/g, ' ').trim()
}

const isExported = node =>
  ts.canHaveModifiers(node) && ts.getModifiers(node)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)

/** Returns the file that an import in another file resolves to. */
function fileOf(specifier, from, platform) {
  const base = specifier.startsWith('#fairway/')
    ? join(platform, specifier.slice('#fairway/'.length))
    : join(dirname(from), specifier)
  const file = ['.ts', '.tsx', '/index.ts', '']
    .map(end => base + end)
    .find(path => existsSync(path) && /\.\w+$/.test(path))
  if (!file) throw new Error(`${from}: ${specifier} is no file.`)
  return file
}

/** Finds a top-level declaration of this name in a file. */
function findHere(source, name) {
  for (const statement of source.statements) {
    if (ts.isVariableStatement(statement)) {
      const declaration = statement.declarationList.declarations.find(each => each.name.getText() === name)
      if (declaration) return { node: statement, declaration }
    } else if ('name' in statement && statement.name?.getText() === name)
      return { node: statement, declaration: statement }
  }
  return undefined
}

/** Finds the declaration of an exported name across re-exports: `{ path, node, declaration }`. */
export function findExport(path, name, platform) {
  const source = parse(path)
  const here = findHere(source, name)
  if (here && isExported(here.node)) return { path, ...here }
  for (const statement of source.statements.filter(ts.isExportDeclaration)) {
    const element = statement.exportClause?.elements?.find(each => each.name.text === name)
    if (!element) continue
    const original = (element.propertyName ?? element.name).text
    if (statement.moduleSpecifier)
      return findExport(fileOf(statement.moduleSpecifier.text, path, platform), original, platform)
    const declared = findHere(source, original)
    if (declared) return { path, ...declared }
    const imported = source.statements.find(
      each =>
        ts.isImportDeclaration(each) &&
        each.importClause?.namedBindings?.elements?.some(({ name: local }) => local.text === original),
    )
    if (imported) return findExport(fileOf(imported.moduleSpecifier.text, path, platform), original, platform)
  }
  throw new Error(`${path} exports no ${name}.`)
}

/** Returns every name that a file exports, in order. */
export function exportedNames(path) {
  return parse(path).statements.flatMap(statement => {
    if (!isExported(statement)) return []
    if (ts.isVariableStatement(statement))
      return statement.declarationList.declarations.map(each => each.name.getText())
    return statement.name ? [statement.name.text] : []
  })
}

/**
 * Returns the signature of a declaration, without its body and without `export`; undefined when it has more than `MOST_LINES`
 * lines.
 */
export function signatureOf({ node, declaration }) {
  const source = node.getSourceFile()
  const between = (from, to) => source.text.slice(from.getStart(source), to).trim()
  const written = text => withoutIndent(text).replace(/^export (default )?/, '')
  if (ts.isFunctionDeclaration(node))
    return overloadsOf(node, source)
      .map(each => written(between(each, each.body?.pos ?? each.end)))
      .join('\n')
  if (ts.isClassDeclaration(node)) return classText(node, source)
  if (ts.isVariableStatement(node)) return constText(declaration, source)
  const text = written(between(node, node.end))
  return text.split('\n').length > MOST_LINES ? undefined : text
}

/** Returns all overloads of a function; with several, callers do not see the implementation's signature. */
function overloadsOf(node, source) {
  const all = source.statements.filter(each => ts.isFunctionDeclaration(each) && each.name?.text === node.name?.text)
  return all.length > 1 ? all.filter(each => !each.body) : all
}

function constText({ name, type, initializer }, source) {
  const head = `const ${name.getText()}`
  if (type) return `${head}: ${type.getText(source)}`
  if (initializer && ts.isArrowFunction(initializer)) return `${head}: ${arrowText(initializer, source)}`
  if (initializer && ts.isObjectLiteralExpression(initializer) && initializer.properties.every(ts.isMethodDeclaration))
    return methodsText(head, initializer, source)
  const text = initializer?.getText(source) ?? ''
  return text.length > 160 ? undefined : `${head} = ${text}`
}

function arrowText(arrow, source) {
  const { type: declared, body, equalsGreaterThanToken } = arrow
  const returned = declared ?? (ts.isAsExpression(body) ? body.type : undefined)
  const until = declared ? declared.pos - 1 : equalsGreaterThanToken.getStart(source)
  const taken = source.text.slice(arrow.getStart(source), until).trim()
  return `${taken} => ${returned ? returned.getText(source) : HIDDEN}`
}

/** The methods of an object, each with its sentences. */
function methodsText(head, { properties }, source) {
  const methods = properties.map(method => {
    if (!method.type) throw new Error(`${head}: ${method.name.getText()} has no return type for the reference.`)
    const signature = source.text.slice(method.name.getStart(source), method.type.end).trim()
    return `  /** ${sentencesOf(method)} */\n  ${signature}`
  })
  return `${head}: {\n${methods.join('\n')}\n}`
}

/** The parts of a declaration that a reader of its signature sees. */
function shownParts({ node, declaration }) {
  if (ts.isFunctionDeclaration(node)) return [...node.parameters, ...(node.type ? [node.type] : [])]
  if (!ts.isVariableStatement(node)) return [node]
  const { type, initializer } = declaration
  if (type) return [type]
  const shown = each => [...each.parameters, ...(each.type ? [each.type] : [])]
  if (initializer && ts.isArrowFunction(initializer)) {
    const returned = ts.isAsExpression(initializer.body) ? [initializer.body.type] : []
    return [...shown(initializer), ...returned]
  }
  const isObject = initializer && ts.isObjectLiteralExpression(initializer)
  return isObject ? initializer.properties.filter(ts.isMethodDeclaration).flatMap(shown) : []
}

/** The declarations of the platform's own types that a signature names: `[name, { path, node, declaration }]`. */
export function typesNamed(declared, platform) {
  const { path, node } = declared
  const source = node.getSourceFile()
  const names = new Set()
  const visit = each => {
    if (ts.isTypeReferenceNode(each) && ts.isIdentifier(each.typeName)) names.add(each.typeName.text)
    ts.forEachChild(each, visit)
  }
  for (const part of shownParts(declared)) visit(part)
  return [...names].flatMap(name => {
    const found = findType(source, path, name, platform)
    return found ? [[name, found]] : []
  })
}

function findType(source, path, name, platform) {
  const here = findHere(source, name)
  if (here) return isType(here.node) ? { path, ...here } : undefined
  for (const statement of source.statements.filter(ts.isImportDeclaration)) {
    const element = statement.importClause?.namedBindings?.elements?.find(each => each.name.text === name)
    const from = statement.moduleSpecifier.text
    if (!element || !/^(#fairway\/|\.)/.test(from)) continue
    const found = findExport(fileOf(from, path, platform), (element.propertyName ?? element.name).text, platform)
    return isType(found.node) ? found : undefined
  }
  return undefined
}

const isType = node => ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)

function classText(node, source) {
  const hidden = new Set([ts.SyntaxKind.PrivateKeyword, ts.SyntaxKind.ProtectedKeyword])
  const members = node.members.filter(
    member =>
      !ts.getModifiers(member)?.some(({ kind }) => hidden.has(kind)) &&
      !(member.name && (ts.isPrivateIdentifier(member.name) || member.name.getText().startsWith('__'))),
  )
  const text = members.map(member => {
    const start = member.getStart(source, true)
    const signature = source.text.slice(start, member.body?.pos ?? member.end).trim()
    return `  ${signature.replace(/^(override|async) /, '')}`
  })
  const head = source.text
    .slice(node.name.getStart(source), node.members.pos)
    .replace(/\{\s*$/, '{')
    .trim()
  return `class ${head}\n${text.join('\n')}\n}`
}

function withoutIndent(text) {
  const lines = text.split('\n')
  const indents = lines
    .slice(1)
    .filter(line => line.trim())
    .map(line => /^ */.exec(line)[0].length)
  const least = Math.min(...indents, Number.MAX_SAFE_INTEGER)
  return lines
    .map((line, index) => (index === 0 ? line : line.slice(Math.min(least, /^ */.exec(line)[0].length))))
    .join('\n')
}

/**
 * Returns the documentation of a component: the sentence at its head, and its props, events, models and slots with their
 * sentences.
 */
export function componentOf(path) {
  const source = parse(path)
  const component = { sentence: headOf(readFileSync(path, 'utf8')), props: [], events: [], models: [], slots: [] }
  const walk = node => {
    if (ts.isCallExpression(node) && ts.isIdentifier(node.expression)) takeMacro(node, component, source)
    ts.forEachChild(node, walk)
  }
  walk(source)
  return component
}

/** Returns the comment before the first line of a component's code. */
function headOf(text) {
  const [, script = ''] = /<script\s+setup[^>]*>\n(.*?)<\/script>/s.exec(text) ?? []
  const [comment = ''] = /^(\s*\/\/[^\n]*\n)+|^\s*\/\*\*.*?\*\//s.exec(script) ?? []
  const [, markup = ''] = /^<!--\s*(.*?)\s*-->/s.exec(text) ?? []
  return (comment || markup)
    .replaceAll(/^\s*(\/\/|\/\*\*|\*\/|\*)\s?|\*\/\s*$/gm, '')
    .replaceAll(/\s*\n\s*/g, ' ')
    .trim()
}

const textOf = (node, source) => node?.getText(source) ?? ''

function takeMacro(call, component, source) {
  const [type] = call.typeArguments ?? []
  const macro = call.expression.text
  const lists = { defineProps: component.props, defineEmits: component.events, defineSlots: component.slots }
  if (macro === 'defineModel') component.models.push(modelOf(call, type, source))
  if (!(macro in lists) || !type || !ts.isTypeLiteralNode(type)) return
  for (const member of type.members) {
    lists[macro].push({
      name: textOf(member.name ?? member.parameters?.[0]?.type, source),
      type: textOf(member.type, source),
      isOptional: Boolean(member.questionToken),
      sentence: sentencesOf(member),
    })
  }
}

function modelOf({ arguments: [first], parent }, type, source) {
  const name = first && ts.isStringLiteral(first) ? first.text : 'modelValue'
  const statement = parent.parent?.parent
  return { name, type: textOf(type, source), isOptional: true, sentence: statement ? sentencesOf(statement) : '' }
}
