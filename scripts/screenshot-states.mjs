// The pages, states and dialogs of `npm run screenshots`, each with the steps that lead to it.
import { answer, button, fill, inOrder as then, press, seen, stall, text } from './screenshot-steps.mjs'
import { agentStates } from './screenshot-agents.mjs'
import { notesStates } from './screenshot-notes.mjs'
import { operatorStates } from './screenshot-operator.mjs'
import { teamStates } from './screenshot-team.mjs'
import { tools } from './screenshot-tools.mjs'

const SESSION = '**/_fw/session'
const ACTIONS = '**/_fw/actions/**'
const NOTES = /\/note-list(\?|$)/
const AUDIT = '**/_fw/org/audit?**'
const ACTIVITY = '**/_fw/activity?**'
const CHECKLIST = '**/_fw/org/checklist'

/** The session of a person with the member role. */
const asMember = page =>
  page.route(SESSION, async route => {
    const answer = await route.fetch()
    const { session } = await answer.json()
    await route.fulfill({ response: answer, json: { session: { ...session, orgRole: 'member' } } })
  })

/** One open invitation. */
const isInvited = page =>
  page.route('**/_fw/org', async route => {
    const answer = await route.fetch()
    const expiresAt = new Date(Date.now() + 6 * 24 * 3600 * 1000).toISOString()
    const invitations = [{ id: 'x', orgName: 'Harbour Works', role: 'member', invitedBy: 'Maria Ortiz', expiresAt }]
    await route.fulfill({ response: answer, json: { ...(await answer.json()), invitations } })
  })

/** Events of the installation, on more than one page. */
const hasEvents = page =>
  page.route(/_fw\/security-events/, route => {
    const nobody = { userId: null, orgId: null, requestId: null, subject: null }
    const person = { id: 'ada', name: 'Ada Ortiz', email: 'ada@example.test', image: null }
    const ada = { ...nobody, person, email: 'ada@example.test', device: 'Firefox on Linux', clientAddress: '192.0.2.0' }
    const at = number => new Date(Date.now() - number * 47 * 60_000).toISOString()
    const event = (number, kind, outcome, reason = '') => ({
      ...ada,
      id: `e${number}`,
      at: at(number),
      kind,
      outcome,
      reason,
    })
    const events = [
      event(1, 'sign-in-failed', 'failed', 'password'),
      event(2, 'sign-in-blocked', 'blocked', 'rate-limited'),
      event(3, 'password-changed', 'done'),
    ]
    return route.fulfill({ json: { events, totalItems: 33 } })
  })

/** The object that a desktop application exposes to its pages. */
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

/** The states before there is a note, and after. */
export const fresh = [
  { name: 'home-fresh', path: '/', reach: text('No activity yet') },
  { name: 'notes-empty', path: '/notes', reach: text('No notes yet') },
  { name: 'archive-empty', path: '/notes?view=archived', reach: text('The archive is empty') },
]
export const filled = [
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
  { name: 'notes-loading', path: '/notes', prepare: stall(NOTES), reach: text('Your notes and notes') },
  { name: 'notes-failed', path: '/notes', prepare: answer(NOTES, 500), reach: text('could not be loaded') },
  {
    name: 'notes-not-found',
    path: '/notes',
    reach: then(page => page.getByRole('searchbox').fill('zebra'), text('No results for')),
  },
  ...notesStates({ button, text, steps: then, answer }),
  {
    name: 'notes-offline',
    path: '/notes',
    reach: then(page => page.context().setOffline(true), text('You’re offline.')),
  },
  { name: 'settings', path: '/settings', isWhole: true },
  {
    name: 'settings-failed',
    path: '/settings',
    prepare: answer('**/_fw/account/address', 500),
    reach: text('address could not be loaded'),
  },
  { name: 'settings-security', path: '/settings/security', reach: text('Recent activity'), isWhole: true },
  { name: 'settings-apps', path: '/settings/apps', reach: text('No connected apps yet'), isWhole: true },
  { name: 'settings-appearance', path: '/settings/appearance', reach: text('Dark') },
  { name: 'settings-data', path: '/settings/data', reach: text('Export data') },
  {
    name: 'settings-data-failed',
    path: '/settings/data',
    prepare: then(answer('**/_fw/account', 500), answer('**/_fw/account/export', 500)),
    reach: then(button('Export data'), text('could not be exported')),
  },
  {
    name: 'account-delete-refused',
    path: '/settings/data',
    reach: text('It cannot be deleted'),
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
  { name: 'security-events', path: '/security', prepare: hasEvents, reach: text('Ada Ortiz'), isWhole: true },
  { name: 'security-none', path: '/security?outcome=blocked', reach: text('No matching events') },
  {
    name: 'settings-arabic',
    path: '/settings/appearance',
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
  { name: 'connect', path: '/connect', reach: text('Server address'), isWhole: true },
  { name: 'connected-apps', path: '/settings/apps', reach: text('No connected apps yet') },
  ...teamStates({ button, text, inOrder: then, answer, stall }),
  { name: 'invitation-banner', path: '/', least: 1024, prepare: isInvited, reach: text('Harbour Works') },
  {
    name: 'switcher',
    path: '/',
    least: 900,
    reach: then(button(/^Organization /), page => page.getByRole('menu').waitFor()),
  },
  ...tools,
  ...operatorStates,
  ...agentStates,
  { name: 'account-menu', path: '/', least: 900, reach: button(/^Account/) },
  { name: 'sidebar-folded', path: '/', least: 900, reach: button('Collapse sidebar') },
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
    reach: then(button(/^Archive “Quest/), text('was archived')),
    leave: then(button('Undo'), text('was restored')),
  },
]
export const signedOut = [
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
  { name: 'sign-up', path: '/sign-in', reach: page => page.getByRole('link', { name: 'Create account' }).click() },
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
