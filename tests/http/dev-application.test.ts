import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type AuthorProject, writeProject } from '../support/author-project'
import { type DevServer, startDevServer } from '../support/dev-server'
import { codeOf } from '../support/error-code'
import { createBrowser } from '../support/http'
import { query } from '../support/query'

const START_LIMIT_IN_MS = 125_000
/** The server builds or begins again in between, on a machine that may be busy. */
const NOTICED = { timeout: 150_000, interval: 300 }
const LIMIT_IN_MS = 160_000

let application: AuthorProject
let server: DevServer

beforeAll(async () => {
  // With a configuration only: every folder comes later. The command is given elsewhere.
  application = writeProject()
  server = await startDevServer([application.dir], { cwd: tmpdir() })
}, START_LIMIT_IN_MS)
afterAll(() => server.stop())

const get = (path: string) => fetch(server.origin + path)
const text = async (path: string) => await (await get(path)).text()
const code = async (path: string, request: RequestInit = {}) => {
  const answer = await fetch(server.origin + path, request)
  return answer.ok ? answer.status : await codeOf(answer)
}
const call = (action: string) => {
  const headers = { origin: server.origin, 'content-type': 'application/json' }
  return code(`/_fw/actions/${action}`, { method: 'POST', headers, body: '{}' })
}
const issuer = async () => (await (await get('/.well-known/oauth-authorization-server')).json()).issuer
/** Asks until it is so; while the server begins again, nobody answers. */
const noticed = (ask: () => Promise<unknown>) => expect.poll(() => ask().catch(() => undefined), NOTICED)

const page = `<script setup lang="ts">
definePageMeta({ public: true, layout: 'public' })
const { t } = useI18n()
</script>
<template><p>Greetings {{ t('planet.from') }}</p></template>`
const action = (description: string) => `import { z } from 'zod'
import { defineAction } from '#fw'
export default defineAction({ description: '${description}', input: z.object({}), run: () => null })`
const collection = (id: string) => `import { z } from 'zod'
import { defineCollection } from '#fw'
export default defineCollection({
  description: 'Planets.',
  shortName: 'Planet',
  item: z.object({ id: z.string() }),
  source: () => [{ id: '${id}' }],
})`
const provider = `import { defineProvider } from '#fw'
const endpoints = { authorization: 'https://acme.example/authorize', token: 'https://acme.example/token' }
export default defineProvider({ id: 'acme', name: 'Acme', endpoints, scopes: [] })`
const prompt = `import { z } from 'zod'
import { defineMcpPrompt } from '#fw'
export default defineMcpPrompt({ title: 'Rhyme', description: 'Rhymes.', args: z.object({}), build: () => 'Rhyme!' })`
const config = (name: string) =>
  `import { defineFwConfig } from '#fw'\nexport default defineFwConfig({ name: '${name}' })\n`

it('plain nuxt dev has a port, a base URL and a database of its own, and the development account', async () => {
  expect(await issuer()).toBe(server.origin)
  expect(existsSync(join(application.dir, '.data/fairway.db'))).toBe(true)
  const browser = createBrowser(server.origin)
  await browser.get('/sign-in')
  expect((await (await browser.get('/_fw/session')).json()).session).toMatchObject({ email: 'dev@local.test' })
})

it('the first page is noticed, with its texts, and the port stays', { timeout: LIMIT_IN_MS }, async () => {
  application.write('app/pages/hello.vue', page)
  application.write('app/locales/en.json', JSON.stringify({ planet: { from: 'from Mars' } }))
  await noticed(() => text('/hello')).toContain('Greetings from Mars')
  expect(await issuer()).toBe(server.origin)
})

it('the first action, provider and prompt are noticed', { timeout: LIMIT_IN_MS }, async () => {
  application.write('server/actions/greet.ts', action('Greets.'))
  await noticed(() => call('greet')).toBe('unauthenticated')
  application.write('server/providers/acme.ts', provider)
  application.write('server/mcp/prompts/rhyme.ts', prompt)
  await expect
    .poll(() => server.output(), NOTICED)
    .toMatch(/\[providers\] .*acme[^]*prompts: rhyme|prompts: rhyme[^]*\[providers\] .*acme/)
})

it('no request is lost while files are saved, and each answer is new', { timeout: LIMIT_IN_MS }, async () => {
  const document = async () => await (await get('/_fw/openapi.json')).text()
  const answers: (number | string)[] = []
  const pending: Promise<unknown>[] = []
  const ask = async () => {
    const status = await get('/_fw/openapi.json').then(
      answer => answer.status,
      (error: unknown) => String(error),
    )
    answers.push(status)
  }
  const asking = setInterval(() => pending.push(ask()), 20)
  for (const number of [1, 2, 3, 4, 5]) {
    application.write('server/actions/greet.ts', action(`Greets for the ${number}. time.`))
    await noticed(document).toContain(`Greets for the ${number}. time.`)
  }
  clearInterval(asking)
  await Promise.all(pending)
  expect(answers.length).toBeGreaterThan(5)
  expect(answers.filter(answer => answer !== 200)).toEqual([])
})

it('a folder that is gone and comes again is noticed', { timeout: 2 * LIMIT_IN_MS }, async () => {
  application.remove('server/actions')
  await noticed(() => call('greet')).toBe('unknown-action')
  application.write('server/actions/bow.ts', action('Bows.'))
  await noticed(() => call('bow')).toBe('unauthenticated')
})

it(
  'a first broken collection leaves everything else in place, and is served when it is repaired',
  { timeout: LIMIT_IN_MS },
  async () => {
    application.write('server/collections/planets.ts', collection('earth').replace('source:', 'sauce:'))
    await expect.poll(() => server.output(), NOTICED).toContain('server/collections/planets.ts: does not load')
    expect(await call('bow')).toBe('unauthenticated')
    application.write('server/collections/planets.ts', collection('earth'))
    await noticed(() => code('/planets')).toBe('unauthenticated')
  },
)

it(
  'fw.config.ts is noticed when it comes, when it changes, and after a start that it stopped',
  { timeout: 3 * LIMIT_IN_MS },
  async () => {
    const signInPage = async () =>
      await (await fetch(`${server.origin}/sign-in`, { headers: { 'x-forwarded-for': '203.0.113.9' } })).text()
    application.write('fw.config.ts', config('Orbit'))
    await noticed(signInPage).toContain('Orbit')
    const before = server.output().length
    application.write('fw.config.ts', 'export default {')
    await expect.poll(() => server.output().slice(before), { ...NOTICED, interval: 20 }).toContain('fw.config.ts:')
    // At this moment the server begins again, and has read the file already.
    application.write('fw.config.ts', config('Ellipse'))
    await noticed(signInPage).toContain('Ellipse')
    await noticed(() => text('/hello')).toContain('<title>Ellipse')
  },
)

it('a migration that comes is applied', { timeout: 2 * LIMIT_IN_MS }, async () => {
  const tables = async () => {
    const place = { dataDir: join(application.dir, '.data') }
    const rows = await query(place, `select name from sqlite_master where name = 'books'`)
    return rows.map(({ name }) => name)
  }
  application.write('drizzle/0000_books.sql', 'CREATE TABLE books (id text PRIMARY KEY NOT NULL);')
  await noticed(tables).toEqual(['books'])
  // The worker applies it before the restart has ended; what changes meanwhile would begin a second one.
  await noticed(issuer).toBe(server.origin)
})

it(
  '.env is noticed when it comes, changes and goes, and what follows from the port comes back',
  { timeout: 3 * LIMIT_IN_MS },
  async () => {
    for (const address of ['http://localhost:1', 'http://localhost:2']) {
      application.write('.env', `FW_BASE_URL=${address}\n`)
      await noticed(issuer).toBe(address)
    }
    application.remove('.env')
    await noticed(issuer).toBe(server.origin)
  },
)

it('a second application beside it has another port and another database', { timeout: START_LIMIT_IN_MS }, async () => {
  const other = writeProject()
  const beside = await startDevServer([other.dir], { cwd: tmpdir() })
  expect(beside.origin).not.toBe(server.origin)
  expect(existsSync(join(other.dir, '.data/fairway.db'))).toBe(true)
  expect(await beside.stop()).toBe(0)
})

it('ends with its command, however often it has begun again', async () => {
  expect(await server.stop()).toBe(0)
  await expect
    .poll(() =>
      get('/').then(
        answer => answer.status,
        () => 'closed',
      ),
    )
    .toBe('closed')
})
