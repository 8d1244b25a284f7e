import { describe, expect, it } from 'vitest'
import { withPublicHead } from '#fairway/server/domains/pages'
import { type FwConfigInput, defineFwConfig } from '#fairway/server/kernel/config/fw-config'

interface Options {
  page?: { path: string; language?: string }
  languages?: string[]
  brand?: FwConfigInput['brand']
}

const PAGE =
  '<html><head><title>Plans &amp; "prices" · Larch</title><meta name="description" content="What it &quot;costs&quot;"></head><body></body></html>'

const headed = (html: string, { page = { path: '/plans' }, languages = ['en', 'de'], brand = {} }: Options = {}) =>
  withPublicHead(html, {
    page,
    languages,
    config: { baseUrl: 'https://app.example.com', brand: defineFwConfig({ brand: { name: 'Larch', ...brand } }).brand },
  })

describe('withPublicHead', () => {
  it('adds absolute canonical and alternate links', () => {
    const html = headed(PAGE, { page: { path: '/plans', language: 'de' } })
    expect(html).toContain('<link rel="canonical" href="https://app.example.com/plans?lang=de">')
    expect(html).toContain('hreflang="en" href="https://app.example.com/plans"')
    expect(html).toContain('hreflang="de" href="https://app.example.com/plans?lang=de"')
    expect(html).toContain('hreflang="x-default" href="https://app.example.com/plans"')
    expect(headed(PAGE, { languages: ['en'] })).not.toContain('hreflang')
  })

  it('points to the plain address for the default language, which is the first one', () => {
    const html = headed(PAGE, { languages: ['de', 'en'] })
    expect(html).toContain('<link rel="canonical" href="https://app.example.com/plans">')
    expect(html).toContain('hreflang="de" href="https://app.example.com/plans"')
    expect(html).toContain('hreflang="en" href="https://app.example.com/plans?lang=en"')
    expect(html).toContain('hreflang="x-default" href="https://app.example.com/plans"')
  })

  it('builds the social card from title, description and brand', () => {
    const html = headed(PAGE)
    expect(html).toContain('<meta property="og:title" content="Plans &amp; &quot;prices&quot; · Larch">')
    expect(html).toContain('<meta property="og:description" content="What it &quot;costs&quot;">')
    expect(html).toContain('<meta property="og:site_name" content="Larch">')
    expect(html).toContain('<meta property="og:url" content="https://app.example.com/plans">')
    expect(html).toContain('<meta property="og:type" content="website">')
  })

  it.each([
    [{}, 'https://app.example.com/social-image.png', 'summary_large_image'],
    [{ socialImage: '/card.jpg', logo: '/logo.svg' }, 'https://app.example.com/card.jpg', 'summary_large_image'],
    [{ logo: '/logo.png' }, 'https://app.example.com/logo.png', 'summary'],
    [{ logo: '/logo.svg' }, undefined, 'summary'],
  ])('uses the social image of the brand: %j', (brand, image, card) => {
    const html = headed(PAGE, { brand })
    expect(/property="og:image" content="([^"]*)"/.exec(html)?.[1]).toBe(image)
    expect(html).toContain(`<meta name="twitter:card" content="${card}">`)
  })

  it('keeps the tags that the page sets itself', () => {
    const own =
      '<link rel="canonical" href="https://other.example/"><meta property="og:title" content="Own"><meta property="og:image" content="/own.png">'
    const html = headed(PAGE.replace('</head>', `${own}</head>`))
    for (const name of ['rel="canonical"', 'property="og:title"', 'property="og:image"'])
      expect(html.split(name)).toHaveLength(2)
  })

  it('escapes the path and the brand name', () => {
    const html = headed(PAGE, { page: { path: '/docs/a"><script>' }, brand: { name: '</script><b>$&' } })
    expect(html).toContain('href="https://app.example.com/docs/a&quot;&gt;&lt;script&gt;"')
    const data = JSON.parse(/<script type="application\/ld\+json">(.*?)<\/script>/.exec(html)?.[1] ?? '')
    expect(data['@graph'].map((each: { name: string }) => each.name)).toEqual(['</script><b>$&', '</script><b>$&'])
  })
})
