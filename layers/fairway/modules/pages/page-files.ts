// The pages from Nuxt: taken out of the platform's pages, with full paths, compiled in the router's order.
import { createRouterMatcher } from 'vue-router'
import { isPlatformFile } from '../registry/roots'

/** A page from Nuxt. */
export interface PageFile {
  path: string
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
}

/** Every page with its full path, parents before children. */
export const withChildren = (pages: readonly PageFile[], parent = ''): PageFile[] =>
  pages.flatMap(page => {
    const path = page.path.startsWith('/') ? page.path : `${parent}/${page.path}`.replace(/\/+/g, '/')
    return [{ ...page, path }, ...withChildren(page.children ?? [], path)]
  })

/**
 * The URL pattern and the kind of every page, in the router's order. A catch-all page comes at the end, regardless of its file's
 * location. A page is private by default.
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

const withAliases = (page: PageFile): Omit<CompiledPage, 'pattern'>[] =>
  [page.path, page.alias ?? []].flat().map(path => ({ path, file: page.file, kind: kindOf(page) }))

function kindOf(page: PageFile): CompiledPage['kind'] {
  if (page.meta?.embed === true) return 'embed'
  return page.meta?.public === true ? 'public' : 'private'
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
  const found = new Set<string>()
  const add = (each: BuiltFile | undefined): void => {
    if (!each || each.isEntry || found.has(each.file)) return
    found.add(each.file)
    for (const name of each.imports ?? []) add(built[name])
  }
  add(Object.values(built).find(({ src }) => src !== undefined && isSource(src)))
  return [...found]
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
