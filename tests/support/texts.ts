import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { babelParse, parse as parseSfc } from 'vue/compiler-sfc'
import { languagesIn } from '#fairway/server/kernel/locale-files'

type Texts = ReadonlyMap<string, string>

/** The texts of a catalog by their full keys. */
export function flatten(value: unknown, prefix = ''): [key: string, text: string][] {
  if (typeof value === 'string') return [[prefix, value]]
  if (typeof value !== 'object' || value === null) throw new Error(`${prefix} is neither a text nor a group`)
  return Object.entries(value).flatMap(([key, child]) => flatten(child, prefix ? `${prefix}.${key}` : key))
}

/** The catalogs of one language in an `app` folder, by their paths with `*` in place of the language. */
function catalogsOf(app: string, code: string): Map<string, Texts> {
  const files = globSync([`locales/${code}.json`, `locales/${code}/*.json`], { cwd: app })
  return new Map(
    files
      .filter(file => !file.endsWith('/language.json'))
      .map(file => {
        const texts = new Map(flatten(JSON.parse(readFileSync(join(app, file), 'utf8'))))
        return [file.replace(`locales/${code}`, '*'), texts]
      }),
  )
}

/** All English texts of these `app` folders; optionally only those of some features. */
export const englishOf = (apps: readonly string[], isWanted: (feature: string) => boolean = () => true): Texts =>
  new Map(
    apps
      .flatMap(app => [...catalogsOf(app, 'en')])
      .flatMap(([file, texts]) => (isWanted(basename(file, '.json')) ? [...texts] : [])),
  )

/**
 * How the catalogs of an `app` folder deviate from English: files, keys, placeholders, plural forms, tone. `inCode` contains the
 * platform's files whose English texts are in code.
 */
export function catalogFaults(app: string, platformApp: string, inCode: Record<string, object>): string[] {
  const english = catalogsOf(app, 'en')
  if (app === platformApp)
    for (const [file, groups] of Object.entries(inCode)) english.set(`*/${file}.json`, new Map(flatten(groups)))
  const codes = languagesIn([app, platformApp]).map(({ code }) => code)
  const shouts = codes.flatMap(code =>
    [...catalogsOf(app, code)].flatMap(([file, texts]) =>
      [...texts].filter(([, text]) => /[!！]/.test(text)).map(([key]) => `${file.replace('*', code)}: ${key} shouts`),
    ),
  )
  const differences = codes
    .filter(code => code !== 'en')
    .flatMap(code => {
      const own = catalogsOf(app, code)
      const files = new Set([...english.keys(), ...own.keys()])
      return [...files].flatMap(file =>
        differencesOf(english.get(file), own.get(file), code).map(fault => `${file.replace('*', code)}${fault}`),
      )
    })
  return [...differences, ...shouts].toSorted()
}

function differencesOf(english: Texts | undefined, own: Texts | undefined, code: string): string[] {
  if (!own) return [' is missing']
  if (!english) return [': English has no such file']
  const missing = [...english.keys()].filter(key => !own.has(key) && isExpected(key, own))
  const unknown = [...own.keys()].filter(key => !english.has(key))
  const both = [...own].flatMap(([key, text]) => {
    const original = english.get(key)
    return original ? [{ key, text, original }] : []
  })
  return [
    ...missing.map(key => `: ${key} is missing`),
    ...unknown.map(key => `: ${key} is not in English`),
    ...both
      .filter(({ text, original }) => placeholders(text) !== placeholders(original))
      .map(({ key, text, original }) => `: ${key} has {${placeholders(text)}}, English {${placeholders(original)}}`),
    ...both
      .filter(({ text, original }) => !hasForms(text, original, code))
      .map(({ key, text, original }) => `: ${key} has ${forms(text)} plural forms, English ${forms(original)}`),
  ]
}

// A mail without a translation is sent in English. A translated mail must be complete.
const isExpected = (key: string, own: Texts): boolean =>
  !key.startsWith('mails.') || [...own.keys()].some(other => other.split('.')[1] === key.split('.')[1])

const placeholders = (text: string): string =>
  [...new Set([...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name))].toSorted().join(', ')
const forms = (text: string): number => text.split(' | ').length

/** A plural text has as many forms as English, or all six of ICU. Six are required where the language uses all of them. */
function hasForms(text: string, original: string, code: string): boolean {
  const isSixfold = new Intl.PluralRules(code).resolvedOptions().pluralCategories.length === 6
  return forms(text) === 6 || (forms(text) === forms(original) && !(isSixfold && forms(text) > 1))
}

/** Keys that sources use but no catalog contains, and texts that no source uses. */
export function useFaults(english: Texts, source: string): { missing: string[]; unused: string[] } {
  const groups = new Set([...english.keys()].map(key => key.split('.', 1)[0]))
  const literals = [...source.matchAll(/['"`]((?:[a-z][\w-]*)(?:\.[\w-]+)*)['"`]/gi)].map(([, one = '']) => one)
  const used = new Set(
    literals.filter(one => groups.has(one.split('.', 1)[0] ?? '') && (one.includes('.') || english.has(one))),
  )
  // A composed key, for example `home.greeting.${part}`.
  const prefixes = [...source.matchAll(/`([a-z][\w-]*(?:\.[\w-]+)*\.)\$\{/gi)].map(([, prefix = '']) => prefix)
  const keys = [...english.keys()]
  return {
    missing: [
      ...[...used].filter(key => !english.has(key)),
      ...prefixes.filter(prefix => groups.has(prefix.split('.', 1)[0]) && !keys.some(key => key.startsWith(prefix))),
    ],
    unused: keys.filter(key => !used.has(key) && !prefixes.some(prefix => key.startsWith(prefix))),
  }
}

/** Texts of the server that no source uses. Missing ones are type errors (`Messages` of kernel/messages). */
export function unusedByServer(english: Texts, source: string): string[] {
  const words = new Set([...(source.match(/[\w-]+/g) ?? []), ...(source.match(/[\w:-]+/g) ?? [])])
  const isNamed = (name: string) => words.has(name) || /^\d+$/.test(name)
  return [...english.keys()].filter(key => !key.split('.').slice(1).every(isNamed))
}

export interface FoundText {
  file: string
  text: string
}

const SHOWN = new Set(
  'alert alt aria-description aria-label ariaLabel description detail empty heading help hint label lead legend placeholder subtitle text title'.split(
    ' ',
  ),
)
const hasWord = (text: string): boolean => /\p{L}{2,}/u.test(text)
/** Whether a text looks like words for people rather than a name in code. */
const isSpeech = (text: string): boolean => hasWord(text) && /^\p{Lu}|\p{L}\s+\p{L}/u.test(text)
const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()

/** Text for people that is hardcoded in a source file instead of a catalog. */
export function writtenTexts(file: string, source: string): FoundText[] {
  const found = file.endsWith('.vue') ? textsOfComponent(source) : textsOfScript(file, source)
  return found.map(text => ({ file, text: oneLine(text) }))
}

function textsOfComponent(source: string): string[] {
  const { descriptor } = parseSfc(source)
  const scripts = [descriptor.script, descriptor.scriptSetup].flatMap(block => (block ? [block.content] : []))
  return [
    ...(descriptor.template?.ast?.children ?? []).flatMap(textsOfNode),
    ...scripts.flatMap(script => textsOfScript('component.ts', script)),
  ]
}

/** The parts of a node of Vue's compiler that this check uses. The node types are numbers. */
interface TemplateNode {
  type: number
  content?: unknown
  children?: unknown
  branches?: unknown
  props?: unknown
}
interface TemplateProp {
  type: number
  name: string
  value?: { content: string }
  arg?: { content?: string }
  exp?: { content?: string }
}
const [TEXT, INTERPOLATION, ATTRIBUTE] = [2, 5, 6]
const list = <T>(value: unknown): T[] => (Array.isArray(value) ? value : [])

function textsOfNode(node: TemplateNode): string[] {
  if (node.type === TEXT) return typeof node.content === 'string' && hasWord(node.content) ? [node.content] : []
  if (node.type === INTERPOLATION) return speechIn(Object(node.content).content)
  return [
    ...list<TemplateProp>(node.props).flatMap(textsOfProp),
    ...list<TemplateNode>(node.children).flatMap(textsOfNode),
  ]
}

function textsOfProp({ type, name, value, arg, exp }: TemplateProp): string[] {
  if (type === ATTRIBUTE) return SHOWN.has(name) && value && hasWord(value.content) ? [value.content] : []
  return name === 'bind' && arg?.content && SHOWN.has(arg.content) ? speechIn(exp?.content) : []
}

/** The literals in an expression that look like words for people. */
function speechIn(expression: unknown): string[] {
  if (typeof expression !== 'string') return []
  const found: string[] = []
  walk(syntaxOf(`(${expression})`), node => {
    if (node.type === 'StringLiteral' && typeof node.value === 'string' && isSpeech(node.value)) found.push(node.value)
    if (node.type === 'TemplateElement' && isSpeech(String(Object(node.value).raw)))
      found.push(String(Object(node.value).raw))
  })
  return found
}

/** Literals that JSX shows, and values of properties with the name of something shown. */
function textsOfScript(file: string, source: string): string[] {
  const found: string[] = []
  walk(syntaxOf(source, file), node => {
    for (const [value, isText] of shownBy[node.type]?.(node) ?? []) {
      const literal = literalOf(value)
      if (literal !== undefined && isText(literal)) found.push(literal)
    }
  })
  return found
}

type Shown = [value: unknown, isText: (text: string) => boolean]
const childrenOf = ({ children }: SyntaxNode): Shown[] => list<SyntaxNode>(children).map(child => [child, hasWord])

/** The values that a node shows, each with a check whether a literal is text there. */
const shownBy: Record<string, (node: SyntaxNode) => Shown[]> = {
  JSXElement: childrenOf,
  JSXFragment: childrenOf,
  JSXAttribute: ({ name, value }) => (SHOWN.has(String(Object(name).name)) ? [[value, hasWord]] : []),
  ObjectProperty: ({ key, value }) =>
    SHOWN.has(String(Object(key).name ?? Object(key).value)) ? [[value, isSpeech]] : [],
  ConditionalExpression: ({ consequent, alternate }) => [consequent, alternate].map(branch => [branch, isSpeech]),
}

const syntaxOf = (source: string, file = 'expression.ts'): unknown =>
  babelParse(source, { sourceType: 'module', plugins: file.endsWith('.tsx') ? ['typescript', 'jsx'] : ['typescript'] })
    .program

interface SyntaxNode extends Record<string, unknown> {
  type: string
}
const isSyntaxNode = (value: unknown): value is SyntaxNode =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'

function literalOf(node: unknown): string | undefined {
  if (!isSyntaxNode(node)) return undefined
  if (['StringLiteral', 'JSXText'].includes(node.type) && typeof node.value === 'string') return node.value
  if (node.type === 'TemplateLiteral')
    return list<SyntaxNode>(node.quasis)
      .map(({ value }) => String(Object(value).raw))
      .join('')
  return node.type === 'JSXExpressionContainer' ? literalOf(node.expression) : undefined
}

function walk(value: unknown, visit: (node: SyntaxNode) => void): void {
  if (Array.isArray(value)) return value.forEach(one => walk(one, visit))
  if (!isSyntaxNode(value)) return
  visit(value)
  for (const child of Object.values(value)) if (typeof child === 'object') walk(child, visit)
}

/** The sources below a folder that match one of these patterns, by path. */
export const sourcesBelow = (root: string, patterns: readonly string[]): Map<string, string> =>
  new Map(
    globSync(patterns, { cwd: root })
      .filter(path => existsSync(join(root, path)))
      .map(path => [path, readFileSync(join(root, path), 'utf8')]),
  )
