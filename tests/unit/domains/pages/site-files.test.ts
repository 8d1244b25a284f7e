import { describe, expect, it } from 'vitest'
import { compilePages } from '#fairway/modules/pages/page-files'
import { robotsText, sitemapText } from '#fairway/server/domains/pages'

const baseUrl = 'https://app.example.com'
const pages = compilePages([
  { path: '/' },
  { path: '/about', meta: { public: true } },
  { path: '/blog/:slug()', meta: { public: true } },
  { path: '/notes' },
  { path: '/widget', meta: { embed: true } },
])

describe('robotsText', () => {
  const lines = robotsText(pages, baseUrl).split('\n')

  it('allows public pages and disallows everything else', () => {
    expect(lines).toEqual(
      expect.arrayContaining(['Allow: /about$', 'Allow: /about?', 'Allow: /blog/', 'Disallow: /', 'Disallow: /_fw/']),
    )
    expect(lines.filter(line => /notes|widget|^Allow: \/[$?]?$/.test(line))).toEqual([])
  })

  it('allows the files that pages need', () => {
    expect(lines).toEqual(expect.arrayContaining(['Allow: /_nuxt/', 'Allow: /*.png$']))
  })

  it('lists the sitemap with its absolute URL', () => {
    expect(lines.at(-2)).toBe('Sitemap: https://app.example.com/sitemap.xml')
  })

  it('allows a public start page without the pages below it', () => {
    const start = robotsText(compilePages([{ path: '/', meta: { public: true } }]), baseUrl)
    expect(start).toContain('Allow: /$\nAllow: /?\nDisallow: /\n')
  })
})

const sitemap = (entries: Parameters<typeof sitemapText>[0]['entries'] = [], languages = ['en', 'de', 'ar']) => {
  const unknown: string[] = []
  const text = sitemapText({ pages, languages, baseUrl, entries, onUnknown: path => unknown.push(path) })
  return { text, unknown, addresses: [...text.matchAll(/<loc>([^<]*)<\/loc>/g)].map(([, address]) => address) }
}

describe('sitemapText', () => {
  it('lists each public page without parameters in each language, with its alternates', () => {
    const { text, addresses } = sitemap()
    const [english, german, arabic] = ['', '?lang=de', '?lang=ar'].map(query => `${baseUrl}/about${query}`)
    expect(addresses).toEqual([english, german, arabic])
    expect(text.match(/hreflang="x-default" href="https:\/\/app\.example\.com\/about"/g)).toHaveLength(3)
    expect(text).toContain(`<xhtml:link rel="alternate" hreflang="de" href="${german}"/>`)
  })

  it('lists the plain address for the default language, which is the first one', () => {
    expect(sitemap([], ['de', 'en']).addresses).toEqual([`${baseUrl}/about`, `${baseUrl}/about?lang=en`])
  })

  it('lists no alternates when there is one language', () => {
    const { text, addresses } = sitemap([], ['en'])
    expect(addresses).toEqual([`${baseUrl}/about`])
    expect(text).not.toContain('xhtml:link')
  })

  it('adds the entries of the application with their last modification time', () => {
    const { text, addresses } = sitemap([{ path: '/blog/a&b', changedAt: new Date(0) }], ['en'])
    expect(addresses).toEqual([`${baseUrl}/about`, `${baseUrl}/blog/a&amp;b`])
    expect(text).toContain('<lastmod>1970-01-01T00:00:00.000Z</lastmod>')
  })

  it('omits and reports entries that are not public pages', () => {
    const { unknown, addresses } = sitemap([{ path: '/notes' }, { path: '/nowhere' }], ['en'])
    expect(unknown).toEqual(['/notes', '/nowhere'])
    expect(addresses).toEqual([`${baseUrl}/about`])
  })
})
