// Routes, pages, public files and route rules of an application that meet a path of the platform's.
// Nitro's router looks at text before placeholders and never turns back, and pages are what no route answers: clashes are judged
// by that.
import { join } from 'node:path'
import { isPlatformFile } from '../registry/roots'
import { type PageFile, withChildren } from '../pages/page-files'
import { filesBelow } from '../registry/discover'
import { SITE_FILES } from '../pages/site-files'
import { scanServerRoutes } from 'nitropack/core'
import type { Nitro } from 'nitropack/types'

/** A path that is the platform's. */
export interface TakenPath {
  path: string
  pattern: PathPattern
  /** The file behind it, or what else has it. */
  owner: string
  /** Pages are what is left when no route answers. */
  isPage?: boolean
}

/** Places in which everything is the platform's, also what it does not have yet. */
const PLACES = ['/_fw/**', '/mcp/**', '/contexts/**', '/_nuxt/**', '/__nuxt_error']

/** What the application may answer itself: the platform's is mounted only where it does not (modules/pages/site-files). */
const YIELDED: readonly string[] = SITE_FILES.map(({ route }) => route)

/** An author's routes as Nitro finds them, before it drops those that stand twice. */
export async function scanRoutes(nitro: Nitro) {
  return [...(await scanServerRoutes(nitro, 'routes', '/')), ...(await scanServerRoutes(nitro, 'api', '/api'))]
}

/** Every path of the platform: its routes, what the build has mounted, its places and its pages. */
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

/** What one part of a path may be: this very text, any text, or any number of parts. */
const ANY = ':'
const REST = '**'

/** A path in the spelling of Nitro or of Vue Router, part by part. */
type PathPattern = readonly string[]

/** Reads a path; what both spellings have beside names (`**:rest`, `:id()`, `:slug(.*)*`) is reduced to what it may be. */
export const toPattern = (path: string): PathPattern =>
  path
    .replaceAll(/\([^)]*\)/g, '')
    .split('/')
    .filter(part => part !== '')
    .map(part => {
      if (part.startsWith(REST) || (part.includes(ANY) && /[*+?]$/.test(part))) return REST
      return part.includes(ANY) || part === '*' ? ANY : part
    })

/** Whether one path may match both. */
export function overlap([a, ...afterA]: PathPattern, [b, ...afterB]: PathPattern): boolean {
  if (a === REST || b === REST) return true
  if (a === undefined || b === undefined) return a === b
  return (a === ANY || b === ANY || a === b) && overlap(afterA, afterB)
}

const rankOf = (part: string | undefined): number => [ANY, REST].indexOf(part ?? '')

/** Whether a router gives what both match to the first for certain: it takes text before anything else, part by part, and never turns back. */
export function comesFirst(a: PathPattern, b: PathPattern): boolean {
  const at = a.findIndex((part, index) => part !== b[index])
  return at === -1 ? b.length > a.length : rankOf(a[at]) < rankOf(b[at])
}

/** Whether it begins with text: such a path is meant for one place, others take whatever comes. */
export const isFixed = (pattern: PathPattern): boolean => pattern[0] !== ANY && pattern[0] !== REST

/** A handler as Nitro knows it; one without a route is middleware. */
interface ServedRoute {
  route?: string
  handler: string
  middleware?: boolean
}

/**
 * Routes that may answer a path of the platform's, whatever their method. Where the platform's own route wins for certain nothing
 * is lost; a page never does, because pages are what is left when no route answers.
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

/** Whose a path is, for a message. */
const whose = ({ owner, isPage }: TakenPath): string => (isPage ? `the page ${owner}` : `of ${owner}`)

/** Places of the server in which no page is ever shown. */
const PAGELESS = ['/api/**', '/.well-known/**'].map(path => ({ path, pattern: toPattern(path), owner: 'the server' }))

/**
 * Pages that would never be shown: at a path that the server answers, or at the path of a page of the platform's without replacing it.
 * Pages for whatever comes (`[...slug].vue`) are none of them: the server's own paths and the platform's pages come first.
 */
export function pageClashes(pages: readonly PageFile[], taken: readonly TakenPath[]): string[] {
  const all = withChildren(pages)
  const served = [...taken.filter(each => !each.isPage && !each.owner.includes('/server/mounted/')), ...PAGELESS]
  return all.flatMap(({ path, file = '' }) => {
    // Nuxt makes a page of its own of each route rule that redirects.
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

/** A folder of files that are served as they are. */
interface PublicFolder {
  dir: string
  baseURL?: string
}

/** Public files at a path of the platform's: they are answered before everything else. What the build itself writes is none of them. */
export function fileClashes(folders: readonly PublicFolder[], taken: readonly TakenPath[], buildDir: string): string[] {
  const own = folders.filter(({ dir }) => !isPlatformFile(dir) && !dir.startsWith(`${buildDir}/`))
  return own.flatMap(({ dir, baseURL = '/' }) =>
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

/** Where a file is served: at its path, compressed ones also without their ending, and an index at its folder. */
function addressesOf(path: string): string[] {
  const plain = path.replace(/\.(gz|br)$/, '')
  return [...new Set([path, plain, plain.replace(/(^|\/)index\.html$/, '')])]
}

/** What a rule says about the paths that it matches. */
type RouteRule = object

/** Rules by which something else answers: they come before every route. */
const ANSWERING = ['redirect', 'proxy', 'cache', 'swr', 'isr', 'static', 'prerender']

/**
 * Route rules that answer a path of the platform's, open it to other sites, or are about its places alone. Pages are left out: an
 * application may send visitors of a page elsewhere. `own` are the patterns that the application itself has rules for.
 */
export function ruleClashes(
  rules: Readonly<Record<string, RouteRule>>,
  taken: readonly TakenPath[],
  own: ReadonlySet<string>,
): string[] {
  return Object.entries(rules).flatMap(([path, rule]) => {
    const pattern = toPattern(path)
    const lost = taken.find(each => !each.isPage && overlap(each.pattern, pattern))
    const settings = lost ? settingsOf(rule, isFixed(pattern) && own.has(path)) : []
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

// Paths of the platform, and patterns of paths compared as Nitro's router compares them.
