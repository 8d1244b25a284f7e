import type { Page } from '@playwright/test'
import { expectNoViolationsInBothColours } from '../support/accessibility'
import { expect, test } from '../support/e2e'
import { pageHeading, runAction, signUp } from '../support/people'

interface State {
  name: string
  path: string
  /** Leads from the opened page to the state. */
  reach?: (page: Page) => Promise<unknown>
  /** What makes the state before the page is opened. */
  prepare?: (page: Page) => Promise<unknown>
  /** Whether the person has notes. */
  hasNotes?: boolean
  isNarrow?: boolean
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

const states: State[] = [
  { name: 'Home on a fresh database', path: '/', reach: page => page.getByText('Three things to do next').waitFor() },
  { name: 'Home', path: '/', hasNotes: true, reach: page => page.getByText('Latest notes').waitFor() },
  { name: 'Home that fails', path: '/', prepare: failWith(500), reach: page => page.getByRole('alert').waitFor() },
  { name: 'Notes', path: '/notes', hasNotes: true, reach: page => page.getByRole('row').nth(2).waitFor() },
  { name: 'Notes without notes', path: '/notes', reach: page => page.getByText('No notes yet').waitFor() },
  { name: 'Notes loading', path: '/notes', prepare: page => page.route(NOTES, () => undefined) },
  {
    name: 'Notes that fail',
    path: '/notes',
    prepare: failWith(500, NOTES),
    reach: page => page.getByRole('alert').waitFor(),
  },
  {
    name: 'Notes with nothing found',
    path: '/notes',
    hasNotes: true,
    reach: async page => {
      await page.getByRole('searchbox').fill('zebra')
      await page.getByText('Nothing found for “zebra”').waitFor()
    },
  },
  {
    name: 'the archive',
    path: '/notes?view=archived',
    reach: page => page.getByText('The archive is empty').waitFor(),
  },
  {
    name: 'the note editor with a refused title',
    path: '/notes',
    reach: async page => {
      await page.getByRole('button', { name: 'New note' }).click()
      await page.getByRole('button', { name: 'Create note' }).click()
      await expect(page.getByRole('textbox', { name: 'Title' })).toHaveAttribute('aria-invalid', 'true')
    },
  },
  {
    name: 'the question before deleting',
    path: '/notes',
    hasNotes: true,
    reach: page => page.getByRole('button', { name: 'Delete “Second”' }).click(),
  },
  {
    name: 'the toast with undo',
    path: '/notes',
    hasNotes: true,
    reach: async page => {
      await page.getByRole('button', { name: 'Archive “Second”' }).click()
      await page.getByRole('button', { name: 'Undo' }).waitFor()
    },
  },
  { name: 'Settings', path: '/settings' },
  {
    name: 'Settings with a refused password',
    path: '/settings',
    reach: async page => {
      await page.getByLabel('Current password').fill('not my password')
      await page.getByLabel('New password').fill('a slow river under stone 7')
      await page.getByRole('button', { name: 'Change password' }).click()
      await page.getByText('This is not your current password.').waitFor()
    },
  },
  { name: 'the account menu', path: '/', reach: page => page.getByRole('button', { name: /^Account Ada/ }).click() },
  { name: 'the palette', path: '/', reach: openPalette },
  {
    name: 'an action with its result',
    path: '/',
    reach: async page => {
      await openPalette(page)
      await page.getByRole('option', { name: /create-note/ }).click()
      await page.getByRole('textbox', { name: 'title' }).fill('Third')
      await page.getByRole('button', { name: 'Run create-note' }).click()
      await page.getByRole('region', { name: 'Result' }).waitFor()
    },
  },
  {
    name: 'the drawer',
    path: '/notes',
    isNarrow: true,
    reach: async page => {
      await page.getByRole('button', { name: 'Open the menu' }).click()
      await page.getByRole('dialog').waitFor()
    },
  },
  {
    name: 'Notes on a telephone',
    path: '/notes',
    hasNotes: true,
    isNarrow: true,
    reach: page => page.getByRole('article').first().waitFor(),
  },
  {
    name: 'the folded sidebar',
    path: '/',
    reach: page => page.getByRole('button', { name: 'Fold the sidebar' }).click(),
  },
  {
    name: 'offline',
    path: '/notes',
    reach: async page => {
      await pageHeading(page).waitFor()
      await page.context().setOffline(true)
      await page.getByText('You are offline.').waitFor()
    },
  },
  {
    name: 'a server that cannot be reached',
    path: '/notes',
    prepare: page => page.route('**/_fw/session', route => route.fulfill({ status: 503, body: 'down' })),
    reach: page => page.getByText('Could not reach the server').waitFor(),
  },
  { name: 'a page that does not exist', path: '/nowhere', reach: page => page.getByText('There is no page').waitFor() },
  { name: 'About', path: '/about' },
]

test.use({ reducedMotion: 'reduce' })

for (const state of states) {
  test(`${state.name} has no accessibility violation`, async ({ page, origin }) => {
    if (state.isNarrow) await page.setViewportSize({ width: 375, height: 800 })
    await signUp(page, origin)
    if (state.hasNotes) {
      await runAction(page, origin, 'create-note', { title: 'First', text: 'A text' })
      await runAction(page, origin, 'create-note', { title: 'Second' })
    }
    await state.prepare?.(page)
    await page.goto(state.path)
    await pageHeading(page).waitFor()
    await state.reach?.(page)
    await expectNoViolationsInBothColours(page)
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
