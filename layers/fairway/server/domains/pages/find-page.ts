// Nuxt would forward the cookies of a request into server-rendered data: they are taken away first.
import type { H3Event } from 'h3'

export interface ShellPage {
  path: string
  pattern: RegExp
  kind: 'public' | 'embed' | 'private'
  /** The addresses of scripts that a private page loads beside those of all pages. */
  scripts?: readonly string[]
}

export interface FoundPage {
  /** What the rendered page is kept under: private pages are the same but for the scripts they name, a public page is its own path. */
  key: string
  /** The path that a public page is rendered for, whatever its spelling in the request. */
  path?: string
  kind: ShellPage['kind']
  status: 200 | 404
  scripts?: readonly string[]
  /** The language a public page is rendered in; English when not given. */
  language?: string
}

/** The embed page behind a URL path; undefined for every other page. */
export function findEmbedPage(pathname: string, pages: readonly ShellPage[]): ShellPage | undefined {
  const page = pages.find(candidate => candidate.pattern.test(pathname))
  return page?.kind === 'embed' ? page : undefined
}

/** The language that the query of an address names (`?lang=de`), when public pages come in it. Undefined for English, which has no such address. */
export function askedLanguage(target: string, languages: readonly string[]): string | undefined {
  const at = target.indexOf('?')
  if (at === -1 || !target.includes('lang=', at)) return undefined
  const asked = new URLSearchParams(target.slice(at)).get('lang')
  return languages.find(code => code === asked && code !== 'en')
}

/** The path of a public page in a language. */
export const pathIn = (path: string, language: string | undefined): string =>
  language === undefined || language === 'en' ? path : `${path}?lang=${language}`

/** The page behind a URL path; an unknown path gets the shell under status 404, so that the application explains it. */
export function findPage(pathname: string, pages: readonly ShellPage[], language?: string): FoundPage {
  const page = pages.find(candidate => candidate.pattern.test(pathname))
  if (!page) return { key: 'missing', kind: 'private', status: 404 }
  if (page.kind === 'private')
    return { key: `private:${page.path}`, kind: 'private', status: 200, scripts: page.scripts }
  // The router ignores case in the text of a path, and parameters keep theirs.
  const isFixed = !page.path.includes(':')
  const path = isFixed ? page.path : pathname.replace(/(?<=.)\/+$/, '')
  const found = { kind: page.kind, status: 200 as const, path }
  if (page.kind !== 'public') return { key: `${page.kind}:${path}`, ...found }
  return { key: `public:${pathIn(path, language)}`, ...found, language }
}

const KEPT = new Set(['host', 'accept-encoding', 'if-none-match', 'connection'])

/** Takes everything personal from a request before a page is rendered: headers, cookies, query; reading the session throws from here on. `target` is the address that it is rendered for. */
export function makeImpersonal(event: H3Event, target: string): void {
  const { req } = event.node
  for (const name of Object.keys(req.headers)) {
    if (!KEPT.has(name)) delete req.headers[name]
  }
  event.context.isImpersonal = true
  event.context.session = undefined
  // The rendered page repeats its own URL, so the query goes too: one page, one set of bytes.
  event._path = target
  req.url = target
}

interface Declared {
  name: string
  action: { embed: readonly string[] }
}

/** Throws when an action lets a page read it that is not there or not an embed page; the message names both. */
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
