import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { expectNoViolations } from '../support/accessibility'
import { expect, test } from '../support/e2e'
import { currentCodes, waitForEarlyStep } from '../support/authenticator'
import { pageHeading, type Person, signUp } from '../support/people'

const section = (page: Page) => page.getByRole('region', { name: 'Two-factor authentication' })
const dialog = (page: Page) => page.getByRole('dialog')

async function openSettings(page: Page): Promise<void> {
  await page.goto('/settings/security')
  await expect(pageHeading(page)).toHaveText('Security')
  await section(page).waitFor()
}

async function signInWithPassword(page: Page, origin: string, { email, password }: Person): Promise<void> {
  // Leaves the page first: an open page notices the missing session and redirects.
  await page.goto('about:blank')
  await page.request.delete('/_fw/session', { headers: { origin } })
  await page.goto('/sign-in?return=%2Fnotes')
  await page.locator('#email').fill(email)
  await page.locator('#password').fill(password)
  await page.locator('button[value=sign-in]').click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Two-factor authentication')
}

async function enterCode(page: Page, code: string): Promise<void> {
  await page.getByLabel('Six-digit code').fill(code)
  await page.getByRole('button', { name: 'Sign in' }).first().click()
}

async function enterBackupCode(page: Page, code: string): Promise<void> {
  await page.getByText('Use a backup code').click()
  await page.getByLabel('One of your backup codes').fill(code)
  await page.getByRole('button', { name: 'Sign in' }).last().click()
}

test('two-factor authentication is set up, requested at sign-in and turned off', async ({ page, origin }) => {
  test.setTimeout(120_000)
  const person = await signUp(page, origin)
  await openSettings(page)
  await section(page).getByRole('button', { name: 'Set up' }).click()
  await dialog(page).getByLabel('Your password').fill('not my password')
  await dialog(page).getByRole('button', { name: 'Continue' }).click()
  await expect(dialog(page)).toContainText('This is not your password.')
  await dialog(page).getByLabel('Your password').fill(person.password)
  await dialog(page).getByRole('button', { name: 'Continue' }).click()
  await expect(dialog(page).getByAltText('QR code for your authenticator app')).toBeVisible()
  const secret = (await dialog(page).locator('code').innerText()).trim()
  await expectNoViolations(page)

  await dialog(page).getByLabel('Code from the app').fill('000')
  await dialog(page).getByRole('button', { name: 'Turn on' }).click()
  await expect(dialog(page)).toContainText('Wrong code.')
  // Only the first code is used within its step; each later one is valid for one step longer.
  await waitForEarlyStep(6000)
  const [last, current, next] = currentCodes(secret)
  await dialog(page).getByLabel('Code from the app').fill(last)
  await dialog(page).getByRole('button', { name: 'Turn on' }).click()
  await expect(dialog(page).getByRole('listitem')).toHaveCount(10)
  const codes = await dialog(page).getByRole('listitem').allInnerTexts()
  await expectNoViolations(page)
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    dialog(page).getByRole('link', { name: 'Download as a text file' }).click(),
  ])
  expect(download.suggestedFilename()).toBe('backup-codes.txt')
  expect((await readFile(await download.path(), 'utf8')).trim().split('\n')).toEqual(codes)
  await dialog(page).getByRole('button', { name: 'I have saved them' }).click()
  await expect(section(page)).toContainText('10 backup codes left')

  await signInWithPassword(page, origin, person)
  await expectNoViolations(page)
  await enterCode(page, last)
  await expect(page.getByRole('alert')).toContainText('This code is wrong or has already been used.')
  await enterCode(page, current)
  await page.waitForURL('**/notes')

  await signInWithPassword(page, origin, person)
  await enterCode(page, current)
  await expect(page.getByRole('alert')).toContainText('This code is wrong or has already been used.')
  await enterCode(page, next)
  await page.waitForURL('**/notes')

  await signInWithPassword(page, origin, person)
  await enterBackupCode(page, codes[0] ?? '')
  await page.waitForURL('**/notes')
  await signInWithPassword(page, origin, person)
  await enterBackupCode(page, codes[0] ?? '')
  await expect(page.getByRole('alert')).toContainText('This code is wrong or has already been used.')
  await enterBackupCode(page, codes[1] ?? '')
  await page.waitForURL('**/notes')

  await openSettings(page)
  await expect(section(page)).toContainText('8 backup codes left')
  await section(page).getByRole('button', { name: 'New backup codes' }).click()
  await dialog(page).getByLabel('Your password').fill(person.password)
  await dialog(page).getByRole('button', { name: 'Create new codes' }).click()
  await expect(dialog(page).getByRole('listitem')).toHaveCount(10)
  await dialog(page).getByRole('button', { name: 'I have saved them' }).click()
  await section(page).getByRole('button', { name: 'Turn off' }).click()
  await dialog(page).getByLabel('Your password').fill(person.password)
  await dialog(page).getByRole('button', { name: 'Turn off' }).click()
  await expect(section(page)).toContainText('Two-factor authentication is off.')
})
