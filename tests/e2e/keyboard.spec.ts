import type { Locator, Page } from '@playwright/test'
import { expect, test } from '../support/e2e'
import { aPerson, signUp } from '../support/people'

const MOST_STEPS = 40

test.use({ reducedMotion: 'no-preference' })

/** Presses Tab until the element has the focus; throws if the keyboard does not reach it. */
async function tabTo(page: Page, element: Locator): Promise<void> {
  for (let step = 0; step < MOST_STEPS; step++) {
    if (await element.evaluate(node => node === document.activeElement)) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`the keyboard does not reach ${element}`)
}

test('a person signs in, creates a note, archives it and signs out with the keyboard alone', async ({
  page,
  origin,
  context,
}) => {
  const ada = await signUp(page, origin, aPerson())
  await context.clearCookies()

  await page.goto('/notes')
  await page.waitForURL('**/sign-in?**')
  const form = page.locator('#sign-in')
  await tabTo(page, form.getByLabel('Email address'))
  await page.keyboard.type(ada.email)
  await tabTo(page, form.getByLabel('Password', { exact: true }))
  await page.keyboard.type(ada.password)
  await page.keyboard.press('Enter')
  await page.waitForURL('**/notes')
  await expect(page.getByText('No notes yet')).toBeVisible()

  await page.keyboard.press('Tab')
  await expect(page.getByRole('link', { name: 'Skip to the content' })).toBeFocused()
  await page.keyboard.press('Enter')
  await tabTo(page, page.getByRole('link', { name: 'New note' }))
  await page.keyboard.press('Enter')
  await expect(page.getByRole('textbox', { name: 'Title' })).toBeFocused()
  await page.keyboard.type('By keyboard')
  await page.keyboard.press('Tab')
  await page.keyboard.type('Not one click.')
  await expect(page.getByText('Saved', { exact: true })).toBeVisible()
  await tabTo(page, page.getByRole('link', { name: 'All notes' }))
  await page.keyboard.press('Enter')

  // The rows of a table are one tab stop. Arrow keys move to the other controls of a row.
  await tabTo(page, page.getByRole('link', { name: 'By keyboard' }))
  const archive = page.getByRole('button', { name: 'Archive “By keyboard”' })
  await expect(async () => {
    await page.keyboard.press('ArrowRight')
    await expect(archive).toBeFocused({ timeout: 100 })
  }).toPass()
  await page.keyboard.press('Enter')
  await expect(page.getByText('No notes yet')).toBeVisible()

  await tabTo(page, page.getByRole('button', { name: /^Account Ada/ }))
  await page.keyboard.press('Enter')
  await expect(page.getByRole('menu')).toBeVisible()
  await page.keyboard.press('End')
  await expect(page.getByRole('menuitem', { name: 'Sign out' })).toBeFocused()
  await page.keyboard.press('Enter')
  await page.waitForURL('**/sign-in?**')
})
