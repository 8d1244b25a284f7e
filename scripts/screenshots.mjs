// `npm run screenshots`: every page, state and dialog, light and dark, at three widths, into screenshots/ (not kept in git).
// `-- --compare` takes them anew, into screenshots.new/, and shows what looks otherwise; `-- --accept` makes those the ones to compare
// with. Names after `--` take only states that begin with them: `npm run screenshots -- notes settings`.
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from '@playwright/test'
import { buildOnce } from './build.mjs'
import { chromiumFlags, findChromium } from './chromium.mjs'
import { compareScreenshots } from './compare-screenshots.mjs'
import { builtServer } from './sample.mjs'
import { answer, button, inOrder as then, stall, text } from './screenshot-steps.mjs'
import { tools } from './screenshot-tools.mjs'
import { teamStates } from './screenshots-team.mjs'

const ACCEPTED = 'screenshots'
const NEWEST = 'screenshots.new'
const given = process.argv.slice(2)
const isComparing = given.includes('--compare')
const names = given.filter(each => !each.startsWith('--'))
const FOLDER = isComparing ? NEWEST : ACCEPTED
const WIDTHS = [375, 768, 1280]
const HEIGHT = 800
const SESSION = '**/_fw/session'
const ACTIONS = '**/_fw/actions/**'
const NOTES = /\/note-list(\?|$)/
const AUDIT = '**/_fw/org/audit?**'
const ACTIVITY = '**/_fw/activity?**'
const CHECKLIST = '**/_fw/org/checklist'

const notes = [
  { title: 'Reading list', text: 'RFC 9457 problem details\nRFC 9728 protected resource metadata' },
  { title: 'Groceries', text: 'Bread, butter, apples' },
  { title: 'A title that is longer than one line of a card and is cut with care', text: 'Text\n'.repeat(8) },
  { title: 'Questions for Thursday', text: 'Who keeps the backups?\nWhat happens when the disk is full?' },
  { title: 'Release checklist', text: 'Tag the commit\nWrite the change log', pinned: true },
]

/** The session of somebody who is neither an owner nor an admin. */
const asMember = page =>
  page.route(SESSION, async route => {
    const answer = await route.fetch()
    const { session } = await answer.json()
    await route.fulfill({ response: answer, json: { session: { ...session, orgRole: 'member' } } })
  })

/** What a desktop application gives to the pages it shows. */
const inDesktop = page =>
  page.addInitScript(() => {
    const app = (id, name, status, reason = null) => ({ id, name, status, reason })
    const apps = [
      app('mail', 'Mail', 'signed-in'),
      app('docs', 'Documents', 'failed', 'unreachable'),
      app('drawings', 'Drawings', 'not-eligible', 'not-registered'),
    ]
    const about = { state: 'incomplete', isEnabled: true, isAvailable: true, email: 'ada@example.test', reason: null }
    const send = async () => ({ ok: true, status: { ...about, apps } })
    window.fairwayDesktop = { send, onStatus: () => () => undefined }
  })

/** What is shown before there is a note, and after. */
const fresh = [
  { name: 'home-fresh', path: '/', reach: text('Nothing happened yet') },
  { name: 'notes-empty', path: '/notes', reach: text('No notes yet') },
  { name: 'archive-empty', path: '/notes?view=archived', reach: text('The archive is empty') },
]
const filled = [
  { name: 'home', path: '/', reach: text('created Release checklist'), isWhole: true },
  {
    name: 'home-loading',
    path: '/',
    prepare: then(stall(ACTIONS), stall(ACTIVITY), stall(CHECKLIST)),
    reach: text('Latest notes'),
  },
  {
    name: 'home-failed',
    path: '/',
    prepare: then(answer(ACTIONS, 500), answer(ACTIVITY, 500)),
    reach: text('couldn’t be loaded'),
    isWhole: true,
  },
  { name: 'audit', path: '/audit', reach: text('created Release checklist'), isWhole: true },
  {
    name: 'audit-details',
    path: '/audit',
    reach: then(text('created Release checklist'), page =>
      page
        .getByRole('button', { name: /^Show details/ })
        .first()
        .click(),
    ),
    isWhole: true,
  },
  { name: 'audit-range', path: '/audit?range=custom&from=2026-01-01', reach: text('Clear filters'), isWhole: true },
  { name: 'audit-no-match', path: '/audit?outcome=denied', reach: text('No entries match') },
  { name: 'audit-loading', path: '/audit', prepare: stall(AUDIT), reach: text('Any action') },
  { name: 'audit-failed', path: '/audit', prepare: answer(AUDIT, 500), reach: text('couldn’t be loaded') },
  { name: 'audit-forbidden', path: '/audit', prepare: asMember, reach: text('Only owners and admins') },
  { name: 'notes', path: '/notes', reach: text('Release checklist') },
  { name: 'notes-loading', path: '/notes', prepare: stall(NOTES), reach: text('Short texts') },
  { name: 'notes-failed', path: '/notes', prepare: answer(NOTES, 500), reach: text('could not be loaded') },
  {
    name: 'notes-not-found',
    path: '/notes',
    reach: then(page => page.getByRole('searchbox').fill('zebra'), text('Nothing found')),
  },
  {
    name: 'note-new',
    path: '/notes',
    reach: then(button('New note'), page => page.getByRole('button', { name: 'Create note' }).waitFor()),
  },
  {
    name: 'note-refused',
    path: '/notes',
    reach: then(button('New note'), button('Create note'), page => page.locator('[aria-invalid=true]').waitFor()),
  },
  {
    name: 'note-edit',
    path: '/notes',
    reach: page => page.getByRole('button', { name: 'Groceries', exact: true }).click(),
  },
  { name: 'note-delete', path: '/notes', reach: button('Delete “Groceries”') },
  {
    name: 'notes-offline',
    path: '/notes',
    reach: then(page => page.context().setOffline(true), text('You are offline.')),
  },
  { name: 'settings', path: '/settings', isWhole: true },
  {
    name: 'settings-address',
    path: '/settings',
    reach: then(button('Change address…'), page => page.getByLabel('New address').waitFor()),
  },
  {
    name: 'settings-failed',
    path: '/settings',
    prepare: answer('**/_fw/account/address', 500),
    reach: text('could not be looked up'),
  },
  { name: 'settings-security', path: '/settings/security', reach: text('Change password'), isWhole: true },
  { name: 'settings-apps', path: '/settings/apps', reach: text('Nothing is connected'), isWhole: true },
  { name: 'settings-appearance', path: '/settings/appearance', reach: text('Dark') },
  { name: 'settings-data', path: '/settings/data', reach: text('Export as a file') },
  {
    name: 'settings-data-failed',
    path: '/settings/data',
    prepare: then(answer('**/_fw/account', 500), answer('**/_fw/account/export', 500)),
    reach: then(button('Export as a file'), text('could not be exported')),
  },
  {
    name: 'account-delete',
    path: '/settings/data',
    reach: then(button('Delete account…'), text('What is deleted')),
  },
  {
    name: 'settings-german',
    path: '/settings/appearance',
    reach: page => page.getByRole('radio', { name: 'Deutsch' }).click(),
    isWhole: true,
  },
  {
    name: 'token-new',
    path: '/settings/apps',
    reach: then(button('Create a token'), page => page.getByRole('dialog').waitFor()),
  },
  { name: 'recent-activity', path: '/settings/security#activity', reach: text('Recent activity') },
  { name: 'security', path: '/security', reach: text('Events'), isWhole: true },
  { name: 'security-none', path: '/security?outcome=blocked', reach: text('Nothing matches') },
  {
    name: 'settings-arabic',
    path: '/settings',
    reach: then(
      page => page.getByRole('radio', { name: 'العربية' }).click(),
      page => page.locator('html[dir=rtl]').waitFor(),
    ),
    isWhole: true,
  },
  ...['/', '/notes', '/team', '/connect', '/connections', '/about'].map(path => ({
    name: `${path.slice(1) || 'home'}-arabic`,
    path,
    prepare: page => page.addInitScript(() => localStorage.setItem('fairway-language', 'ar')),
    reach: page => page.locator('html[lang=ar]').waitFor(),
    isWhole: true,
  })),
  { name: 'settings-desktop', path: '/settings/desktop', prepare: inDesktop, reach: text('Documents'), isWhole: true },
  { name: 'connect', path: '/connect', reach: text('The address'), isWhole: true },
  { name: 'connected-apps', path: '/settings/apps', reach: text('Nothing is connected') },
  ...teamStates({ button, text, inOrder: then, answer, stall }),
  {
    name: 'switcher',
    path: '/',
    least: 900,
    reach: then(button(/^Organization /), page => page.getByRole('menu').waitFor()),
  },
  ...tools,
  { name: 'account-menu', path: '/', least: 900, reach: button(/^Account/) },
  { name: 'sidebar-folded', path: '/', least: 900, reach: button('Fold the sidebar') },
  {
    name: 'drawer',
    path: '/',
    most: 899,
    reach: then(button('Open the menu'), page => page.getByRole('dialog').waitFor()),
  },
  { name: 'gate-loading', path: '/', prepare: stall(SESSION) },
  { name: 'gate-unreachable', path: '/', prepare: answer(SESSION, 503), reach: text('Could not reach the server') },
  { name: 'missing', path: '/nowhere', reach: text('There is no page') },
  { name: 'about', path: '/about', isWhole: true },
  {
    name: 'notes-toast',
    path: '/notes',
    reach: then(button(/^Archive “Quest/), text('is in the archive')),
    leave: then(button('Undo'), text('is back among your notes')),
  },
]
const signedOut = [
  { name: 'sign-in', path: '/sign-in' },
  { name: 'sign-in-password', path: '/sign-in#sign-in' },
  { name: 'sign-in-arabic', path: '/sign-in?lang=ar' },
  {
    name: 'check-mail',
    path: '/sign-in',
    reach: then(fill('#magic-link input'), press('#magic-link button'), seen('[data-wait]')),
  },
  { name: 'check-mail-arabic', path: '/sign-in?step=check-mail&lang=ar' },
  { name: 'second-factor', path: '/sign-in?step=code' },
  { name: 'link-ended', path: '/_fw/auth/link?token=nothing' },
  { name: 'outbox', path: '/_fw/dev/outbox' },
  { name: 'sign-up', path: '/sign-in', reach: page => page.getByRole('link', { name: 'Create an account' }).click() },
  {
    name: 'sign-in-refused',
    path: '/sign-in#sign-in',
    reach: then(
      fill('#sign-in input >> nth=0'),
      fill('#sign-in input >> nth=1'),
      press('#sign-in button[name=intent]'),
      seen('.alert'),
    ),
  },
]

if (given.includes('--accept')) {
  if (!existsSync(NEWEST)) throw new Error(`there is no ${NEWEST}/; take it with --compare`)
  rmSync(ACCEPTED, { recursive: true, force: true })
  renameSync(NEWEST, ACCEPTED)
  console.log(`done: what was in ${NEWEST}/ is in ${ACCEPTED}/`)
  process.exit(0)
}

const built = await buildOnce()
if (!built.ok) process.exit(1)
if (names.length === 0 || isComparing) rmSync(FOLDER, { recursive: true, force: true })
mkdirSync(FOLDER, { recursive: true })
const server = await startServer()
const browser = await chromium.launch({ executablePath: findChromium(), args: chromiumFlags })
let failures = 0
try {
  const context = await browser.newContext({ baseURL: server.origin })
  await context.request.get('/sign-in')
  const storageState = await context.storageState()
  await takeAll(fresh, storageState)
  for (const data of notes) {
    await context.request.post('/_fw/actions/create-note', { data, headers: { origin: server.origin } })
  }
  await takeAll(filled, storageState)
  await context.request.delete('/_fw/session', { headers: { origin: server.origin } })
  await takeAll(signedOut)
} finally {
  await browser.close()
  server.child.kill('SIGTERM')
}
console.log(failures === 0 ? `done: ${FOLDER}/` : `${failures} could not be taken`)
const differences = isComparing
  ? compareScreenshots(ACCEPTED, NEWEST).filter(({ kind }) => names.length === 0 || kind !== 'gone')
  : []
for (const { name, kind, part } of differences)
  console.log(`${kind.padEnd(8)}${name}${kind === 'changed' ? ` (${(part * 100).toFixed(2)} %)` : ''}`)
if (isComparing) console.log(`${differences.length} look otherwise: ${NEWEST}/differences.html`)
process.exit(failures + differences.length === 0 ? 0 : 1)

async function takeAll(states, storageState) {
  const isWanted = ({ name }) => names.length === 0 || names.some(each => name.startsWith(each))
  for (const state of states.filter(isWanted)) {
    for (const width of WIDTHS.filter(each => each >= (state.least ?? 0) && each <= (state.most ?? Infinity))) {
      await take(state, width, storageState)
    }
  }
}

async function take({ name, path, prepare, reach, leave, isWhole }, width, storageState) {
  const options = { storageState, viewport: { width, height: HEIGHT }, reducedMotion: 'reduce' }
  const context = await browser.newContext({ ...options, baseURL: server.origin })
  const page = await context.newPage()
  try {
    await prepare?.(page)
    await page.goto(path)
    await page.locator(name === 'gate-loading' ? 'main' : 'main:not([aria-busy])').waitFor()
    await reach?.(page)
    if (isWhole) await page.evaluate(() => window.scrollTo(0, 0))
    for (const colorScheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme })
      await page.waitForTimeout(250)
      const file = `${FOLDER}/${name}.${colorScheme}.${width}.png`
      await page.screenshot({ path: file, fullPage: isWhole === true })
      console.log(file)
    }
    await leave?.(page)
  } catch (error) {
    failures++
    console.error(`${name} at ${width}: ${error instanceof Error ? error.message : error}`)
  }
  await context.close()
}

async function startServer() {
  const port = await freePort()
  const origin = `http://localhost:${port}`
  const child = spawn('node', [builtServer], {
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'development',
      PORT: String(port),
      FW_BASE_URL: origin,
      FW_DATA_DIR: mkdtempSync(join(tmpdir(), 'fw-screenshots-')),
      FW_RATE_LIMITS: 'off',
      FW_OPERATORS: 'dev@local.test',
      A2A_SECRET: 'Nd7wTq4KzV9mXc2RbL6pYh8GfJ3sUe5A',
      FW_IDENTITY_HUB_URL: 'https://hub.example.com',
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  for (let attempt = 0; attempt < 200; attempt++) {
    const answered = await fetch(`${origin}/_fw/health/ready`).catch(() => undefined)
    if (answered?.ok) return { origin, child }
    await new Promise(resolve => setTimeout(resolve, 100))
  }
  child.kill('SIGTERM')
  throw new Error('the server was not ready in time')
}

function freePort() {
  return new Promise(resolve => {
    const probe = createServer().listen(0, () => {
      const { port } = probe.address()
      probe.close(() => resolve(port))
    })
  })
}
