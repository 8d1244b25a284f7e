// `npm run screenshots`: takes every page, state and dialog, light and dark, at three widths, into screenshots/ (not in git).
// `-- --compare` takes them again, into screenshots.new/, and shows the visible differences; `-- --accept` makes the new ones the
// baseline. Names after `--` select states by prefix: `npm run screenshots -- notes settings`. `--docs` takes those of the
// documents, into docs/pictures/. `--tests` takes those that browser tests reach with more servers, such as a hub or a provider.
import { spawn, spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from '@playwright/test'
import { buildOnce } from './build.mjs'
import { chromiumFlags, findChromium } from './chromium.mjs'
import { compareScreenshots } from './compare-screenshots.mjs'
import { builtServer } from './sample.mjs'
import { filled, fresh, signedOut } from './screenshot-states.mjs'

const ACCEPTED = 'screenshots'
const NEWEST = 'screenshots.new'
const given = process.argv.slice(2)
const isComparing = given.includes('--compare')
const PICTURES = 'docs/pictures'
/** The states that README.md and the guides show. */
const SHOWN = {
  notes: 'notes',
  FwUserButton: 'account-menu',
  FwUserProfile: 'settings',
  FwOrganizationSwitcher: 'switcher',
  FwOrganizationProfile: 'team',
  FwInvitationBanner: 'invitation-banner',
  FwPersonPicker: 'notes-owner',
  FwConnectHost: 'connect',
  FwAuditLog: 'audit',
  'agent-consent': 'agent-consent',
  'agent-approval': 'agent-approval',
  'agent-undo': 'agent-undo',
  'agent-app': 'agent-app',
  'agent-revoke': 'agent-revoke',
}
/** The browser tests for states that require more than one server: they take a picture with each accessibility check. */
const TESTS =
  'accessibility account account-claim app-to-app consent connections desktop-card desktop-program embed files identity-hub import joining'
    .concat(
      ' mail-sign-in members passkeys product provider-sign-in second-factor-policy sign-in-policy two-factor webhooks',
    )
    .split(' ')
const isOfTests = given.includes('--tests')
const isForDocs = given.includes('--docs')
const names = isForDocs ? Object.values(SHOWN) : given.filter(each => !each.startsWith('--'))
const FOLDER = isComparing ? NEWEST : ACCEPTED
const WIDTHS = isForDocs ? [1280] : [375, 768, 1280]
const HEIGHT = 800
const notes = [
  { title: 'Reading list', text: 'RFC 9457 problem details\nRFC 9728 protected resource metadata' },
  { title: 'Groceries', text: 'Bread, butter, apples' },
  { title: 'A title that is longer than one line of a card and is cut with care', text: 'Text\n'.repeat(8) },
  { title: 'Questions for Thursday', text: 'Who keeps the backups?\nWhat happens when the disk is full?' },
  {
    title: 'Berths',
    text: '# Free\n\nThree **berths**, see [the plan](https://example.com).\n\n- [x] call\n- [ ] ropes\n\n> Tide at six.',
  },
  { title: 'Release checklist', text: 'Tag the commit\nWrite the change log', pinned: true },
]

if (given.includes('--accept')) {
  if (!existsSync(NEWEST)) throw new Error(`there is no ${NEWEST}/; take it with --compare`)
  rmSync(ACCEPTED, { recursive: true, force: true })
  renameSync(NEWEST, ACCEPTED)
  console.log(`done: what was in ${NEWEST}/ is in ${ACCEPTED}/`)
  process.exit(0)
}

if (isOfTests) {
  const files = (names.length > 0 ? names : TESTS).map(name => `tests/e2e/${name}.spec.ts`)
  const env = { ...process.env, FW_PICTURES: `${FOLDER}/tests` }
  process.exit(spawnSync('npx', ['playwright', 'test', ...files], { stdio: 'inherit', env }).status ?? 1)
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
if (isForDocs) {
  mkdirSync(PICTURES, { recursive: true })
  for (const [component, state] of Object.entries(SHOWN))
    copyFileSync(`${FOLDER}/${state}.light.1280.png`, `${PICTURES}/${component}.png`)
}
const differences = isComparing
  ? compareScreenshots(ACCEPTED, NEWEST).filter(({ kind }) => names.length === 0 || kind !== 'gone')
  : []
for (const { name, kind, part } of differences)
  console.log(`${kind.padEnd(8)}${name}${kind === 'changed' ? ` (${(part * 100).toFixed(2)} %)` : ''}`)
if (isComparing) console.log(`${differences.length} look otherwise: ${NEWEST}/differences.html`)
process.exit(failures + differences.length === 0 ? 0 : 1)

async function takeAll(states, storageState) {
  const isWanted = ({ name }) =>
    names.length === 0 || names.some(each => (isForDocs ? name === each : name.startsWith(each)))
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
