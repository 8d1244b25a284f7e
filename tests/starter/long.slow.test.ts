import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Browser, chromium, expect as expectPage, type Page } from '@playwright/test'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { chromiumFlags, findChromium } from '../../scripts/chromium.mjs'
import { connectHost } from '../support/mcp'
import { aPerson, runAction, signUpByForm } from '../support/people'
import { query } from '../support/query'
import { STATIC_TOKEN } from '../support/secrets'
import { chain } from './chain'
import { feature } from './feature'
import {
  authorFiles,
  changedFiles,
  emptyFolder,
  NEXT,
  packLayer,
  platformFiles,
  run,
  type Running,
  runOk,
  settingsOf,
  startScript,
  unpack,
  VERSION,
} from './project'
import { writeFiles } from '../support/files'

// One author's path from an empty folder to the next version. Each step continues from the previous one.
const place = emptyFolder()
const project = join(place, 'my-app')
const origin = 'http://localhost:4510'
const ada = aPerson()
const settings = {
  ...settingsOf(origin, join(place, 'data')),
  ACCESS_TOKEN: STATIC_TOKEN,
  FW_OWNER_EMAIL: ada.email,
}

let tarball: string
let platform: Record<string, string>
let browser: Browser
let page: Page
let server: Running | undefined

const ok = (command: string, ...args: string[]): Promise<string> => runOk(project, command, ...args)

beforeAll(async () => {
  tarball = await packLayer(place)
  browser = await chromium.launch({ executablePath: findChromium(), args: chromiumFlags })
  page = await browser.newPage()
})
afterAll(async () => {
  await server?.stop()
  await browser?.close()
})

it('npx creates a project from the packed platform and installs it', async () => {
  mkdirSync(join(place, 'data'))
  const args = [
    '--yes',
    '--package',
    tarball,
    '--',
    'nuxt-fairway',
    'new',
    'my-app',
    '--sample',
    'empty',
    '--package',
    tarball,
  ]
  const { code, out, seconds } = await run(place, 'npx', args)
  console.log(`npx nuxt-fairway new: ${seconds.toFixed(1)} s`)
  expect(code, out).toBe(0)
  expect(out).toContain('npm run dev')
  expect(Object.keys(authorFiles(project))).toHaveLength(12)
  platform = platformFiles(project)
})

it('a feature needs only a table, an action, a collection and a page', async () => {
  writeFiles(project, feature)
  const made = await ok('npm', 'run', 'db:generate')
  expect(made).toContain('1 tables')
})

it('three resources in a chain need only their commands, which change nothing when they run again', async () => {
  for (const args of chain) await ok('npx', 'fw', ...args)
  const before = authorFiles(project)
  for (const args of chain) expect(await ok('npx', 'fw', ...args)).toContain('Nothing to change')
  expect(changedFiles(before, authorFiles(project))).toEqual([])
})

it('build, tests and type check pass', async () => {
  await ok('npm', 'run', 'build')
  expect(await ok('npm', 'test')).toMatch(/Tests .*17 passed/)
  await ok('npm', 'run', 'types')
})

it('people sign up and use the feature’s page in a browser', async () => {
  server = await startScript(project, 'start', origin, settings)
  await page.goto(`${origin}/books`)
  await signUpByForm(page, ada)
  await expectPage(page.getByRole('heading', { level: 1 })).toHaveText('Books')
  await expectPage(page.getByRole('link', { name: 'Books' }).first()).toBeVisible()
  await page.getByRole('textbox', { name: 'New book' }).fill('Middlemarch')
  await page.getByRole('button', { name: 'Add book' }).click()
  await expectPage(page.getByRole('listitem').filter({ hasText: 'Middlemarch' })).toBeVisible()
})

it('people import a file that has the titles of other rows', async () => {
  await runAction(page, origin, 'import-buildings', { rows: [{ name: 'Town Hall' }] })
  await runAction(page, origin, 'import-rooms', { rows: [{ name: 'Blue', seats: '20', buildingId: 'Town Hall' }] })
  const lines = [
    ['Title', 'Room', 'Site', 'Teacher', 'Page'],
    ['Painting', 'Blue', 'Town Hall', ada.email, '7'],
    ['Singing', 'Green', 'Town Hall', ada.email, '8'],
  ].map(cells => cells.join(';'))
  const choose = async (rows: readonly string[]) => {
    const file = { name: 'lessons.csv', mimeType: 'text/csv', buffer: Buffer.from(rows.join('\n')) }
    await page.locator('input[type=file]').setInputFiles(file)
    await page.getByRole('button', { name: 'Check' }).click()
  }
  await page.goto(`${origin}/lessons`)
  await page.getByRole('button', { name: 'Import' }).click()
  await choose(lines)
  await expectPage(page.getByRole('listitem').filter({ hasText: 'Green' })).toContainText(/Row 3\s*Room/)
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'Import' }).click()
  await choose(lines.slice(0, 2))
  await page.getByRole('button', { name: 'Import 1 row' }).click()
  await expectPage(page.getByRole('row', { name: 'Painting' })).toContainText('Blue')
})

it('the action is available as an MCP tool and as a command', async () => {
  // A static token acts for the owner only after the address is confirmed, and this server sends no mail.
  await query({ dataDir: settings.FW_DATA_DIR }, 'update users set email_verified = 1')
  const host = await connectHost(origin)
  const { isError } = await host.callTool({ name: 'add-book', arguments: { title: 'Emma' } })
  await host.close()
  expect(isError).not.toBe(true)
  const env = { ...settings, AUTH_MODE: 'local', NODE_ENV: 'development' }
  const { code, out } = await run(project, 'npx', ['fw', 'action', 'add-book', '--title', 'Persuasion'], env)
  expect(code, out).toBe(0)
  const titles = await query({ dataDir: settings.FW_DATA_DIR }, 'select title from books order by title')
  expect(titles.map(({ title }) => title)).toEqual(['Emma', 'Middlemarch', 'Persuasion'])
})

it('the feature changed no file of the platform', () => {
  expect(Object.keys(platform).length).toBeGreaterThan(500)
  expect(changedFiles(platform, platformFiles(project))).toEqual([])
})

it('fw upgrade changes only the version and the lockfile and migrates the database', async () => {
  await server?.stop()
  await run(project, 'git', ['add', '--all'])
  const identity = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.test']
  await run(project, 'git', [...identity, 'commit', '--quiet', '--message', 'books'])
  const before = authorFiles(project)
  const next = await nextVersion()
  const { code, out, seconds } = await run(project, 'npx', ['fw', 'upgrade', '--to', next])
  console.log(`fw upgrade: ${seconds.toFixed(1)} s`)
  expect(code, out).toBe(0)
  expect(out).toContain('0099_next')
  expect(changedFiles(before, authorFiles(project))).toEqual([
    `nuxt-fairway-${VERSION}.tgz`,
    `nuxt-fairway-${NEXT}.tgz`,
    'package-lock.json',
    'package.json',
  ])
  await ok('npm', 'run', 'build')
  await ok('npm', 'run', 'types')
  server = await startScript(project, 'start', origin, settings)
  await page.goto(`${origin}/books`)
  await expectPage(page.getByRole('listitem').filter({ hasText: 'Middlemarch' })).toBeVisible()
  const tables = await query({ dataDir: settings.FW_DATA_DIR }, "select name from sqlite_master where name = 'fw_next'")
  expect(tables).toHaveLength(1)
  expect(server.log()).not.toContain('"level":"error"')
})

/** Packs a later version of the platform: a higher version number and one more migration. */
async function nextVersion(): Promise<string> {
  const folder = join(place, 'next/package')
  await unpack(tarball, folder)
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  writeFiles(folder, {
    'package.json': JSON.stringify({ ...manifest, version: NEXT, scripts: {} }),
    'drizzle/0099_next.sql': 'CREATE TABLE `fw_next` (`id` text PRIMARY KEY NOT NULL);\n',
  })
  const { code, out } = await run(folder, 'npm', ['pack', '--pack-destination', place, '--loglevel=error'])
  expect(code, out).toBe(0)
  return join(place, `nuxt-fairway-${NEXT}.tgz`)
}
