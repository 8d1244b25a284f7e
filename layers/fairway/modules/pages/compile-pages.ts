import { createRouterMatcher } from 'vue-router'

export interface PageFile {
  path: string
  file?: string
  meta?: Record<string, unknown>
  children?: PageFile[]
}

export interface CompiledPage {
  path: string
  pattern: RegExp
  kind: 'public' | 'embed' | 'private'
}

/** The URL pattern and the kind of every page; a page is private unless it says otherwise. */
export function compilePages(pages: PageFile[], parent = ''): CompiledPage[] {
  return pages.flatMap(page => {
    const path = page.path.startsWith('/') ? page.path : `${parent}/${page.path}`.replace(/\/+/g, '/')
    return [{ path, pattern: toPattern(path), kind: kindOf(page) }, ...compilePages(page.children ?? [], path)]
  })
}

function toPattern(path: string): RegExp {
  const [route] = createRouterMatcher([{ path, component: {} }], {}).getRoutes()
  if (!route) throw new Error(`the page path ${path} has no pattern`)
  return route.re
}

function kindOf(page: PageFile): CompiledPage['kind'] {
  if (page.meta?.embed === true) return 'embed'
  return page.meta?.public === true ? 'public' : 'private'
}
