import { existsSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { networkInterfaces, tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AuthorProject, writeProject } from '../support/author-project'
import { type DevServer, joinChanges, startDevServer } from '../support/dev-server'
import { codeOf } from '../support/error-code'
import { createBrowser, plainRequest } from '../support/http'
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

/** The ways to write the path of a file for Vite. */
function spellings(dir: string, file: string): string[] {
  const path = relative(dir, file)
  const inApp = relative(join(dir, 'app'), file)
  const escaped = file.replaceAll(/[.a]/g, letter => `%${letter.charCodeAt(0).toString(16)}`)
  return [
    `/@fs${file}`,
    `/@fs/${file}`,
    `/@fs${dir}/app/../${path}`,
    `/@fs${dir}/app/%2e%2e/${path}`,
    `/@fs${dir}/app/..%2f${path.replaceAll('/', '%2f')}`,
    `/@fs${escaped}`,
    `/@fs${escaped.replaceAll('%', '%25')}`,
    `/@fs${escaped.replaceAll('%', '%2525')}`,
    `/@fs${dir}/${path.toUpperCase()}`,
    `/@fs/proc/self/cwd/${path}`,
    `/@fs${file}/`,
    `/@fs${file}%00`,
    `/@fs${file}%3f.svg`,
    `/%40fs${file}`,
    file,
    `/${inApp}`,
    `/${path}`,
    `/@id${file}`,
    `/@id/${file}`,
    `/@id/@fs${file}`,
    `/@id/__x00__${file}`,
    `/@id/file://${file}`,
    `/@id/${inApp}`,
    `/@id/./${inApp}`,
    `/@id/~/${inApp}`,
    `/@id/~~/${path}`,
    `/~~/${path}`,
  ]
}
/** Queries that make Vite or one of its plugins send a file unchanged, as a module or as base64. */
const queries = [
  '',
  '?raw',
  '?import',
  '?vue&src=true&type=custom&index=0&import',
  '?url',
  '?import&raw',
  '?raw??',
  '?inline&url&import',
  '?.css',
  '?.svg?raw',
  '?.wasm?init',
  '?html-proxy&index=0.js',
  '?worker_file&type=module',
  '?vue&src=true&type=template&import',
  '?vue&src=true&type=style&index=0&lang.css',
  '?nuxt_component=async&import',
  '#x?vue&src=true&import',
]

/** Addresses of a file that use each spelling and each query at least once. */
const addresses = (dir: string, file: string): string[] => [
  ...spellings(dir, file).flatMap(path => queries.slice(0, 4).map(query => `/_nuxt${path}${query}`)),
  ...queries.map(query => `/_nuxt/@fs${file}${query}`),
  ...['', '/', '//_nuxt', '/%5fnuxt', '/_nuxt/..', '/_nuxt/x/../..'].flatMap(prefix =>
    [`/@fs${file}`, `/${relative(join(dir, 'app'), file)}`].map(path => `${prefix}${path}?raw`),
  ),
]

/** The addresses that return the content of one of these files. */
async function leaks(origin: string, dir: string, files: readonly string[]): Promise<string[]> {
  const found: string[] = []
  const changes = await joinChanges(origin)
  for (const file of files) {
    const secret = readFileSync(file).subarray(0, 15)
    const isLeak = (text: string) => (['latin1', 'base64'] as const).some(form => text.includes(secret.toString(form)))
    for (const path of addresses(dir, file)) {
      const answer = await plainRequest(origin, { path, headers: { 'sec-fetch-dest': 'script' } })
      if (isLeak(await answer.text())) found.push(path)
    }
  }
  changes.close()
  return found
}

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
  const pending: Promise<unknown>[] = []
  const ask = async () => {
    const status = await get('/_fw/openapi.json').then(
      answer => answer.status,
      (error: unknown) => String(error),
    )
    answers.push(status)
  }
  const asking = setInterval(() => pending.push(ask()), 20)
  for (const number of [1, 2]) {
    application.write('server/actions/greet.ts', action(`Greets for the ${number}. time.`))
    await noticed(document).toContain(`Greets for the ${number}. time.`)
  }
  clearInterval(asking)
  await Promise.all(pending)
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

describe('Second application started with --host', () => {
  const other = writeProject({
    'app/pages/hello.vue': page,
    'app/locales/en.json': '{ "planet": { "from": "from Mars" } }',
    'app/moons.ts': `export { moons } from '../content/facts'\nexport { default } from '../content/moon.png'`,
    'content/facts.ts': 'export const moons = 2',
    'content/moon.png': 'a picture',
  })
  const outside = Object.values(networkInterfaces())
    .flat()
    .find(address => address?.family === 'IPv4' && !address.internal)?.address
  let beside: DevServer
  let phone: string
  beforeAll(async () => {
    const env = { DATABASE_URL: `file:${join(other.dir, 'app/books.store')}`, FW_DATA_DIR: 'app/kept' }
    beside = await startDevServer([other.dir, '--host'], { cwd: tmpdir(), env })
    phone = beside.origin.replace('localhost', outside ?? '127.0.0.1')
  }, START_LIMIT_IN_MS)
  afterAll(() => beside.stop())

  it('uses another port and the database of its own settings', () => {
    expect(beside.origin).not.toBe(server.origin)
    expect(existsSync(join(other.dir, 'app/books.store'))).toBe(true)
    expect(existsSync(join(other.dir, 'app/kept/development-secret'))).toBe(true)
  })

  it('logs what other machines can reach and which tools are off', () => {
    expect(beside.output()).toMatch(/Other machines can open the app: its pages, its API, and the sources of its pages/)
    expect(beside.output()).toMatch(/The development account, the outbox and DevTools are off/)
  })

  it('serves other machines the pages, their modules and change events', async () => {
    for (const path of ['/hello', '/_nuxt/@vite/client', '/_nuxt/pages/hello.vue', '/_fw/session']) {
      const answer = await fetch(phone + path, { headers: { origin: phone } })
      expect([path, answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([path, 200, null])
    }
    const changes = await joinChanges(phone)
    changes.ask('getBuiltins')
    other.write('app/pages/hello.vue', page.replace('Greetings', 'Regards'))
    await expect.poll(() => changes.received.map(({ type }) => type), NOTICED).toContain('update')
    expect(changes.received.filter(({ event }) => event === 'vite:invoke')).toEqual([])
    changes.close()
  })

  it('serves no tools, outbox or development account', async () => {
    for (const origin of [phone, beside.origin]) {
      for (const path of ['/_vfs', '/__open-in-editor', '/_nuxt/__open-in-editor', '/_fw/devtools/requests'])
        expect([path, (await fetch(origin + path)).status]).toEqual([path, 403])
      expect((await fetch(`${origin}/_fw/dev/outbox`)).status).toBe(404)
      expect((await fetch(`${origin}/sign-in`, { redirect: 'manual' })).status).toBe(200)
    }
  })

  it('serves no data, secrets or other files that pages do not import', { timeout: LIMIT_IN_MS }, async () => {
    const { dir, write } = other
    const elsewhere = join(mkdtempSync(join(tmpdir(), 'fw-elsewhere-')), 'diary.txt')
    writeFileSync(elsewhere, 'Dear diary, this is private.')
    const written = ['.data/development-secret', '.env.local', 'plan.md', 'app/old.sqlite3-wal', 'app/tls.key']
    for (const path of [...written, 'app/kept/outbox/mail.eml']) write(path, `the secret of ${path}`)
    symlinkSync(join(dir, 'app/kept/development-secret'), join(dir, 'app/link.txt'))
    symlinkSync(join(dir, 'app/kept'), join(dir, 'app/folder'))
    const kept = ['books.store', 'books.store-wal', 'kept/development-secret', 'kept/outbox/mail.eml']
    const links = ['link.txt', 'folder/outbox/mail.eml']
    const files = [...written, ...[...kept, ...links].map(name => join('app', name))]
    expect(await leaks(phone, dir, [elsewhere, ...files.map(path => join(dir, path))])).toEqual([])
  })

  it('serves files that pages import from other folders', async () => {
    const files = ['facts.ts', 'moon.png'].map(name => join(other.dir, 'content', name))
    const statuses = () => Promise.all(files.map(async file => (await fetch(`${phone}/_nuxt/@fs${file}`)).status))
    expect(await statuses()).toEqual([403, 403])
    expect((await fetch(`${phone}/_nuxt/moons.ts`)).status).toBe(200)
    expect(await statuses()).toEqual([200, 200])
  })
})

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
