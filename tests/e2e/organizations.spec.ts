import type { Page } from '@playwright/test'
import { ORG_PATH } from '#fairway/shared/paths'
import { expectNoViolations } from '../support/accessibility'
import { expect, test } from '../support/e2e'
import { pageHeading, signInAgain, signUp } from '../support/people'
import { ageSessions } from '../support/query'

const switcher = (page: Page) => page.getByRole('button', { name: /^Organization / })

test('an organization is deleted after its name is typed and can be restored', async ({ page, origin, server }) => {
  await signUp(page, origin)
  await page.goto('/team')
  await pageHeading(page).waitFor()
  const dialog = page.getByRole('dialog')
  await test.step('a second one is created, and left for the first', async () => {
    await switcher(page).click()
    await expectNoViolations(page)
    await page.getByRole('menuitem', { name: 'Create organization' }).click()
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Second Office')
    await dialog.getByRole('button', { name: 'Create organization' }).click()
    await expect(dialog.getByRole('alert')).toBeVisible()
    await expectNoViolations(page)
    await dialog.getByRole('button', { name: 'Create anyway' }).click()
    await expect(page.getByRole('button', { name: 'Organization Second Office' })).toBeVisible()
    const credential = { data: { value: 'sk-1234567890' }, headers: { origin } }
    await page.request.put(`${origin}${ORG_PATH}/vault/openai`, credential)
    await switcher(page).click()
    await page.getByRole('menuitemcheckbox', { name: /^Ada/ }).click()
    await expect(dialog).toContainText('You leave Second Office')
    await expectNoViolations(page)
    await page.keyboard.press('Escape')
    await switcher(page).click()
    await page.getByRole('menuitem', { name: 'Find organizations' }).click()
    await expect(dialog).toBeVisible()
    await expectNoViolations(page)
  })

  await ageSessions(server)
  await page.goto('/team/danger')
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  const confirm = page.getByRole('button', { name: 'Delete organization' })
  await expect(confirm).toBeDisabled()
  await expect(page.getByText('1 person loses access.')).toBeVisible()
  await page.getByRole('textbox', { name: /^Type/ }).fill('Second Office')
  await confirm.click()
  await signInAgain(page)
  await expect(page.getByText('Second Office was deleted.').first()).toBeVisible()
  await expect(page.getByRole('button', { name: /^Organization Ada/ })).toBeVisible()
  await expect(dialog).toHaveCount(0)
  await page.getByRole('link', { name: 'Members', exact: true }).click()
  await page.getByRole('button', { name: 'Invite people' }).click()
  await expect(page.getByRole('textbox', { name: 'Email addresses' })).toBeFocused()
  await page.keyboard.press('Escape')
  await switcher(page).click()
  await page.getByRole('menuitem', { name: /^Restore Second Office/ }).click()
  await expect(page.getByText('Second Office was restored.').first()).toBeVisible()
  await switcher(page).click()
  await expect(page.getByRole('menuitemcheckbox', { name: /^Second Office/ })).toBeVisible()
  await expect(page.getByRole('menuitemcheckbox', { name: /^Personal/ })).toHaveCount(0)
  await expectNoViolations(page)
})
