// The metadata of public pages for search engines and link previews. It is added to the rendered page, so it needs no script in
// the browser. Tags that the page sets itself stay.
import type { Config } from '#fairway/server/kernel/config/config'
import { socialImageOf } from '#fairway/server/kernel/config/brand'
import { type FoundPage, pathIn } from './find-page'

interface HeadInput {
  page: Pick<FoundPage, 'path' | 'language'>
  /** All languages of public pages, the default language first. */
  languages: readonly string[]
  config: Pick<Config, 'baseUrl' | 'brand'>
}

/** Escapes a text for an attribute value in double quotes. */
export const attribute = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** The addresses of one public page, one for each language. The default language, the first one, has the plain address. */
export const addressesOf = (path: string, languages: readonly string[], baseUrl: string) =>
  languages.map((language, at) => ({ language, href: baseUrl + pathIn(path, at === 0 ? undefined : language) }))

/** The addresses of one public page for crawlers, with that of the default language last. A single language has no alternates. */
export const alternatesOf = (path: string, languages: readonly string[], baseUrl: string) =>
  languages.length < 2
    ? []
    : [...addressesOf(path, languages, baseUrl), { language: 'x-default', href: baseUrl + path }]

/** Adds the canonical address, alternates in other languages, the social card and structured data to a rendered public page. */
export function withPublicHead(html: string, { page: { path = '/', language }, languages, config }: HeadInput): string {
  const { baseUrl, brand } = config
  const canonical = baseUrl + pathIn(path, language)
  const title = /<title>([^<]*)<\/title>/i.exec(html)?.[1]?.replaceAll('"', '&quot;')
  const description = /<meta name="description" content="([^"]*)"/i.exec(html)?.[1]
  const image = socialImageOf(brand)
  const links = [
    ['rel="canonical"', `<link rel="canonical" href="${attribute(canonical)}">`],
    [
      'hreflang=',
      alternatesOf(path, languages, baseUrl)
        .map(each => `<link rel="alternate" hreflang="${each.language}" href="${attribute(each.href)}">`)
        .join(''),
    ],
  ]
  const metas = [
    ['property="og:type"', 'website'],
    ['property="og:site_name"', attribute(brand.name)],
    ['property="og:url"', attribute(canonical)],
    ['property="og:title"', title],
    ['property="og:description"', description],
    ['property="og:image"', image && attribute(baseUrl + image.path)],
    ['name="twitter:card"', image?.isWide ? 'summary_large_image' : 'summary'],
  ].map(([name, content]) => [name, content && `<meta ${name} content="${content}">`])
  const head = html.slice(0, html.indexOf('</head>'))
  const added = [...links, ...metas].map(([name = '', tag = '']) => (head.includes(name) ? '' : tag)).join('')
  return html.replace('</head>', () => `${added}${structuredData(config)}</head>`)
}

/** The publisher of the site, as defined by schema.org. */
function structuredData({ baseUrl, brand: { name, logo } }: HeadInput['config']): string {
  const url = `${baseUrl}/`
  const publisher = { '@type': 'Organization', '@id': `${url}#organization`, name, url }
  const data = {
    '@context': 'https://schema.org',
    '@graph': [
      { ...publisher, ...(logo ? { logo: baseUrl + logo.light } : {}) },
      { '@type': 'WebSite', '@id': `${url}#website`, name, url, publisher: { '@id': publisher['@id'] } },
    ],
  }
  return `<script type="application/ld+json">${JSON.stringify(data).replaceAll('<', String.raw`\u003c`)}</script>`
}
