import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { statusAndCode } from '../support/error-code'
import { createBrowser, signUp } from '../support/http'
import { readOutbox } from '../support/mail'
import { useServer } from '../support/use-server'

const server = useServer()

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${server.origin}${path}`, { headers, redirect: 'manual' })
const read = async (path: string) => (await get(path)).text()
const PAGES = ['/welcome', '/about', '/contact']
const LANGUAGES = ['en', 'de', 'ar']
const pathIn = (path: string, language: string) => (language === 'en' ? path : `${path}?lang=${language}`)
const attributes = (html: string, tag: RegExp) => [...html.matchAll(tag)].map(([, value = '']) => value)

describe('GET /robots.txt', () => {
  it('allows public pages in every language, and no other page', async () => {
    const answer = await get('/robots.txt')
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    const text = await answer.text()
    for (const page of PAGES) expect(text).toContain(`Allow: ${page}$\nAllow: ${page}?\n`)
    expect(text).not.toMatch(/Allow: \/(notes|team|settings|embed)/)
    expect(text).toContain('\nDisallow: /\n')
    expect(text).toContain(`\nSitemap: ${server.origin}/sitemap.xml\n`)
  })
})

describe('GET /sitemap.xml', () => {
  it('lists every public page in every language at an address that returns 200', async () => {
    const answer = await get('/sitemap.xml')
    expect(answer.headers.get('content-type')).toBe('application/xml; charset=utf-8')
    const addresses = attributes(await answer.text(), /<loc>([^<]*)<\/loc>/g)
    const expected = PAGES.flatMap(page => LANGUAGES.map(language => server.origin + pathIn(page, language)))
    expect(addresses.toSorted()).toEqual(expected.toSorted())
    for (const address of addresses) expect((await fetch(address)).status, address).toBe(200)
  })

  it('returns 405 for other methods', async () => {
    const answer = await fetch(`${server.origin}/sitemap.xml`, { method: 'POST', headers: { origin: server.origin } })
    expect(answer.status).toBe(405)
  })
})

describe('public page', () => {
  it.each([
    ['en', 'ltr', 'Notes for your team', 'Create account'],
    ['de', 'ltr', 'Notizen für Ihr Team', 'Konto erstellen'],
    ['ar', 'rtl', 'ملاحظات لفريقك', 'إنشاء حساب'],
  ])('is rendered on the server in the language of its address: %s', async (language, direction, headline, button) => {
    const html = await read(pathIn('/welcome', language))
    expect(html).toMatch(new RegExp(`<html[^>]* lang="${language}"`))
    expect(html).toMatch(new RegExp(`<html[^>]* dir="${direction}"`))
    expect(html).toContain(headline)
    expect(html).toContain(button)
    expect(html).toContain('href="/sign-in?return=%2F#sign-up"')
  })

  it('is in English for unsupported languages and ignores other query parameters', async () => {
    const english = await read('/about')
    for (const query of ['?lang=fr', '?lang=en', '?x=1', '?lang=%22%3E'])
      expect(await read(`/about${query}`)).toBe(english)
    const german = await read('/about?lang=de')
    expect(german).not.toBe(english)
    expect(await read('/about?x=1&lang=de')).toBe(german)
  })

  it('keeps its language when it is served from memory', async () => {
    for (const language of ['de', 'en', 'ar', 'de', 'en', 'ar']) {
      const html = await read(pathIn('/contact', language))
      expect(html).toMatch(new RegExp(`<html[^>]* lang="${language}"`))
    }
  })

  it('can be indexed, unlike private and missing pages', async () => {
    for (const page of PAGES) expect((await get(page)).headers.get('x-robots-tag'), page).toBeNull()
    for (const page of ['/', '/notes', '/embed/notes', '/no/such/page'])
      expect((await get(page)).headers.get('x-robots-tag'), page).toBe('noindex')
  })

  it('does not mention where its resources are loaded from', async () => {
    for (const page of PAGES) expect(await read(page)).not.toContain('loaded from anywhere else')
  })

  it('has a link preview image at the address in its head', async () => {
    const [image = ''] = attributes(await read('/welcome'), /property="og:image" content="([^"]*)"/g)
    const answer = await fetch(image)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/png'])
  })
})

describe('page of a published note', () => {
  it('shows the note as it is, from its publication to its end', async () => {
    const browser = createBrowser(server.origin)
    await signUp(browser, { name: 'Ada', email: 'ada@example.test', password: 'quiet harbour lantern 42' })
    const act = async (name: string, json: object) =>
      (await (await browser.post(`/_fw/actions/${name}`, { json })).json()).result
    const { id } = (await act('create-note', { title: 'Harbour <b>', text: 'Two berths' })).note
    expect((await get(`/p/${id}`)).status).toBe(404)
    expect(await act('publish-note', { id })).toEqual({ path: `/p/${id}` })
    for (const text of ['Two berths', 'One berth', 'No berth']) {
      await act('update-note', { id, text })
      for (const _again of [1, 2, 3]) expect(await read(`/p/${id}`)).toContain(`${text}</p>`)
    }
    const page = await get(`/p/${id}`)
    expect(await page.text()).toContain('Harbour &lt;b&gt;</h1>')
    expect(page.headers.get('cache-control')).toBe('public, max-age=0, must-revalidate')
    expect(await act('publish-note', { id, published: false })).toEqual({ path: null })
    expect((await get(`/p/${id}`)).status).toBe(404)
  })
})

/** The checks of Lighthouse's SEO category, except for robots.txt and the status, which are tested above. */
describe.each(PAGES.flatMap(page => LANGUAGES.map(language => pathIn(page, language))))('%s', path => {
  it('has a title, a description, a valid canonical address and valid alternates', async () => {
    const text = await read(path)
    const head = text.slice(0, text.indexOf('</head>'))
    expect(head).toMatch(/<title>[^<]{10,70}<\/title>/)
    expect(head).toMatch(/<meta name="description" content="[^"]{40,200}"/)
    expect(head).toMatch(/<meta name="viewport" content="width=device-width/)
    expect(head).not.toMatch(/<meta name="robots"/)
    expect(attributes(head, /<link rel="canonical" href="([^"]*)"/g)).toEqual([server.origin + path])
    const [plain = ''] = path.split('?')
    const alternates = [...head.matchAll(/<link rel="alternate" hreflang="([^"]*)" href="([^"]*)"/g)]
    expect(alternates.map(([, language, href]) => [language, href])).toEqual([
      ...LANGUAGES.map(language => [language, server.origin + pathIn(plain, language)]),
      ['x-default', server.origin + plain],
    ])
    for (const name of ['og:type', 'og:site_name', 'og:url', 'og:title', 'og:description', 'og:image'])
      expect(attributes(head, new RegExp(`property="${name}" content="([^"]+)"`, 'g')), name).toHaveLength(1)
  })

  it('has crawlable links with a text and pictures with an alternative text', async () => {
    const text = await read(path)
    const links = [...text.matchAll(/<a\b([^>]*)>([\s\S]*?)<\/a>/g)]
    expect(links.length).toBeGreaterThan(3)
    for (const [link, attribute = '', content = ''] of links) {
      expect(attribute, link).toMatch(/\shref="(\/|#|\?)/)
      expect(content.replaceAll(/<[^>]*>/g, '').trim(), link).not.toMatch(/^(|click here|here|more|read more|link)$/i)
    }
    for (const [picture] of text.matchAll(/<img\b[^>]*>/g)) expect(picture).toMatch(/\salt="/)
  })
})

describe('contact form', () => {
  const send = (input: Record<string, unknown>) =>
    fetch(`${server.origin}/_fw/actions/send-contact-message`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: server.origin },
      body: JSON.stringify({ name: 'Maria Ortiz', email: 'maria@example.com', message: 'Hello', ...input }),
    })
  const ticket = async () => {
    const answer = await get('/_fw/form-ticket')
    expect(answer.headers.get('cache-control')).toBe('no-store')
    return (await answer.json()).ticket
  }
  const mails = () => (existsSync(join(server.dataDir, 'outbox')) ? readOutbox(server.dataDir) : [])
  const later = () => new Promise(resolve => setTimeout(resolve, 3100))

  it('sends one email for a ticket that is old enough', async () => {
    const check = { ticket: await ticket(), trap: '' }
    expect(await statusAndCode(await send({ check }))).toEqual([400, 'form-check-failed'])
    await later()
    expect((await send({ check })).status).toBe(200)
    expect(await statusAndCode(await send({ check }))).toEqual([400, 'form-check-failed'])
    await expect.poll(mails).toHaveLength(1)
    expect(mails()[0]).toMatchObject({ to: 'contact@example.com', subject: 'Message from Maria Ortiz' })
    expect(mails()[0]?.text).toContain('maria@example.com')
  })

  it('rejects programs that fill in every field or have no ticket', async () => {
    const one = await ticket()
    await later()
    const refused = [400, 'form-check-failed']
    expect(await statusAndCode(await send({ check: { ticket: one, trap: 'x' } }))).toEqual(refused)
    expect(await statusAndCode(await send({ check: { ticket: 'made-up', trap: '' } }))).toEqual(refused)
    expect(await statusAndCode(await send({}))).toEqual([400, 'invalid-input'])
  })
})
