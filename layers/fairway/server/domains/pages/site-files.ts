// robots.txt and sitemap.xml, generated from the pages that the build found.
import type { SitemapEntry } from '#fairway/server/kernel/config/public-pages'
import { findPage, type ShellPage } from './find-page'
import { addressesOf, alternatesOf, attribute } from './public-head'

/** The build's files and images, which crawlers need to render public pages. */
const PARTS = ['/_nuxt/', ...['svg', 'png', 'jpg', 'jpeg', 'webp', 'avif', 'gif', 'ico'].map(type => `/*.${type}$`)]
/** Closed even where a public page matches every path. */
const CLOSED = ['/', '/_fw/', '/api/', '/mcp', '/o/']
/** The maximum number of addresses in one sitemap (sitemaps.org). */
const MOST_ADDRESSES = 50_000

/** robots.txt: crawlers may read public pages and no other path (RFC 9309: the longest rule wins). */
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

/** A page is open at exactly its path, with any query. A page with parameters is open from the first parameter on. */
function rulesFor(path: string): string[] {
  const at = path.indexOf(':')
  const fixed = at === -1 ? path : path.slice(0, at)
  const whole = fixed.length > 1 ? fixed.replace(/\/$/, '') : fixed
  return [...(at === -1 ? [] : [fixed]), `${whole}$`, `${whole}?`]
}

interface SitemapInput {
  pages: readonly ShellPage[]
  /** The default language first. */
  languages: readonly string[]
  baseUrl: string
  /** Addresses that the application adds. */
  entries: readonly SitemapEntry[]
  /** Called for each added address that does not lead to a public page. */
  onUnknown: (path: string) => void
}

/**
 * sitemap.xml: public pages without parameters and the addresses that the application adds, each in every language with its
 * alternates.
 */
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
    return addressesOf(path, languages, baseUrl).map(
      ({ href }) => `<url><loc>${attribute(href)}</loc>${changed}${alternates}</url>`,
    )
  })
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml">',
    ...urls.slice(0, MOST_ADDRESSES),
    '</urlset>\n',
  ].join('\n')
}
