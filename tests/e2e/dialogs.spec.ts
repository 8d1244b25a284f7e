import type { Page } from '@playwright/test'
import { expect, test } from '../support/e2e'
import { runAction, signUp } from '../support/people'

/** The page of a dialog, the button that opens it, and the role and name of the element that then has the focus. */
const DIALOGS = [
  ['/notes', 'Share “Harbour plan”', 'combobox', 'Member'],
  ['/team', 'Invite people', 'textbox', 'Email addresses'],
  ['/team/roles', 'Assign role', 'combobox', 'Member'],
  ['/team/danger', 'Transfer', 'combobox', 'New owner'],
  ['/team/webhooks', 'Add webhook', 'textbox', 'URL'],
  ['/connections', 'Add a credential', 'textbox', 'Name'],
  ['/settings/apps', 'Create a token', 'textbox', 'Name'],
] as const

const dialog = (page: Page) => page.getByRole('dialog')

test('a dialog focuses its first field, and Enter does not close it', async ({ page, origin }) => {
  await signUp(page, origin)
  await runAction(page, origin, 'create-note', { title: 'Harbour plan' })
  for (const [path, button, role, name] of DIALOGS) {
    await page.goto(path)
    await page.getByRole('button', { name: button }).first().press('Enter')
    await expect(dialog(page).getByRole(role, { name }).first(), path).toBeFocused()
    await page.keyboard.press('Enter')
    await expect(dialog(page)).toBeVisible()
  }
})

test('a dialog without fields takes the focus itself, and Enter does not close it', async ({ page, origin }) => {
  await signUp(page, origin)
  await page.goto('/settings/apps')
  await page.getByRole('button', { name: 'Create a token' }).press('Enter')
  await page.keyboard.type('Backup script')
  await page.keyboard.press('Enter')
  await expect(dialog(page).getByText('Your new token')).toBeVisible()
  await expect(dialog(page)).toBeFocused()
  await page.keyboard.press('Enter')
  await page.keyboard.press('Enter')
  await expect(dialog(page).getByText('Your new token')).toBeVisible()
})
