import { createRouterMatcher } from 'vue-router'

export interface PageFile {
  path: string
  file?: string
  alias?: string | string[]
  meta?: Record<string, unknown>
  children?: PageFile[]
}

export interface CompiledPage {
  path: string
  pattern: RegExp
  kind: 'public' | 'embed' | 'private'
}

/**
 * The URL pattern and the kind of every page, in the order in which the router tries them: a page for whatever comes is the last,
 * wherever its file stands. A page is private unless it says otherwise.
 */
export function compilePages(pages: PageFile[]): CompiledPage[] {
  const flat = flatten(pages)
  const records = flat.map(({ path }, index) => ({ path, component: {}, meta: { index } }))
  return createRouterMatcher(records, {})
    .getRoutes()
    .flatMap(({ re, record }) => {
      const page = flat[Number(record.meta.index)]
      return page ? [{ ...page, pattern: re }] : []
    })
}

const flatten = (pages: PageFile[], parent = ''): Omit<CompiledPage, 'pattern'>[] =>
  pages.flatMap(page => {
    const path = page.path.startsWith('/') ? page.path : `${parent}/${page.path}`.replace(/\/+/g, '/')
    const kind = kindOf(page)
    const aliases = [page.alias ?? []].flat().map(alias => ({ path: alias, kind }))
    return [{ path, kind }, ...aliases, ...flatten(page.children ?? [], path)]
  })

function kindOf(page: PageFile): CompiledPage['kind'] {
  if (page.meta?.embed === true) return 'embed'
  return page.meta?.public === true ? 'public' : 'private'
}
