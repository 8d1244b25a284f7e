import { existsSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type AuthorProject, writeProject } from '../support/author-project'
import { type DevServer, startDevServer } from '../support/dev-server'
import { codeOf } from '../support/error-code'
import { createBrowser } from '../support/http'
import { query } from '../support/query'

const START_LIMIT_IN_MS = 125_000
/** The server rebuilds or restarts in between, possibly on a busy machine. */
const NOTICED = { timeout: 150_000, interval: 300 }
const LIMIT_IN_MS = 160_000

let application: AuthorProject
let server: DevServer

beforeAll(async () => {
  // The project starts with its configuration only; later tests add each folder. The command runs in another directory.
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
/** Polls until the value matches; the server does not respond while it restarts. */
const noticed = (ask: () => Promise<unknown>) => expect.poll(() => ask().catch(() => undefined), NOTICED)

const page = `<script setup lang="ts">
definePageMeta({ public: true })
const { t } = useI18n()
</script>
<template><p>Greetings {{ t('planet.from') }}</p></template>`
// `getHeader` and `H3Event` are auto-imports too, and only one of them is a type.
const action = (description: string) => `import { getHeader, type H3Event } from 'h3'
import { z } from 'zod'
import { defineAction } from '#fw'
export const agentOf = (event: H3Event) => getHeader(event, 'user-agent')
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

it('nuxt dev starts with its own port, base URL, database and development account', async () => {
  expect(await issuer()).toBe(server.origin)
  expect(existsSync(join(application.dir, '.data/fairway.db'))).toBe(true)
  expect(readFileSync(join(application.dir, '.data/dev-server'), 'utf8')).toBe(server.origin)
  const browser = createBrowser(server.origin)
  await browser.get('/sign-in')
  expect((await (await browser.get('/_fw/session')).json()).session).toMatchObject({ email: 'dev@local.test' })
})

it(
  'detects the first page with its texts, action, provider and prompt, and keeps the port',
  {
    timeout: 2 * LIMIT_IN_MS,
  },
  async () => {
    application.write('app/pages/hello.vue', page)
    application.write('app/locales/en.json', JSON.stringify({ planet: { from: 'from Mars' } }))
    application.write('server/actions/greet.ts', action('Greets.'))
    application.write('server/providers/acme.ts', provider)
    application.write('server/mcp/prompts/rhyme.ts', prompt)
    await noticed(() => text('/hello')).toContain('Greetings from Mars')
    await noticed(() => call('greet')).toBe('unauthenticated')
    await expect
      .poll(() => server.output(), NOTICED)
      .toMatch(/\[providers\] .*acme[^]*prompts: rhyme|prompts: rhyme[^]*\[providers\] .*acme/)
    expect(await issuer()).toBe(server.origin)
  },
)

it('answers every request while files are saved and serves the new content', { timeout: LIMIT_IN_MS }, async () => {
  const document = async () => await (await get('/_fw/openapi.json')).text()
  const answers: (number | string)[] = []
  const over = new AbortController()
  // Each asks again after its answer: more requests than a busy machine answers would only wait for each other.
  const ask = async () => {
    while (!over.signal.aborted) {
      const status = await get('/_fw/openapi.json').then(
        answer => answer.status,
        (error: unknown) => String(error),
      )
      answers.push(status)
      await sleep(20)
    }
  }
  const asking = Promise.all([ask(), ask(), ask(), ask()])
  for (const number of [1, 2]) {
    application.write('server/actions/greet.ts', action(`Greets for the ${number}. time.`))
    await noticed(document).toContain(`Greets for the ${number}. time.`)
  }
  over.abort()
  await asking
  expect(answers.length).toBeGreaterThan(5)
  expect(answers.filter(answer => answer !== 200)).toEqual([])
})

it('detects a folder that is deleted and created again', { timeout: 2 * LIMIT_IN_MS }, async () => {
  application.remove('server/actions')
  await noticed(() => call('greet')).toBe('unknown-action')
  application.write('server/actions/bow.ts', action('Bows.'))
  await noticed(() => call('bow')).toBe('unauthenticated')
})

it(
  'keeps everything else working with a broken collection and serves it after the fix',
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
  'detects added, changed and removed fw.config.ts and .env files, even after a failed start',
  { timeout: 3 * LIMIT_IN_MS },
  async () => {
    const signInPage = async () =>
      await (await fetch(`${server.origin}/sign-in`, { headers: { 'x-forwarded-for': '203.0.113.9' } })).text()
    application.write('fw.config.ts', config('Orbit'))
    application.write('.env', 'FW_BASE_URL=http://localhost:1\n')
    await noticed(signInPage).toContain('Orbit')
    await noticed(issuer).toBe('http://localhost:1')
    const before = server.output().length
    application.write('fw.config.ts', 'export default {')
    await expect.poll(() => server.output().slice(before), { ...NOTICED, interval: 20 }).toContain('fw.config.ts:')
    // The server restarts at this moment and has already read the file.
    application.write('fw.config.ts', config('Ellipse'))
    await noticed(signInPage).toContain('Ellipse')
    await noticed(() => text('/hello')).toContain('<title>Ellipse')
    // The default that depends on the port returns.
    application.remove('.env')
    await noticed(issuer).toBe(server.origin)
  },
)

it('applies a new migration', { timeout: 2 * LIMIT_IN_MS }, async () => {
  const tables = async () => {
    const place = { dataDir: join(application.dir, '.data') }
    const rows = await query(place, `select name from sqlite_master where name = 'books'`)
    return rows.map(({ name }) => name)
  }
  application.write('drizzle/0000_books.sql', 'CREATE TABLE books (id text PRIMARY KEY NOT NULL);')
  await noticed(tables).toEqual(['books'])
  // The worker applies the migration before the restart ends. A change during the restart would start another one.
  await noticed(issuer).toBe(server.origin)
})

it(
  'a second application uses another port and the database of its own settings',
  { timeout: LIMIT_IN_MS },
  async () => {
    const { dir } = writeProject()
    const env = { DATABASE_URL: `file:${join(dir, 'app/books.store')}`, FW_DATA_DIR: 'app/kept' }
    const beside = await startDevServer([dir], { cwd: tmpdir(), env })
    expect(beside.origin).not.toBe(server.origin)
    expect(existsSync(join(dir, 'app/books.store'))).toBe(true)
    expect(existsSync(join(dir, 'app/kept/development-secret'))).toBe(true)
    await beside.stop()
  },
)

it('stops with its command after any number of restarts', async () => {
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
