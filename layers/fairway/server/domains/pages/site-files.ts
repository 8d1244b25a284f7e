// robots.txt and sitemap.xml, from the pages that the build has found.
import type { SitemapEntry } from '#fairway/server/kernel/config/public-pages'
import { findPage, pathIn, type ShellPage } from './find-page'
import { alternatesOf, attribute } from './public-head'

/** What public pages consist of besides themselves: the build's files and pictures, which crawlers need to show them. */
const PARTS = ['/_nuxt/', ...['svg', 'png', 'jpg', 'jpeg', 'webp', 'avif', 'gif', 'ico'].map(type => `/*.${type}$`)]
/** Closed also where a public page takes whatever comes. */
const CLOSED = ['/', '/_fw/', '/api/', '/mcp']
/** What one sitemap may have (sitemaps.org). */
const MOST_ADDRESSES = 50_000

/** robots.txt: public pages are open to crawlers and everything else is closed (RFC 9309: the longest rule wins). */
export function robotsText(pages: readonly ShellPage[], baseUrl: string): string {
  const open = pages.filter(({ kind }) => kind === 'public').flatMap(({ path }) => rulesFor(path))
  const lines = [
    'User-agent: *',
    ...[...new Set([...PARTS, ...open])].map(path => `Allow: ${path}`),
    ...CLOSED.map(path => `Disallow: ${path}`),
    '',
    `Sitemap: ${baseUrl}/sitemap.xml`,
  ]
  return `${lines.join('\n')}\n`
}

/** A page is open at exactly its path, with any query. One with parameters is open from the first of them on. */
function rulesFor(path: string): string[] {
  const at = path.indexOf(':')
  const fixed = at === -1 ? path : path.slice(0, at)
  const whole = fixed.length > 1 ? fixed.replace(/\/$/, '') : fixed
  return [...(at === -1 ? [] : [fixed]), `${whole}$`, `${whole}?`]
}

interface SitemapInput {
  pages: readonly ShellPage[]
  languages: readonly string[]
  baseUrl: string
  /** Addresses that the application adds. */
  entries: readonly SitemapEntry[]
  /** Told of each of them that leads to no public page. */
  onUnknown: (path: string) => void
}

/** sitemap.xml: public pages without parameters and what the application adds, each in every language with its alternates. */
export function sitemapText({ pages, languages, baseUrl, entries, onUnknown }: SitemapInput): string {
  const byPath = new Map<string, SitemapEntry>()
  for (const { kind, path } of pages) if (kind === 'public' && !path.includes(':')) byPath.set(path, { path })
  for (const entry of entries) {
    const { kind, path = entry.path } = findPage(entry.path, pages)
    if (kind === 'public') byPath.set(path, { ...entry, path })
    else onUnknown(entry.path)
  }
  const urls = [...byPath.values()].flatMap(({ path, changedAt }) => {
    const alternates = alternatesOf(path, languages, baseUrl)
      .map(each => `<xhtml:link rel="alternate" hreflang="${each.language}" href="${attribute(each.href)}"/>`)
      .join('')
    const changed = changedAt === undefined ? '' : `<lastmod>${new Date(changedAt).toISOString()}</lastmod>`
    const places = languages.length < 2 ? ['en'] : languages
    return places.map(
      language => `<url><loc>${attribute(baseUrl + pathIn(path, language))}</loc>${changed}${alternates}</url>`,
    )
  })
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml">',
    ...urls.slice(0, MOST_ADDRESSES),
    '</urlset>\n',
  ].join('\n')
}
