// The pages as Nuxt has found them: lifted out of the platform's, with whole paths, compiled in the router's order.
import { createRouterMatcher } from 'vue-router'
import { isPlatformFile } from '../registry/roots'

/** A page as Nuxt has found it. */
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

/** Every page with its whole path, each before those inside it. */
export const withChildren = (pages: readonly PageFile[], parent = ''): PageFile[] =>
  pages.flatMap(page => {
    const path = page.path.startsWith('/') ? page.path : `${parent}/${page.path}`.replace(/\/+/g, '/')
    return [{ ...page, path }, ...withChildren(page.children ?? [], path)]
  })

/**
 * The URL pattern and the kind of every page, in the order in which the router tries them: a page for whatever comes is the last,
 * wherever its file stands. A page is private unless it says otherwise.
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

/** What the build of the client says of one of its files. */
interface BuiltFile {
  file: string
  src?: string
  isEntry?: boolean
  imports?: string[]
}

/** The scripts that the page in a source file needs beside the entry, which every page loads; none before the client is built. */
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
 * Takes an application's pages out of the platform's: `pages/settings/billing.vue` would be shown inside the page `/settings`, which
 * has no place for it, so it is a page of its own at that path. Changes the list.
 */
export function liftPages(pages: PageFile[]): void {
  for (const page of pages) {
    const { children = [], file = '' } = page
    if (!isPlatformFile(file) || children.length === 0) continue
    pages.push(...children.map(child => ({ ...child, path: `${page.path}/${child.path}`.replace(/\/+$/, '') })))
    page.children = []
  }
}
