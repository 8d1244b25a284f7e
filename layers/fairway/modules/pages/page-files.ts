// The pages from Nuxt: taken out of the platform's pages, with full paths, compiled in the router's order.
import { createRouterMatcher } from 'vue-router'
import { z } from 'zod'
import { isPlatformFile } from '../registry/roots'

/** A page from Nuxt. */
export interface PageFile {
  path: string
  name?: string
  file?: string
  alias?: string | string[]
  meta?: Record<string, unknown>
  children?: PageFile[]
}

interface CompiledPage {
  path: string
  file?: string
  pattern: RegExp
  kind: 'public' | 'embed' | 'private'
  /** How many seconds caches in front of the server may keep a public page. */
  maxAge?: number
}

/** A page with its full path and the pages that it is shown inside, from the outermost. */
export interface FlatPage extends PageFile {
  parents: readonly PageFile[]
}

/** Every page with its full path, parents before children. */
export const withChildren = (pages: readonly PageFile[], parent = '', parents: readonly PageFile[] = []): FlatPage[] =>
  pages.flatMap(page => {
    const path = page.path.startsWith('/') ? page.path : `${parent}/${page.path}`.replace(/\/+/g, '/')
    return [{ ...page, path, parents }, ...withChildren(page.children ?? [], path, [...parents, page])]
  })

/**
 * The URL pattern and the kind of every page, in the router's order. A catch-all page comes at the end, regardless of its file's
 * location. A page is private by default, and inside a private page.
 */
export function compilePages(pages: readonly PageFile[]): CompiledPage[] {
  const flat = withChildren(pages).flatMap(withAliases)
  const records = flat.map(({ path }, index) => ({ path, component: {}, meta: { index } }))
  return createRouterMatcher(records, {})
    .getRoutes()
    .flatMap(({ re, record }) => {
      const page = flat[Number(record.meta.index)]
      return page ? [{ ...page, pattern: re }] : []
    })
}

const withAliases = (page: FlatPage): Omit<CompiledPage, 'pattern'>[] =>
  [page.path, page.alias ?? []]
    .flat()
    .map(path => ({ path, file: page.file, kind: kindOf(page), maxAge: publicOf(page)?.maxAge }))

const publicSchema = z.union([
  z.literal(true).transform(() => ({ maxAge: undefined })),
  z.strictObject({ maxAge: z.int().min(0).optional() }),
])

/** What a page declares with `public`; undefined for other pages. */
export const publicOf = ({ meta }: PageFile): { maxAge?: number } | undefined =>
  publicSchema.safeParse(meta?.public).data

/** Whether a page requires a session on its own account. */
export const isClosed = (page: PageFile): boolean => page.meta?.embed !== true && publicOf(page) === undefined

// The pages around a page are mounted with it, so one that requires a session closes all of them.
function kindOf(page: FlatPage): CompiledPage['kind'] {
  if ([...page.parents, page].some(isClosed)) return 'private'
  return page.meta?.embed === true ? 'embed' : 'public'
}

/** An entry of the client build's manifest. */
interface BuiltFile {
  file: string
  src?: string
  isEntry?: boolean
  imports?: string[]
}

/** The scripts that a page requires besides the entry, which every page loads. Empty before the client is built. */
export function scriptsOf(built: Readonly<Record<string, BuiltFile>>, isSource: (src: string) => boolean): string[] {
  const files = new Set<string>()
  const add = (each: BuiltFile | undefined): void => {
    if (!each || each.isEntry || files.has(each.file)) return
    files.add(each.file)
    for (const name of each.imports ?? []) add(built[name])
  }
  add(Object.values(built).find(({ src }) => src !== undefined && isSource(src)))
  return [...files]
}

/**
 * Takes an application's pages out of the platform's. `pages/settings/billing.vue` would be nested in the page `/settings`, which
 * has no place for it, so it becomes a separate page at that path. Changes the list.
 */
export function liftPages(pages: PageFile[]): void {
  for (const page of pages) {
    const { children = [], file = '' } = page
    if (!isPlatformFile(file) || children.length === 0) continue
    pages.push(...children.map(child => ({ ...child, path: `${page.path}/${child.path}`.replace(/\/+$/, '') })))
    page.children = []
  }
}
