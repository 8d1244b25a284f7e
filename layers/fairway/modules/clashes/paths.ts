// Paths of the platform, and patterns of paths compared as Nitro's router compares them.
import { scanServerRoutes } from 'nitropack/core'
import type { Nitro } from 'nitropack/types'
import type { PageFile } from '../pages/page-files'
import { isPlatformFile } from '../registry/roots'

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
    ...routes.flatMap(({ route, handler }) => (route && isPlatformFile(handler) ? [taken(route, handler)] : [])),
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
