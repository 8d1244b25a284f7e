// `npm run screenshots`: every page and main state, light and dark, at three widths, into screenshots/ (not kept in git).
import { mkdirSync, rmSync } from 'node:fs'
import { chromium } from '@playwright/test'
import { buildOnce } from './build.mjs'
import { chromiumFlags, findChromium } from './chromium.mjs'
import { startShownServer } from './shown-server.mjs'

const FOLDER = 'screenshots'
const WIDTHS = [375, 768, 1280]
const HEIGHT = 800
const SESSION = '**/_fw/session'
const ACTIONS = '**/_fw/actions/**'
const NOTES = /\/note-list(\?|$)/
const MEMBERS = /\/team-members(\?|$)/
const ORG = '**/_fw/org/**'
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

const button = name => page => page.getByRole('button', { name }).click()
const text = words => page => page.getByText(words).first().waitFor()
const then =
  (...steps) =>
  async page => {
    for (const step of steps) await step(page)
  }
const answer = (pattern, status) => page => page.route(pattern, route => route.fulfill({ status, body: 'down' }))
const stall = pattern => page => page.route(pattern, () => undefined)
const openPalette = async page => {
  await page.keyboard.press('ControlOrMeta+k')
  await page.getByRole('option', { name: /create-note/ }).waitFor()
}
const openAction = name => async page => {
  await openPalette(page)
  await page.getByRole('option', { name }).click()
  await page.getByRole('button', { name: `Run ${name}` }).waitFor()
}

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
    name: 'settings-german',
    path: '/settings',
    reach: page => page.getByRole('radio', { name: 'Deutsch' }).click(),
    isWhole: true,
  },
  { name: 'settings-desktop', path: '/settings', prepare: inDesktop, reach: text('Documents'), isWhole: true },
  { name: 'connect', path: '/connect', reach: text('The address'), isWhole: true },
  { name: 'tools', path: '/tools', reach: button('Fields of create-note'), isWhole: true },
  { name: 'connected-apps', path: '/settings#connected-apps', reach: text('Nothing is connected') },
  { name: 'team', path: '/team', reach: text('1 member'), isWhole: true },
  {
    name: 'team-loading',
    path: '/team',
    prepare: then(stall(ORG), stall(MEMBERS)),
    reach: text('Everybody who belongs'),
  },
  {
    name: 'team-failed',
    path: '/team',
    prepare: then(answer(ORG, 500), answer(MEMBERS, 500)),
    reach: text('could not be loaded'),
    isWhole: true,
  },
  {
    name: 'team-invite',
    path: '/team',
    reach: then(
      page => page.getByRole('button', { name: 'Invite people' }).first().click(),
      page => page.getByRole('textbox', { name: 'E-mail addresses' }).fill('grace@example.test, nobody'),
      button('Invite 2 people'),
      text('is not an e-mail address'),
    ),
  },
  { name: 'team-delete', path: '/team', reach: button('Delete…') },
  { name: 'invitation-unknown', path: '/invitation?id=x&token=x', reach: text('There is no invitation') },
  {
    name: 'switcher',
    path: '/',
    least: 900,
    reach: then(button(/^Organization /), page => page.getByRole('menu').waitFor()),
  },
  { name: 'palette', path: '/', reach: openPalette },
  { name: 'palette-action', path: '/', reach: openAction('list-notes') },
  {
    name: 'palette-result',
    path: '/',
    reach: then(openAction('list-notes'), button('Run list-notes'), text('totalItems')),
  },
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
  { name: 'sign-up', path: '/sign-in', reach: page => page.getByRole('link', { name: 'Create an account' }).click() },
  {
    name: 'sign-in-refused',
    path: '/sign-in',
    reach: async page => {
      await page.locator('#sign-in input[type=email]').fill('ada@example.test')
      await page.locator('#sign-in input[type=password]').fill('not the password')
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
      await page.getByRole('alert').waitFor()
    },
  },
]

const built = await buildOnce()
if (!built.ok) process.exit(1)
rmSync(FOLDER, { recursive: true, force: true })
mkdirSync(FOLDER, { recursive: true })
const server = await startShownServer()
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
process.exit(failures === 0 ? 0 : 1)

async function takeAll(states, storageState) {
  for (const state of states) {
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
