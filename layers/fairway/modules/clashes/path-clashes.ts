// Routes, pages, public files and route rules of an application that conflict with a path of the platform. Nitro's router tries
// text before placeholders and never backtracks, and pages are the fallback of all routes. The checks follow these rules.
import { join } from 'node:path'
import { isPlatformFile } from '../registry/roots'
import { compilePages, type PageFile, withChildren } from '../pages/page-files'
import { filesBelow } from '../registry/discover'
import { SITE_FILES } from '../pages/site-files'
import { ORG_PAGES_PREFIX, RESERVED_PLACES } from '../../shared/paths'
import { scanServerRoutes } from 'nitropack/core'
import type { Nitro } from 'nitropack/types'

/** A path of the platform. */
export interface TakenPath {
  path: string
  pattern: PathPattern
  /** The file that serves it, or another owner. */
  owner: string
  /** Pages are the fallback when no route responds. */
  isPage?: boolean
}

/** Path prefixes that are reserved for the platform, including future paths. */
const PLACES = [...[...RESERVED_PLACES, '/_nuxt', ORG_PAGES_PREFIX].map(place => `${place}/**`), '/__nuxt_error']

/**
 * Paths that the application may serve itself. The platform mounts its own only if the application does not
 * (modules/pages/site-files).
 */
const YIELDED: readonly string[] = SITE_FILES.map(({ route }) => route)

/** The author's routes as Nitro finds them, before it removes duplicates. */
export async function scanRoutes(nitro: Nitro) {
  return [...(await scanServerRoutes(nitro, 'routes', '/')), ...(await scanServerRoutes(nitro, 'api', '/api'))]
}

/** Every path of the platform: its routes, the handlers mounted by the build, its reserved prefixes and its pages. */
export function takenPaths(
  routes: readonly { route?: string; handler: string }[],
  pages: readonly PageFile[],
): TakenPath[] {
  const taken = (path: string, owner: string, isPage?: boolean) => ({ path, pattern: toPattern(path), owner, isPage })
  return [
    ...routes.flatMap(({ route, handler }) =>
      route && isPlatformFile(handler) && !YIELDED.includes(route) ? [taken(route, handler)] : [],
    ),
    ...PLACES.map(path => taken(path, 'the platform')),
    ...pages.flatMap(({ path, file }) => (file && isPlatformFile(file) ? [taken(path, file, true)] : [])),
  ]
}

/** One part of a path: this exact text, any text, or any number of parts. */
const ANY = ':'
const REST = '**'

/** A path in the syntax of Nitro or of Vue Router, part by part. */
type PathPattern = readonly string[]

/** Parses a path. Parameters of both syntaxes (`**:rest`, `:id()`, `:slug(.*)*`) are reduced to what they match. */
export const toPattern = (path: string): PathPattern =>
  path
    .replaceAll(/\([^)]*\)/g, '')
    .split('/')
    .filter(part => part !== '')
    .map(part => {
      if (part.startsWith(REST) || (part.includes(ANY) && /[*+?]$/.test(part))) return REST
      return part.includes(ANY) || part === '*' ? ANY : part
    })

/** Whether some path can match both. */
export function overlap([a, ...afterA]: PathPattern, [b, ...afterB]: PathPattern): boolean {
  if (a === REST || b === REST) return true
  if (a === undefined || b === undefined) return a === b
  return (a === ANY || b === ANY || a === b) && overlap(afterA, afterB)
}

const rankOf = (part: string | undefined): number => [ANY, REST].indexOf(part ?? '')

/**
 * Whether a router always prefers the first pattern for paths that match both. It tries text before placeholders, part by part,
 * and never backtracks.
 */
export function comesFirst(a: PathPattern, b: PathPattern): boolean {
  const at = a.findIndex((part, index) => part !== b[index])
  return at === -1 ? b.length > a.length : rankOf(a[at]) < rankOf(b[at])
}

/** Whether the pattern begins with text. Such a path has one purpose; others are catch-alls. */
export const isFixed = (pattern: PathPattern): boolean => pattern[0] !== ANY && pattern[0] !== REST

/** A handler of Nitro. Without a route it is middleware. */
interface ServedRoute {
  route?: string
  handler: string
  middleware?: boolean
}

/**
 * Routes that may answer a path of the platform, for any method. There is no conflict if the platform's own route always wins. A
 * page never wins, because pages are the fallback of all routes.
 */
export function routeClashes(routes: readonly ServedRoute[], taken: readonly TakenPath[]): string[] {
  return routes.flatMap(({ route, handler, middleware }) => {
    if (!route || middleware || isPlatformFile(handler) || route.startsWith('/__nuxt')) return []
    const pattern = toPattern(route)
    const lost = taken.find(
      each => overlap(each.pattern, pattern) && (each.isPage || !comesFirst(each.pattern, pattern)),
    )
    if (!lost) return []
    return [
      `${handler}: it answers ${route}, and ${lost.path} is ${whose(lost)}. Give it a path of its own, for example below server/api`,
    ]
  })
}

/** The owner of a path, for a message. */
const whose = ({ owner, isPage }: TakenPath): string => (isPage ? `the page ${owner}` : `of ${owner}`)

/** Path prefixes of the server that never show a page. */
const PAGELESS = ['/api/**', '/.well-known/**'].map(path => ({ path, pattern: toPattern(path), owner: 'the server' }))

/**
 * Pages that would never be shown: at a path that the server answers, or at the path of a platform page without replacing it.
 * Catch-all pages (`[...slug].vue`) are excluded: the server's own paths and the platform's pages come first.
 */
export function pageClashes(pages: readonly PageFile[], taken: readonly TakenPath[]): string[] {
  const all = withChildren(pages)
  const served = [...taken.filter(each => !each.isPage && !each.owner.includes('/server/mounted/')), ...PAGELESS]
  return all.flatMap(({ path, file = '' }) => {
    // Nuxt creates a page for each route rule that redirects.
    if (file === '' || isPlatformFile(file) || file.includes('/node_modules/nuxt/')) return []
    const pattern = toPattern(path)
    const lost = isFixed(pattern) ? served.find(each => overlap(each.pattern, pattern)) : undefined
    if (lost) return [`${file}: nobody sees it, because ${lost.path} is of ${lost.owner}. Give it another name`]
    const twin = all.find(each => each.path === path && each.file !== undefined && isPlatformFile(each.file))
    if (!twin) return []
    const place = String(twin.file).slice(String(twin.file).indexOf('/app/pages/') + 1)
    return [`${file}: ${twin.file} is at ${path} already. To replace that page, name it ${place}`]
  })
}

/** A folder of public files. */
interface PublicFolder {
  dir: string
  baseURL?: string
}

/** Public files at a path of the platform: they are served before everything else. Files written by the build are excluded. */
export function fileClashes(folders: readonly PublicFolder[], taken: readonly TakenPath[], buildDir: string): string[] {
  const ownFolders = folders.filter(({ dir }) => !isPlatformFile(dir) && !dir.startsWith(`${buildDir}/`))
  return ownFolders.flatMap(({ dir, baseURL = '/' }) =>
    filesBelow(dir).flatMap(file => {
      const lost = addressesOf(`${baseURL}/${file}`)
        .map(toPattern)
        .flatMap(pattern => taken.find(each => overlap(each.pattern, pattern)) ?? [])[0]
      return lost
        ? [
            `${join(dir, file)}: public files are answered first, and ${lost.path} is ${whose(lost)}. Give it another name or folder`,
          ]
        : []
    }),
  )
}

/** The addresses of a file: its path; for compressed files also without their ending, and for an index its folder. */
function addressesOf(path: string): string[] {
  const plain = path.replace(/\.(gz|br)$/, '')
  return [...new Set([path, plain, plain.replace(/(^|\/)index\.html$/, '')])]
}

/** The settings of a rule for its matching paths. */
type RouteRule = object

/** Rules that respond before every route. */
const ANSWERING = ['redirect', 'proxy', 'cache', 'swr', 'isr', 'static', 'prerender']

/**
 * Route rules that answer a path of the platform, open it to other sites, or only match its reserved prefixes. Pages are
 * excluded: an application may redirect visitors of a page. `own` are the patterns of the application's own rules.
 */
export function ruleClashes(
  rules: Readonly<Record<string, RouteRule>>,
  taken: readonly TakenPath[],
  ownPaths: ReadonlySet<string>,
): string[] {
  return Object.entries(rules).flatMap(([path, rule]) => {
    const pattern = toPattern(path)
    const lost = taken.find(each => !each.isPage && overlap(each.pattern, pattern))
    const settings = lost ? settingsOf(rule, isFixed(pattern) && ownPaths.has(path)) : []
    return settings.map(
      setting =>
        `routeRules['${path}'].${setting}: it is applied to ${lost?.path}, which is the platform's. Name paths of the application alone`,
    )
  })
}

function settingsOf(rule: RouteRule, isAboutPlatform: boolean): string[] {
  const set = Object.entries(rule).filter(([, value]) => value !== undefined)
  if (isAboutPlatform) return set.map(([name]) => name)
  return set.flatMap(([name, value]) => {
    if (value === false) return []
    if (ANSWERING.includes(name)) return [name]
    const headers = name === 'headers' && typeof value === 'object' ? Object.keys(value ?? {}) : []
    return headers.filter(header => /^access-control-/i.test(header)).map(header => `headers['${header}']`)
  })
}

/** Headers of every response, and those of every page, with the values of the platform. */
const OF_RESPONSES = ['x-request-id', 'x-content-type-options', 'referrer-policy', 'strict-transport-security']
const OF_PAGES = ['content-security-policy', 'content-type', 'content-encoding', 'etag', 'vary']

/**
 * Headers in route rules of the application that no response has, because the platform sets them itself. `routes` are the
 * application's own.
 */
export function headersWithoutEffect(
  rules: Readonly<Record<string, RouteRule>>,
  pages: readonly PageFile[],
  routes: readonly { route?: string; handler: string }[],
): string[] {
  const shown = compilePages(pages).map(({ path, kind }) => ({ kind, pattern: toPattern(path) }))
  const applicationRoutes = routes.flatMap(({ route, handler }) =>
    route && !isPlatformFile(handler) ? [toPattern(route)] : [],
  )
  return Object.entries(rules).flatMap(([path, rule]) => {
    const pattern = toPattern(path)
    const isForPages = !applicationRoutes.some(each => overlap(each, pattern))
    const kinds = isForPages ? shown.filter(each => overlap(each.pattern, pattern)).map(({ kind }) => kind) : []
    return headersOf(rule).flatMap(header => {
      const why = reasonAgainst(header.toLowerCase(), kinds)
      return why ? [`nuxt.config, routeRules['${path}'].headers['${header}']: it has no effect, because ${why}`] : []
    })
  })
}

const headersOf = (rule: RouteRule): string[] =>
  'headers' in rule && typeof rule.headers === 'object' ? Object.keys(rule.headers ?? {}) : []

/** Why a header of a rule is lost on pages of these kinds; undefined when some page keeps it. */
function reasonAgainst(header: string, kinds: readonly string[]): string | undefined {
  if (OF_RESPONSES.includes(header)) return 'every response has the platform’s. Remove it'
  if (kinds.length === 0) return undefined
  if (OF_PAGES.includes(header)) return 'every page has its own. Remove it'
  if (header === 'cache-control' && !kinds.includes('public'))
    return 'pages that are not public have the platform’s. Declare the page public: definePageMeta({ public: { maxAge: 60 } })'
  return undefined
}

/** Pages of the platform that @nuxtjs/i18n has copied for each language. Links of the platform name them without one. */
export function localizedPages(pages: readonly PageFile[]): string[] {
  const page = pages.find(({ file, name }) => file && isPlatformFile(file) && name?.includes('___'))
  return page
    ? [
        `nuxt.config, i18n: @nuxtjs/i18n makes a page for each language of the platform's pages too (${page.path}). Set strategy: 'no_prefix'; public pages have a language in their address already, as ?lang=de`,
      ]
    : []
}

// Paths of the platform, and patterns of paths compared as Nitro's router compares them.

/** The middleware that opens private pages only to people who are signed in. */
const GATE = 'session-gate'

/** Middleware of the application in the place of the gate; Nuxt keeps one of each name. */
export function gateClashes(middleware: readonly { name: string; path: string }[]): string[] {
  const gate = middleware.find(({ name }) => name === GATE)
  return !gate || isPlatformFile(gate.path)
    ? []
    : [`${gate.path}: it takes the place of the gate in front of private pages. Give it a name of its own`]
}
