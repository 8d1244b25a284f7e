import type { Page } from '@playwright/test'
import { EMBED_PATH } from '#fairway/shared/paths'
import { expectNothingCutOff, expectNoViolationsInBothColours } from '../support/accessibility'
import { expect, test } from '../support/e2e'
import { invitationPath } from '../support/mail'
import { AUTHORIZE, authorizeQuery, registeredClient } from '../support/oauth-host'
import { moveTo, pageHeading, runAction } from '../support/people'
import type { TestServer } from '../support/server'
import { createTeamWorld, PASSWORD } from '../support/team'

type Reach = (page: Page, server: TestServer) => Promise<unknown>

interface Walk {
  title: string
  /** Whether the person is signed in, has two notes, or is an operator with two members in the organization. */
  as: 'visitor' | 'newcomer' | 'author' | 'operator'
  isNarrow?: boolean
  /** The states in order, each with the step that reaches it from the previous one. */
  states: [name: string, reach: Reach][]
}

test.use({ serverEnv: { FW_OPERATORS: 'ada@example.test' }, actionTimeout: 30_000 })
// A walk has twenty states.
test.describe.configure({ timeout: 300_000 })

const opened = '[role=dialog], [role=alertdialog], [role=menu], [role=listbox]'

/** Closes what is open above the page. */
async function close(page: Page): Promise<void> {
  await expect(async () => {
    if ((await page.locator(opened).count()) > 0) await page.keyboard.press('Escape')
    await expect(page.locator(opened)).toHaveCount(0, { timeout: 500 })
  }).toPass()
}

const press = (name: string | RegExp) => (page: Page) => page.getByRole('button', { name, exact: true }).first().click()

/** Closes what is open and presses a button that opens a dialog. */
const ask = (name: string | RegExp) => async (page: Page) => {
  await close(page)
  await press(name)(page)
  await page.getByRole('dialog').waitFor()
}

/** Moves to a page that shows this text outside its list of sections. */
const to = (path: string, text: string | RegExp) => async (page: Page) => {
  await close(page)
  await moveTo(page, path)
  const shown = page.locator('main :not(nav, nav *, :has(nav))')
  await shown.filter({ hasText: text, visible: true }).first().waitFor()
}

/** Loads a document that shows this heading. */
const load = (path: string, heading: string | RegExp) => async (page: Page) => {
  await page.goto(path)
  await page.getByRole('heading', { name: heading }).first().waitFor()
}

/** Moves to a page whose requests to these addresses fail, or are never answered. */
const failing = (path: string, pattern: string | RegExp, text?: string) => async (page: Page) => {
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await page.route(pattern, route => (text ? undefined : route.fulfill({ status: 500, body: 'down' })))
  await moveTo(page, path)
  await (text ? page.getByText(text).first().waitFor({ state: 'attached' }) : page.getByRole('alert').waitFor())
}

const hasActivity = (page: Page) => page.getByText('Ada created Second').waitFor()

const walks: Walk[] = [
  {
    title: 'the application without content',
    as: 'newcomer',
    states: [
      [
        'Home on a fresh database',
        async page => {
          await page.getByText('0 of 3 done').waitFor()
          await page.getByText('No activity yet').waitFor()
        },
      ],
      ['the account menu', press(/^Account Ada/)],
      ['Notes without notes', to('/notes', 'No notes yet')],
      ['the archive', to('/notes?view=archived', 'The archive is empty')],
      ['a note that is not there', to('/notes/nowhere', 'This note is not available')],
      ['Settings', to('/settings', 'Email address')],
      [
        'Settings with a name to edit',
        async page => {
          await press('Edit name')(page)
          await page.getByRole('button', { name: 'Save name' }).waitFor()
        },
      ],
      ['Security', to('/settings/security', 'Devices')],
      [
        'Settings with a refused password',
        async page => {
          await press('Change password')(page)
          await page.getByLabel('Current password').fill('not my password')
          await page.getByLabel('New password').fill('a slow river under stone 7')
          await press('Save password')(page)
          await page.getByText('This is not your current password.').waitFor()
        },
      ],
      ['connected apps', to('/settings/apps', 'No connected apps yet.')],
      ['a new token', ask('Create a token')],
      ['the appearance', to('/settings/appearance', 'Dark')],
      ['the data', to('/settings/data', 'Export data')],
      [
        'the end of an account',
        async page => {
          await press('Delete account…')(page)
          await page.getByRole('heading', { name: 'Will be deleted' }).waitFor()
        },
      ],
      ['hosts', to('/connect', 'In a terminal')],
      ['integrations', to('/connections', 'Open the vault')],
      ['the pages of an operator', to('/operator', 'Only operators can open this page')],
      [
        'the folded sidebar',
        async page => {
          await moveTo(page, '/')
          await press('Collapse sidebar')(page)
        },
      ],
      [
        'the palette',
        async page => {
          await page.keyboard.press('ControlOrMeta+k')
          await page.getByRole('option', { name: 'Create a note' }).waitFor()
        },
      ],
      [
        'an action with its result',
        async page => {
          await page.getByRole('option', { name: 'Create a note' }).click()
          await page.getByRole('textbox', { name: 'title' }).fill('Third')
          await press('Create a note')(page)
          await page.getByRole('region', { name: 'Result' }).waitFor()
        },
      ],
      [
        'the note editor without a title',
        async page => {
          await close(page)
          await moveTo(page, '/notes')
          await page.getByRole('link', { name: 'New note' }).click()
          await page.getByRole('textbox', { name: 'Text' }).fill('- [x] a **task**')
          await page.getByRole('textbox', { name: 'Text' }).blur()
          await expect(page.getByRole('textbox', { name: 'Title' })).toHaveAttribute('aria-invalid', 'true')
        },
      ],
      [
        'offline',
        async page => {
          await page.context().setOffline(true)
          await page.getByText('You’re offline.').waitFor()
        },
      ],
    ],
  },
  {
    title: 'notes, their actions and the audit log',
    as: 'author',
    states: [
      ['Home', hasActivity],
      ['the audit log', to('/audit', 'Ada created Second')],
      ['the details of an entry', ask('Show details: Ada created Second')],
      ['a range of days', to('/audit?range=custom&from=2026-01-01', 'Ada created Second')],
      ['an audit log without a match', to('/audit?outcome=denied', 'No entries match these filters')],
      [
        'the tools',
        async page => {
          await close(page)
          await moveTo(page, '/tools')
          await page.getByRole('link', { name: /create-note/ }).waitFor()
        },
      ],
      ['an action', to('/tools/delete-note', 'Deletes')],
      [
        'its form with a row to choose',
        async page => {
          await press('Try delete-note')(page)
          await page.getByRole('combobox', { name: 'Note' }).click()
          await page.getByRole('option', { name: /First/ }).waitFor()
        },
      ],
      [
        'the question before it is run',
        async page => {
          await page.getByRole('option', { name: /First/ }).click()
          await press('Delete a note')(page)
          await page.getByRole('dialog').waitFor()
        },
      ],
      ['Notes', to('/notes', 'First')],
      [
        'the selected notes',
        async page => {
          await page.getByRole('checkbox', { name: 'Select “First”' }).click()
          await page.getByRole('region', { name: 'Selected notes' }).waitFor()
        },
      ],
      [
        'the owner of the notes',
        async page => {
          await page.getByRole('button', { name: 'Owner' }).click()
          await page.getByRole('combobox', { name: 'Owner of the notes' }).waitFor()
        },
      ],
      [
        'the question before deleting',
        async page => {
          await page.getByRole('button', { name: 'More actions for “Second”' }).click()
          await page.getByRole('menuitem', { name: 'Delete' }).click()
          await page.getByRole('dialog').waitFor()
        },
      ],
      [
        'the toast with undo',
        async page => {
          await close(page)
          await press('Archive “Second”')(page)
          await page.getByRole('button', { name: 'Undo' }).waitFor()
        },
      ],
      [
        'Notes with nothing found',
        async page => {
          await page.getByRole('searchbox').fill('zebra')
          await page.getByText('No results for “zebra”').waitFor()
        },
      ],
      [
        'a note',
        async page => {
          await page.getByRole('searchbox').fill('')
          await page.getByRole('link', { name: 'First', exact: true }).click()
          await page.getByText('A text').waitFor()
        },
      ],
      [
        'sharing a note',
        async page => {
          await press('Share')(page)
          await page.getByRole('dialog').getByText('Not shared with anyone yet.').waitFor()
        },
      ],
    ],
  },
  {
    title: 'the sections of a team',
    as: 'operator',
    states: [
      ['the members', to('/team', '3 members')],
      ['a role to choose', press(/^Role of Grace/)],
      [
        'the selected members',
        async page => {
          await close(page)
          await page.getByRole('checkbox', { name: 'Select all on this page' }).click()
          await page.getByText('2 selected').waitFor()
        },
      ],
      ['another role', ask('Change role')],
      ['the question before removing', ask('Remove')],
      ['an invitation', to('/team/invitations', 'ken@example.test')],
      ['its menu', press('Actions for ken@example.test')],
      ['roles', to('/team/roles', 'Roles in the organization')],
      ['a role to assign', ask('Assign role')],
      ['sign-in', to('/team/sign-in', 'Allowed domain')],
      ['the vault', to('/team/vault', 'Add a credential')],
      ['a credential', ask('Add a credential')],
      ['apps of the team', to('/team/apps', 'Connected apps')],
      ['no webhooks', to('/team/webhooks', 'No webhooks yet')],
      [
        'a refused webhook',
        async page => {
          await ask('Add webhook')(page)
          const form = page.getByRole('dialog')
          await form.getByLabel('URL').fill('http://example.com/hook')
          await form.getByRole('button', { name: 'Add webhook' }).click()
          await form.getByText('Use an https address without a port.').waitFor()
        },
      ],
      ['the organization', to('/team/general', 'About this organization')],
      ['the danger zone', to('/team/danger', 'Transfer ownership')],
      ['the transfer before leaving', ask('Choose a new owner')],
      ['the transfer of ownership', ask('Transfer')],
      ['the question before deleting', ask('Delete')],
    ],
  },
  {
    title: 'the pages of an operator',
    as: 'operator',
    states: [
      ['Settings', to('/settings', 'Email address')],
      ['another address', ask('Change address…')],
      ['people', to('/operator', 'Grace')],
      ['a person', press('Open grace@example.test')],
      [
        'the question before suspending',
        async page => {
          await press('Suspend')(page)
          await page.getByRole('dialog', { name: /^Suspend/ }).waitFor()
        },
      ],
      [
        'a suspended person',
        async page => {
          const question = page.getByRole('dialog', { name: /^Suspend/ })
          await question.getByLabel('Reason').fill('An unpaid bill')
          await question.getByRole('button', { name: 'Suspend' }).click()
          await page.getByText('The account is suspended.').first().waitFor()
        },
      ],
      ['organizations', to('/operator/organizations', 'In use')],
      ['an organization', press(/^Open Ada/)],
      ['jobs', to('/operator/jobs', 'Background jobs')],
      ['emails', to('/operator/mails', 'No waiting emails')],
      ['deliveries', to('/operator/deliveries', 'No matching deliveries')],
      ['health', to('/operator/health', 'Version')],
      ['settings', to('/operator/settings', 'FW_OPERATORS')],
      ['security events', to('/security', 'Webhooks of the installation')],
      [
        'the banner of an operator who views as a person',
        async page => {
          await to('/operator', 'Edsger')(page)
          await press('Open edsger@example.test')(page)
          await press('View as')(page)
          const question = page.getByRole('dialog', { name: /^View as/ })
          await question.getByLabel('Reason').fill('Ticket 4711')
          await question.getByRole('button', { name: 'View as' }).click()
          await page.getByRole('complementary', { name: 'View as' }).waitFor()
        },
      ],
      [
        'the sign-in of a suspended person',
        async page => {
          await press('Stop viewing')(page)
          await page.waitForURL('**/operator')
          await page.context().clearCookies()
          await page.goto('/sign-in#sign-in')
          await signInAs(page, 'grace@example.test')
          await page.getByText('An unpaid bill').waitFor()
        },
      ],
    ],
  },
  {
    title: 'pages that load or fail',
    as: 'newcomer',
    states: [
      ['Tools loading', failing('/tools', '**/_fw/mcp/catalog', 'Loading the tools')],
      ['Notes that fail', failing('/notes', /\/note-list(\?|$)/)],
      ['Home that fails', failing('/', '**/_fw/actions/**')],
      ['an audit log that fails', failing('/audit', '**/_fw/org/audit?**')],
      ['an end that cannot be looked up', failing('/settings/data', '**/_fw/account')],
      [
        'an embed page that fails',
        async page => {
          const json = { data: { path: '/embed/notes' }, headers: { origin: new URL(page.url()).origin } }
          const { url } = await (await page.request.post(`${EMBED_PATH}/tickets`, json)).json()
          await page.unrouteAll({ behavior: 'ignoreErrors' })
          await page.route('**/_fw/actions/list-notes', route => route.fulfill({ status: 503, body: 'proxy' }))
          await page.goto(url)
          await page.getByRole('alert').waitFor()
        },
      ],
      [
        'Notes loading',
        async page => {
          await page.unrouteAll({ behavior: 'ignoreErrors' })
          await page.route(/\/note-list(\?|$)/, () => undefined)
          await page.goto('/notes')
          await page.locator('[aria-busy=true]').first().waitFor()
        },
      ],
      [
        'a server that cannot be reached',
        async page => {
          await page.route('**/_fw/session', route => route.fulfill({ status: 503, body: 'down' }))
          await load('/notes', 'Could not reach the server')(page)
        },
      ],
      [
        'the loading gate',
        async page => {
          await page.unrouteAll({ behavior: 'ignoreErrors' })
          await page.route('**/_fw/session', () => undefined)
          await page.goto('/')
          await page.locator('main[aria-busy]').waitFor()
        },
      ],
    ],
  },
  {
    title: 'the application on a telephone',
    as: 'operator',
    isNarrow: true,
    states: [
      ['Home on a telephone', hasActivity],
      ['the audit log on a telephone', to('/audit', 'Ada created Second')],
      ['Notes on a telephone', to('/notes', 'Second')],
      [
        'the drawer',
        async page => {
          await press('Open the menu')(page)
          await page.getByRole('dialog').waitFor()
        },
      ],
      ['Settings on a telephone', to('/settings', 'Email address')],
      ['Security on a telephone', to('/settings/security', 'Devices')],
      ['Team on a telephone', to('/team', '3 members')],
      [
        'the invitation dialog with addresses that are none',
        async page => {
          await press('Invite people')(page)
          await page.getByRole('textbox', { name: 'Email addresses' }).fill('ken@example.test, nobody ')
          await page.getByRole('button', { name: 'Remove nobody' }).waitFor()
        },
      ],
      [
        'no pending invitations',
        async page => {
          await to('/team/invitations', 'ken@example.test')(page)
          await press('Actions for ken@example.test')(page)
          await page.getByRole('menuitem', { name: 'Revoke' }).click()
          await page.getByText('No pending invitations').waitFor()
        },
      ],
      ['people on a telephone', to('/operator', 'grace@example.test')],
      ['security events on a telephone', to('/security', 'Webhooks of the installation')],
    ],
  },
  {
    title: 'the sign-in, invitation, consent and error pages',
    as: 'visitor',
    states: [
      ['About', load('/about', /./)],
      ['an embed page without a ticket', load('/embed/notes', 'Nothing to show here')],
      ['the sign-in page', load('/sign-in', 'Sign in')],
      ['the form of a new account', page => page.getByRole('link', { name: 'Create account' }).click()],
      [
        'a refused sign-in',
        async page => {
          await page.goto('/sign-in#sign-in')
          await signInAs(page, 'ada@example.test', 'not her password')
          await page.getByRole('alert').waitFor()
        },
      ],
      [
        'an invitation',
        async (page, server) => {
          await prepare(server, 'operator')
          await page.goto(invitationPath(server.dataDir, 'ken@example.test'))
          await page.waitForURL('**/sign-in?**')
        },
      ],
      [
        'an invitation for another person',
        async (page, { dataDir }) => {
          await page.goto('/sign-in#sign-in')
          await signInAs(page, 'ada@example.test')
          await pageHeading(page).waitFor()
          await load(invitationPath(dataDir, 'ken@example.test'), 'This invitation is for ken@example.test')(page)
        },
      ],
      ['an unknown invitation', load('/invitation?id=unknown&token=unknown', 'There is no invitation at this link')],
      [
        'consent',
        async (page, { origin }) => {
          const client = await registeredClient(origin)
          const scope = 'mcp:read mcp:write mcp:apps offline_access'
          await load(AUTHORIZE + authorizeQuery(client, { scope }), 'Connect Test host?')(page)
        },
      ],
      ['a host that cannot be connected', load(AUTHORIZE + authorizeQuery('unknown'), 'This app cannot be connected')],
      ['a page that does not exist', load('/nowhere', /There is no page/)],
    ],
  },
]

/** Signs in on the sign-in page. */
async function signInAs(page: Page, email: string, password = PASSWORD): Promise<void> {
  const form = page.locator('#sign-in')
  await form.getByLabel('Email address').fill(email)
  await form.getByLabel('Password', { exact: true }).fill(password)
  await form.getByRole('button', { name: /^Sign in/ }).click()
}

/** Creates Ada's account; with two members and a pending invitation for an operator. */
async function prepare(server: TestServer, as: Walk['as']): Promise<void> {
  const world = createTeamWorld(server)
  const ada = await world.person({ email: 'ada@example.test', name: 'Ada', verified: as === 'operator' })
  if (as !== 'operator') return
  for (const name of ['Grace', 'Edsger'])
    await world.join(ada, 'member', await world.person({ name, email: `${name.toLowerCase()}@example.test` }))
  await ada.browser.post('/_fw/org/invitations', { json: { email: 'ken@example.test' } })
}

for (const { title, as, isNarrow, states } of walks)
  test(`${title} have no accessibility violation`, async ({ page, origin, server }) => {
    if (isNarrow) await page.setViewportSize({ width: 375, height: 800 })
    if (as !== 'visitor') {
      await prepare(server, as)
      const data = { email: 'ada@example.test', password: PASSWORD }
      const answer = await page.request.post('/_fw/auth/sign-in/email', { data, headers: { origin } })
      expect(answer.status()).toBe(200)
      if (as === 'author' || isNarrow) {
        await runAction(page, origin, 'create-note', { title: 'First', text: 'A text' })
        await runAction(page, origin, 'create-note', { title: 'Second' })
      }
      await page.goto('/')
      await pageHeading(page).waitFor()
    }
    for (const [name, reach] of states)
      await test.step(name, async () => {
        await reach(page, server)
        await expectNoViolationsInBothColours(page)
        if (isNarrow) return expectNothingCutOff(page)
        // Pages are measured in narrow.spec.ts.
        if ((await page.getByRole('dialog').count()) === 0) return
        await expectNothingCutOff(page, { width: 640, height: 400 })
        await page.setViewportSize({ width: 1280, height: 720 })
      })
  })
