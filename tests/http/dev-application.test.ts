import { mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { networkInterfaces, tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { writeProject } from '../support/author-project'
import { type DevServer, joinChanges, startDevServer } from '../support/dev-server'
import { plainRequest } from '../support/http'

// What a development server with --host shows to other machines.
const START_LIMIT_IN_MS = 125_000
/** The server rebuilds in between, possibly on a busy machine. */
const NOTICED = { timeout: 150_000, interval: 300 }
const LIMIT_IN_MS = 160_000

const page = `<script setup lang="ts">
definePageMeta({ public: true })
const { t } = useI18n()
</script>
<template><p>Greetings {{ t('planet.from') }}</p></template>`
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
