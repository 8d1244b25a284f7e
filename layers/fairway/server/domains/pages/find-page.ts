export interface ShellPage {
  path: string
  pattern: RegExp
  kind: 'public' | 'embed' | 'private'
}

export interface FoundPage {
  /** What the rendered page is kept under: all private pages are one shell, a public page is its own path. */
  key: string
  kind: ShellPage['kind']
  status: 200 | 404
}

/** The embed page behind a URL path; undefined for every other page. */
export function findEmbedPage(pathname: string, pages: readonly ShellPage[]): ShellPage | undefined {
  const page = pages.find(candidate => candidate.pattern.test(pathname))
  return page?.kind === 'embed' ? page : undefined
}

/** The page behind a URL path; an unknown path gets the shell under status 404, so that the application explains it. */
export function findPage(pathname: string, pages: readonly ShellPage[]): FoundPage {
  const page = pages.find(candidate => candidate.pattern.test(pathname))
  if (!page) return { key: 'missing', kind: 'private', status: 404 }
  if (page.kind === 'private') return { key: 'private', kind: 'private', status: 200 }
  const plain = pathname.length > 1 ? pathname.replace(/\/+$/, '') : pathname
  return { key: `${page.kind}:${plain.toLowerCase()}`, kind: page.kind, status: 200 }
}
