import type { Page } from '@playwright/test'
import { expectNoViolationsInBothColours } from '../support/accessibility'
import { expect, test } from '../support/e2e'
import { pageHeading, runAction, signUp } from '../support/people'

interface Walk {
  path: string
  /** What makes the first state before the page is opened. */
  prepare?: (page: Page) => Promise<unknown>
  /** Whether the person has notes. */
  hasNotes?: boolean
  isNarrow?: boolean
  /** The states in their order, each with what leads to it from the one before. */
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
      ['Home on a fresh database', page => page.getByText('Three things to do next').waitFor()],
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
  { path: '/', hasNotes: true, states: [['Home', page => page.getByText('Latest notes').waitFor()]] },
  { path: '/', prepare: failWith(500), states: [['Home that fails', page => page.getByRole('alert').waitFor()]] },
  {
    path: '/notes',
    hasNotes: true,
    states: [
      ['Notes', page => page.getByRole('row').nth(2).waitFor()],
      ['the question before deleting', page => page.getByRole('button', { name: 'Delete “Second”' }).click()],
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
          await page.getByText('Nothing found for “zebra”').waitFor()
        },
      ],
    ],
  },
  {
    path: '/notes',
    states: [
      ['Notes without notes', page => page.getByText('No notes yet').waitFor()],
      [
        'the note editor with a refused title',
        async page => {
          await page.getByRole('button', { name: 'New note' }).click()
          await page.getByRole('button', { name: 'Create note' }).click()
          await expect(page.getByRole('textbox', { name: 'Title' })).toHaveAttribute('aria-invalid', 'true')
        },
      ],
      [
        'offline',
        async page => {
          await page.keyboard.press('Escape')
          await page.context().setOffline(true)
          await page.getByText('You are offline.').waitFor()
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
    states: [['Settings', page => page.getByRole('button', { name: 'Change address…' }).waitFor()]],
  },
  {
    path: '/settings/security',
    states: [
      [
        'Settings with a refused password',
        async page => {
          await page.getByLabel('Current password').fill('not my password')
          await page.getByLabel('New password').fill('a slow river under stone 7')
          await page.getByRole('button', { name: 'Change password' }).click()
          await page.getByText('This is not your current password.').waitFor()
        },
      ],
    ],
  },
  {
    path: '/settings/apps',
    states: [['connected apps', page => page.getByText('Nothing is connected.').waitFor()]],
  },
  {
    path: '/settings/appearance',
    states: [['the appearance', page => page.getByRole('radio', { name: 'Dark' }).waitFor()]],
  },
  {
    path: '/settings/data',
    states: [
      ['the data', page => page.getByRole('button', { name: 'Export as a file' }).waitFor()],
      [
        'the end of an account',
        async page => {
          await page.getByRole('button', { name: 'Delete account…' }).click()
          await page.getByText('What is deleted').waitFor()
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
  await page.getByRole('link', { name: 'Create an account' }).click()
  await expectNoViolationsInBothColours(page)
})

test('the loading gate has no accessibility violation', async ({ page }) => {
  await page.route('**/_fw/session', () => undefined)
  await page.goto('/')
  await page.locator('main[aria-busy]').waitFor()
  await expectNoViolationsInBothColours(page)
})
