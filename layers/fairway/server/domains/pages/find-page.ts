// Nuxt would forward the cookies of a request into server-rendered data, so they are removed first.
import type { H3Event } from 'h3'

export interface ShellPage {
  path: string
  pattern: RegExp
  kind: 'public' | 'embed' | 'private'
  /** Scripts that a private page loads in addition to those of all pages. */
  scripts?: readonly string[]
  /** How many seconds caches in front of the server may keep a public page. */
  maxAge?: number
}

export interface FoundPage {
  /** The cache key. Private pages differ only in the scripts that they name; a public page is keyed by its path. */
  key: string
  /** The path that a public page is rendered for, regardless of the spelling in the request. */
  path?: string
  kind: ShellPage['kind']
  status: 200 | 404
  scripts?: readonly string[]
  /** The language that a public page is rendered in. Undefined for the default language. */
  language?: string
  maxAge?: number
}

/** The embed page at a URL path, or undefined. */
export function findEmbedPage(pathname: string, pages: readonly ShellPage[]): ShellPage | undefined {
  const page = pages.find(candidate => candidate.pattern.test(pathname))
  return page?.kind === 'embed' ? page : undefined
}

/**
 * The language in the query of an address (`?lang=de`), when public pages support it. Undefined for the default language, the
 * first of `languages`, which has no such address.
 */
export function askedLanguage(target: string, languages: readonly string[]): string | undefined {
  const at = target.indexOf('?')
  if (at === -1 || !target.includes('lang=', at)) return undefined
  const languageInQuery = new URLSearchParams(target.slice(at)).get('lang')
  return languages.find(code => code === languageInQuery && code !== languages[0])
}

/** The path of a public page in a language other than the default one; for undefined, its plain path. */
export const pathIn = (path: string, language: string | undefined): string =>
  language === undefined ? path : `${path}?lang=${language}`

/** The page at a URL path. An unknown path returns the shell with status 404, so that the application can explain it. */
export function findPage(pathname: string, pages: readonly ShellPage[], language?: string): FoundPage {
  const page = pages.find(candidate => candidate.pattern.test(pathname))
  if (!page) return { key: 'missing', kind: 'private', status: 404 }
  if (page.kind === 'private')
    return { key: `private:${page.path}`, kind: 'private', status: 200, scripts: page.scripts }
  // The router ignores case in the static text of a path but keeps it in parameters.
  const isFixed = !page.path.includes(':')
  const path = isFixed ? page.path : pathname.replace(/(?<=.)\/+$/, '')
  const base = { kind: page.kind, status: 200 as const, path }
  if (page.kind !== 'public') return { key: `${page.kind}:${path}`, ...base }
  return { key: `public:${pathIn(path, language)}`, ...base, language, maxAge: page.maxAge }
}

const KEPT = new Set(['host', 'accept-encoding', 'if-none-match', 'connection'])

/**
 * Removes everything personal from a request before a page is rendered: headers, cookies and query. Reading the session throws
 * afterwards. `target` is the address that the page is rendered for.
 */
export function makeImpersonal(event: H3Event, target: string): void {
  const { req } = event.node
  for (const name of Object.keys(req.headers)) {
    if (!KEPT.has(name)) delete req.headers[name]
  }
  event.context.isImpersonal = true
  event.context.session = undefined
  // The rendered page contains its own URL, so the query is removed too: each page must render to identical bytes.
  event._path = target
  req.url = target
}

interface Declared {
  name: string
  action: { embed: readonly string[] }
}

/** Throws when an action names a page that does not exist or is not an embed page. The message names both. */
export function checkEmbedDeclarations(catalog: readonly Declared[], pages: readonly ShellPage[]): void {
  const known = pages.filter(page => page.kind === 'embed').map(page => page.path)
  const faults = catalog.flatMap(({ name, action }) =>
    action.embed.filter(path => !known.includes(path)).map(path => `${name}: ${path} is not an embed page`),
  )
  if (faults.length === 0) return
  throw new Error(
    `These actions name wrong pages (embed pages: ${known.join(', ') || 'none'}):\n  - ${faults.join('\n  - ')}`,
  )
}
