// Who may open a page is decided by the build, for the server, and in the browser, where the page's own code runs. Both must read
// the same, so the declaration is written out in the page's file.
import { type Node, parseSync, visitorKeys } from 'oxc-parser'
import { isClosed, type PageFile, publicOf, withChildren } from './page-files'

/** The members of `definePageMeta` that decide who may open a page. */
const DECIDING = ['public', 'embed']

/**
 * The faults in what pages declare about access, each with its file, line and fix. `read` returns the source of a file; undefined
 * for files that are not the application's.
 */
export function accessFaults(pages: readonly PageFile[], read: (file: string) => string | undefined): string[] {
  const all = withChildren(pages)
  const faults = all.flatMap(page => {
    const { file = page.path, parents } = page
    const source = read(file)
    const unread = source === undefined ? [] : unreadValues(file, source, page.meta ?? {})
    const outer = isClosed(page) ? undefined : parents.find(isClosed)
    if (!outer) return unread
    const name = page.meta?.embed === true ? 'embed' : 'public'
    return [
      ...unread,
      `${file}: it is shown inside ${outer.file ?? outer.path}, which needs a session. Give that page \`${name}: true\` too, or move this one out of its folder`,
    ]
  })
  return [...new Set(faults)]
}

function unreadValues(file: string, source: string, meta: Record<string, unknown>): string[] {
  const isRead = (name: string) =>
    typeof meta[name] === 'boolean' || (name === 'public' && publicOf({ path: '', meta }) !== undefined)
  return metaOf(file, source).flatMap(({ line, name, code }) => {
    if (name !== undefined && isRead(name)) return []
    const values = name === 'embed' ? '`true` or `false`' : '`true`, `false` or `{ maxAge: 60 }`'
    return [
      `${file}:${line}: \`${code}\` decides who may open the page, and the build cannot read it. Write ${values} there`,
    ]
  })
}

interface Declared {
  /** The deciding member; undefined for what may contain one. */
  name?: string
  code: string
  line: number
}

/** The deciding members in the calls of `definePageMeta`, and what may hide one: a spread, a computed name, no object at all. */
function metaOf(file: string, source: string): Declared[] {
  const scripts = file.endsWith('.vue')
    ? [...source.matchAll(/(?<=<script[^>]*>).*?(?=<\/script>)/gs)].map(({ 0: code, index }) => ({ code, index }))
    : [{ code: source, index: 0 }]
  return scripts.flatMap(({ code, index }) => {
    const declared = (node: Node, name?: string): Declared => ({
      name,
      code: code.slice(node.start, node.end).split('\n', 1)[0]!.slice(0, 60),
      line: source.slice(0, index + node.start).split('\n').length,
    })
    return callsIn(parseSync(file.replace(/\.vue$/, '.tsx'), code).program).flatMap(argument => {
      if (argument.type !== 'ObjectExpression') return [declared(argument)]
      return argument.properties.flatMap(property => {
        if (property.type !== 'Property' || property.computed) return [declared(property)]
        const name =
          property.key.type === 'Identifier' ? property.key.name : String('value' in property.key && property.key.value)
        return DECIDING.includes(name) ? [declared(property, name)] : []
      })
    })
  })
}

/** The arguments of the calls of `definePageMeta`. */
function callsIn(node: Node): Node[] {
  const [argument] = node.type === 'CallExpression' ? node.arguments : []
  if (
    argument &&
    node.type === 'CallExpression' &&
    node.callee.type === 'Identifier' &&
    node.callee.name === 'definePageMeta'
  )
    return [argument]
  return (visitorKeys[node.type] ?? []).flatMap(key => {
    const value = (node as unknown as Record<string, Node | (Node | null)[] | null>)[key]
    return [value ?? []].flat().flatMap(each => (each ? callsIn(each) : []))
  })
}
