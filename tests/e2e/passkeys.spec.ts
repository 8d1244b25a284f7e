import type { Page } from '@playwright/test'
import { expectNoViolations } from '../support/accessibility'
import { ageSessions } from '../support/query'
import { expect, test } from '../support/e2e'
import { pageHeading, signInAgain, signUp } from '../support/people'
import { addVirtualAuthenticator } from '../support/authenticator'

const section = (page: Page) => page.getByRole('region', { name: 'Passkeys' })
const signInButton = (page: Page) => page.getByRole('button', { name: 'Sign in with a passkey' })

async function openSettings(page: Page): Promise<void> {
  await page.goto('/settings/security')
  await expect(pageHeading(page)).toHaveText('Security')
  await section(page).waitFor()
}

async function addPasskey(page: Page, name: string): Promise<void> {
  await section(page).getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByRole('textbox', { name: 'Name' }).last().fill(name)
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(section(page).getByText(name, { exact: true })).toBeVisible()
}

async function signOut(page: Page, origin: string): Promise<void> {
  // Leaves the page first: an open page notices the missing session and redirects.
  await page.goto('about:blank')
  await page.request.delete('/_fw/session', { headers: { origin } })
}

const sessionOf = async (page: Page) => (await (await page.request.get('/_fw/session')).json()).session

test('a passkey is added, used to sign in, renamed and removed', async ({ page, origin }) => {
  const authenticator = await addVirtualAuthenticator(page)
  await signUp(page, origin)
  await openSettings(page)
  await expect(section(page)).toContainText('No passkeys yet.')
  await section(page).getByRole('button', { name: 'Add a passkey' }).click()
  await expect(page.getByRole('textbox', { name: 'Name' }).last()).toHaveValue('Linux')
  await page.keyboard.press('Escape')
  await addPasskey(page, 'Work laptop')
  await expect(section(page)).toContainText('Not used yet')
  await expectNoViolations(page)

  await signOut(page, origin)
  // The email field's passkey offer has a separate test. It would sign in before the button is pressed.
  await page.addInitScript(() =>
    Object.assign(PublicKeyCredential, { isConditionalMediationAvailable: async () => false }),
  )
  await page.goto('/sign-in?return=%2Fnotes')
  await signInButton(page).click()
  await page.waitForURL('**/notes')
  expect(await sessionOf(page)).toMatchObject({ email: 'ada@example.test', provider: 'passkey' })

  await openSettings(page)
  await expect(section(page)).toContainText('Last used')
  await section(page).getByRole('button', { name: 'Rename Work laptop' }).click()
  await page.getByRole('textbox', { name: 'Name' }).last().fill('Desk')
  await page.getByRole('button', { name: 'Save name' }).click()
  await section(page).getByRole('button', { name: 'Remove Desk' }).click()
  await expect(page.getByRole('dialog')).toContainText('Remove Desk?')
  await page.getByRole('button', { name: 'Remove passkey' }).click()
  await expect(section(page)).toContainText('No passkeys yet.')

  await signOut(page, origin)
  // The authenticator would also answer the email field's offer, before the button or after it.
  await page.addInitScript(() => (PublicKeyCredential.isConditionalMediationAvailable = async () => false))
  await page.goto('/sign-in')
  await signInButton(page).click()
  await expect(page.getByRole('alert')).toContainText('Signing in with this passkey didn’t work.')
  await expect(page.getByRole('alert').locator('small')).toHaveText('unknown-passkey')
  await expectNoViolations(page)
  expect(await sessionOf(page)).toBeNull()
  // The browser learned of the removal, so it no longer offers the passkey.
  await expect.poll(() => authenticator.count()).toBe(0)
})

test('adding a passkey requires a recent sign-in, rejects a duplicate device, and the email field offers the passkey', async ({
  page,
  origin,
  server,
}) => {
  await addVirtualAuthenticator(page)
  await signUp(page, origin)
  await ageSessions(server)
  await openSettings(page)
  await section(page).getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(section(page).getByRole('alert')).toContainText('You signed in more than 15 minutes ago.')
  await expectNoViolations(page)
  await signInAgain(page)
  await addPasskey(page, 'Laptop')
  await section(page).getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(page.getByRole('dialog')).toContainText('This device already has a passkey for your account.')
  await expectNoViolations(page)

  await signOut(page, origin)
  // The virtual authenticator answers the field's offer at once.
  await page.goto('/sign-in?return=%2Fnotes')
  await page.waitForURL('**/notes')
  expect(await sessionOf(page)).toMatchObject({ provider: 'passkey' })
})
