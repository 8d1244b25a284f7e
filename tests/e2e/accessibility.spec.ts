import type { Page } from '@playwright/test'
import { expectNoViolationsInBothColours } from '../support/accessibility'
import { expect, test } from '../support/e2e'
import { pageHeading, runAction, signUp } from '../support/people'

interface Walk {
  path: string
  /** Prepares the first state before the page opens. */
  prepare?: (page: Page) => Promise<unknown>
  /** Whether the person has notes. */
  hasNotes?: boolean
  isNarrow?: boolean
  /** The states in order, each with the step that reaches it from the previous one. */
  states: [name: string, reach: (page: Page) => Promise<unknown>][]
}

const ACTIONS = '**/_fw/actions/**'
const NOTES = /\/note-list(\?|$)/
const failWith =
  (status: number, pattern: string | RegExp = ACTIONS) =>
  (page: Page) =>
    page.route(pattern, route => route.fulfill({ status, body: 'down' }))
const openPalette = async (page: Page) => {
  await page.keyboard.press('ControlOrMeta+k')
  await page.getByRole('option', { name: /create-note/ }).waitFor()
}

const walks: Walk[] = [
  {
    path: '/',
    states: [
      [
        'Home on a fresh database',
        async page => {
          await page.getByText('0 of 3 done').waitFor()
          await page.getByText('No activity yet').waitFor()
        },
      ],
      ['the account menu', page => page.getByRole('button', { name: /^Account Ada/ }).click()],
      [
        'the folded sidebar',
        async page => {
          await page.keyboard.press('Escape')
          await page.getByRole('button', { name: 'Fold the sidebar' }).click()
        },
      ],
      ['the palette', openPalette],
      [
        'an action with its result',
        async page => {
          await page.getByRole('option', { name: /create-note/ }).click()
          await page.getByRole('textbox', { name: 'title' }).fill('Third')
          await page.getByRole('button', { name: 'Run create-note' }).click()
          await page.getByRole('region', { name: 'Result' }).waitFor()
        },
      ],
    ],
  },
  { path: '/', hasNotes: true, states: [['Home', page => page.getByText('Ada created Second').waitFor()]] },
  {
    path: '/',
    hasNotes: true,
    isNarrow: true,
    states: [['Home on a telephone', page => page.getByText('Ada created Second').waitFor()]],
  },
  {
    path: '/audit',
    hasNotes: true,
    states: [
      ['the audit log', page => page.getByText('Ada created Second').waitFor()],
      [
        'the details of an entry',
        page => page.getByRole('button', { name: 'Show details: Ada created Second' }).click(),
      ],
      ['a range of days', page => page.goto('/audit?range=custom&from=2026-01-01')],
      ['an audit log without a match', page => page.goto('/audit?outcome=denied')],
    ],
  },
  {
    path: '/audit',
    hasNotes: true,
    isNarrow: true,
    states: [['the audit log on a telephone', page => page.getByText('Ada created Second').waitFor()]],
  },
  {
    path: '/audit',
    prepare: failWith(500, '**/_fw/org/audit?**'),
    states: [['an audit log that fails', page => page.getByRole('alert').waitFor()]],
  },
  { path: '/', prepare: failWith(500), states: [['Home that fails', page => page.getByRole('alert').waitFor()]] },
  {
    path: '/notes',
    hasNotes: true,
    states: [
      ['Notes', page => page.getByRole('row').nth(2).waitFor()],
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
          await page.keyboard.press('Escape')
          await page.getByRole('button', { name: 'Archive “Second”' }).click()
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
    ],
  },
  {
    path: '/notes',
    states: [
      ['Notes without notes', page => page.getByText('No notes yet').waitFor()],
      [
        'the note editor without a title',
        async page => {
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
    path: '/notes',
    prepare: page => page.route(NOTES, () => undefined),
    states: [['Notes loading', page => page.locator('[aria-busy=true]').first().waitFor()]],
  },
  {
    path: '/notes',
    prepare: failWith(500, NOTES),
    states: [['Notes that fail', page => page.getByRole('alert').waitFor()]],
  },
  {
    path: '/notes/nowhere',
    states: [['a note that is not there', page => page.getByText('This note is not available').waitFor()]],
  },
  {
    path: '/notes',
    hasNotes: true,
    states: [
      [
        'a note',
        async page => {
          await page.getByRole('link', { name: 'First', exact: true }).click()
          await page.getByText('A text').waitFor()
        },
      ],
      [
        'sharing a note',
        async page => {
          await page.getByRole('button', { name: 'Share', exact: true }).click()
          await page.getByRole('dialog').getByText('Not shared with anyone yet.').waitFor()
        },
      ],
    ],
  },
  {
    path: '/notes?view=archived',
    states: [['the archive', page => page.getByText('The archive is empty').waitFor()]],
  },
  {
    path: '/notes',
    prepare: page => page.route('**/_fw/session', route => route.fulfill({ status: 503, body: 'down' })),
    states: [['a server that cannot be reached', page => page.getByText('Could not reach the server').waitFor()]],
  },
  {
    path: '/settings',
    states: [
      [
        'Settings',
        async page => {
          await page.getByRole('button', { name: 'Edit name' }).click()
          await page.getByRole('button', { name: 'Save name' }).waitFor()
        },
      ],
    ],
  },
  {
    path: '/settings/security',
    states: [
      [
        'Settings with a refused password',
        async page => {
          await page.getByRole('button', { name: 'Change password' }).click()
          await page.getByLabel('Current password').fill('not my password')
          await page.getByLabel('New password').fill('a slow river under stone 7')
          await page.getByRole('button', { name: 'Save password' }).click()
          await page.getByText('This is not your current password.').waitFor()
        },
      ],
    ],
  },
  {
    path: '/settings/apps',
    states: [['connected apps', page => page.getByText('No connected apps yet.').waitFor()]],
  },
  {
    path: '/settings/appearance',
    states: [['the appearance', page => page.getByRole('radio', { name: 'Dark' }).waitFor()]],
  },
  {
    path: '/settings/data',
    states: [
      ['the data', page => page.getByRole('button', { name: 'Export data' }).waitFor()],
      [
        'the end of an account',
        async page => {
          await page.getByRole('button', { name: 'Delete account…' }).click()
          await page.getByRole('heading', { name: 'Will be deleted' }).waitFor()
        },
      ],
    ],
  },
  {
    path: '/settings/data',
    prepare: failWith(500, '**/_fw/account'),
    states: [['an end that cannot be looked up', page => page.getByRole('alert').waitFor()]],
  },
  {
    path: '/notes',
    hasNotes: true,
    isNarrow: true,
    states: [
      ['Notes on a telephone', page => page.getByRole('article').first().waitFor()],
      [
        'the drawer',
        async page => {
          await page.getByRole('button', { name: 'Open the menu' }).click()
          await page.getByRole('dialog').waitFor()
        },
      ],
    ],
  },
  {
    path: '/tools/delete-note',
    hasNotes: true,
    states: [
      ['an action', page => page.getByRole('button', { name: 'Try delete-note' }).waitFor()],
      [
        'its form with a row to choose',
        async page => {
          await page.getByRole('button', { name: 'Try delete-note' }).click()
          await page.getByRole('combobox', { name: 'Id' }).click()
          await page.getByRole('option', { name: /First/ }).waitFor()
        },
      ],
      [
        'the question before it is run',
        async page => {
          await page.getByRole('option', { name: /First/ }).click()
          await page.getByRole('button', { name: 'Run delete-note' }).click()
          await page.getByRole('dialog').waitFor()
        },
      ],
    ],
  },
  {
    path: '/team',
    isNarrow: true,
    states: [
      ['Team on a telephone', page => page.getByRole('heading', { name: '1 member' }).waitFor()],
      [
        'the invitation dialog with addresses that are none',
        async page => {
          await page.getByRole('button', { name: 'Invite people' }).click()
          await page.getByRole('textbox', { name: 'Email addresses' }).fill('grace@example.test, nobody ')
          await page.getByRole('button', { name: 'Remove nobody' }).waitFor()
        },
      ],
      ['no pending invitations', page => page.goto('/team/invitations')],
    ],
  },
  {
    path: '/team/danger',
    states: [
      ['the danger zone', page => page.getByRole('heading', { name: 'Danger zone' }).waitFor()],
      ['the question before leaving', page => page.getByRole('button', { name: 'Leave', exact: true }).click()],
      [
        'the transfer of ownership',
        async page => {
          await page.keyboard.press('Escape')
          await page.getByRole('button', { name: 'Transfer', exact: true }).click()
        },
      ],
      [
        'the question before deleting',
        async page => {
          await page.keyboard.press('Escape')
          await page.getByRole('button', { name: 'Delete', exact: true }).click()
        },
      ],
    ],
  },
  {
    path: '/tools',
    prepare: page => page.route('**/_fw/mcp/catalog', () => undefined),
    states: [['Tools loading', page => page.getByText('Loading the tools').waitFor({ state: 'attached' })]],
  },
  {
    path: '/nowhere',
    states: [
      ['a page that does not exist', page => page.getByText('There is no page').waitFor()],
      ['About', page => page.goto('/about')],
    ],
  },
]

for (const { path, prepare, hasNotes, isNarrow, states } of walks) {
  const [first = '', ...others] = states.map(([name]) => name)
  const title = others.length > 0 ? `${first}, ${others.join(', ')} have` : `${first} has`
  test(`${title} no accessibility violation`, async ({ page, origin }) => {
    if (isNarrow) await page.setViewportSize({ width: 375, height: 800 })
    await signUp(page, origin)
    if (hasNotes) {
      await runAction(page, origin, 'create-note', { title: 'First', text: 'A text' })
      await runAction(page, origin, 'create-note', { title: 'Second' })
    }
    await prepare?.(page)
    await page.goto(path)
    await pageHeading(page).waitFor()
    for (const [name, reach] of states) {
      await test.step(name, async () => {
        await reach(page)
        await expectNoViolationsInBothColours(page)
      })
    }
  })
}

test('the sign-in page has no accessibility violation', async ({ page }) => {
  await page.goto('/sign-in')
  await expectNoViolationsInBothColours(page)
  await page.getByRole('link', { name: 'Create account' }).click()
  await expectNoViolationsInBothColours(page)
})

test('the loading gate has no accessibility violation', async ({ page }) => {
  await page.route('**/_fw/session', () => undefined)
  await page.goto('/')
  await page.locator('main[aria-busy]').waitFor()
  await expectNoViolationsInBothColours(page)
})
