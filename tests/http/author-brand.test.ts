import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createBrowser } from '../support/http'
import { startSmtp } from '../support/mail'
import { borrowServer, type TestServer } from '../support/server'

/** The application in tests/fixtures/author has a custom name, look, pages and texts. */
let smtp: Awaited<ReturnType<typeof startSmtp>>
let server: TestServer
beforeAll(async () => {
  smtp = await startSmtp()
  server = await borrowServer({
    application: 'author',
    env: { SMTP_URL: smtp.url, EMAIL_FROM: 'no-reply@example.test' },
  })
}, 600_000)
afterAll(async () => {
  await server.stop()
  await smtp.stop()
})

const read = async (path: string) => (await fetch(server.origin + path, { headers: { accept: 'text/html' } })).text()

describe('application with its own brand', () => {
  it('has its name, logo and accent color on its pages, in the OpenAPI document and in OAuth metadata', async () => {
    const signIn = await read('/sign-in')
    expect(signIn).toContain('<title>Sign in · Larch</title>')
    expect(signIn).toContain('<meta name="theme-color" content="#7c3aed">')
    expect(signIn).toContain('<source media="(prefers-color-scheme:dark)" srcset="/logo-dark.svg">')
    expect(signIn).toContain('--ui-primary:#7c3aed')
    const about = await read('/about')
    expect(about).toMatch(/<title>[^<]+ · Larch<\/title>/)
    expect(about).toContain('<meta name="theme-color" content="#7c3aed">')
    expect(await read('/favicon.svg')).toBe(readFileSync('tests/fixtures/author/public/logo.svg', 'utf8'))
    expect(JSON.parse(await read('/_fw/openapi.json'))).toMatchObject({ info: { title: 'Larch' } })
    const metadata = JSON.parse(await read('/.well-known/oauth-protected-resource/mcp'))
    expect(metadata).toMatchObject({ resource_name: 'Larch' })
    for (const text of [signIn, about])
      expect(text.replaceAll(/fairway-[a-z]+|--color-fairway/g, '')).not.toMatch(/fairway/i)
  })

  it('has a frame around server pages that switches language with the page', async () => {
    expect(await read('/sign-in')).toMatch(/>Privacy</)
    const page = await read('/sign-in?lang=de')
    expect(page).toMatch(/<h1[^>]*>Anmelden</)
    expect(page).toMatch(/>Datenschutz</)
    expect(page).not.toMatch(/>Privacy</)
  })

  it.each([
    ['en', 'Your way in', 'Asked for in '],
    ['de', 'Ihr Weg zu Larch', 'Der Link und der Code gelten einmal'],
  ])('sends emails with its texts in the language of the requesting page (%s)', async (language, subject, text) => {
    const email = `${language}@example.test`
    const form = { intent: 'magic-link', email }
    const answer = await createBrowser(server.origin).post(`/sign-in?lang=${language}`, { form })
    expect(answer.status).toBe(303)
    const mail = await smtp.mailTo(email)
    expect(mail.subject).toBe(subject)
    expect(mail.text).toContain(text)
    expect(mail.text).toMatch(/-- \r?\nLarch/)
    expect(mail.html).toContain('background:#7c3aed')
  })

  it('offers only its languages, in its order', async () => {
    const signIn = await read('/sign-in?lang=ar')
    expect(signIn).toContain('<html lang="en"')
    const links = signIn.slice(signIn.indexOf('class="languages"')).matchAll(/ lang="(\w+)"/g)
    expect([...links].map(([, language]) => language)).toEqual(['de', 'en'])
    const about = await read('/about?lang=ar')
    expect(about).toMatch(/<html[^>]* lang="en"/)
    const alternates = about.matchAll(/hreflang="([\w-]+)" href=/g)
    expect([...alternates].map(([, language]) => language)).toEqual(['en', 'de', 'x-default'])
  })
})
