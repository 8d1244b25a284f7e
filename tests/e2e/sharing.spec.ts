import type { Page } from '@playwright/test'
import { ORG_PATH } from '#fairway/shared/paths'
import { expectNoViolations } from '../support/accessibility'
import { expect, test } from '../support/e2e'
import { aPerson, runAction, signUp } from '../support/people'

const post = (page: Page, origin: string, path: string, data: object) =>
  page.request.post(origin + path, { data, headers: { origin } })

test('a note is shared with one person, then with everybody, and taken back', async ({ page, browser, origin }) => {
  await signUp(page, origin)
  await runAction(page, origin, 'create-note', { title: 'Harbour plan', text: 'Three berths.' })
  const context = await browser.newContext({ baseURL: origin, reducedMotion: 'reduce' })
  const grace = await context.newPage()
  await signUp(grace, origin, aPerson('Grace'))
  const invited = await (await post(page, origin, `${ORG_PATH}/invitations`, { email: 'grace@example.test' })).json()
  expect((await post(grace, origin, `${ORG_PATH}/invitations/${invited.invited[0].id}/accept`, {})).status()).toBe(200)

  await page.goto('/notes')
  await page.getByRole('button', { name: 'Share “Harbour plan”' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByText('It is shared with nobody yet.')).toBeVisible()
  await dialog.getByRole('textbox', { name: 'E-mail address of a member' }).fill('nobody@example.test')
  await dialog.getByRole('button', { name: 'Share', exact: true }).click()
  await expect(dialog.getByText('Nobody with this address is a member of the organization.')).toBeVisible()
  await dialog.getByRole('textbox', { name: 'E-mail address of a member' }).fill('grace@example.test')
  await dialog.getByRole('button', { name: 'Share', exact: true }).click()
  await expect(dialog.getByText('grace@example.test · Read')).toBeVisible()
  await expectNoViolations(page, { within: '[role=dialog]' })

  await grace.goto('/notes')
  await expect(grace.getByText('From ada@example.test')).toBeVisible()
  await expect(grace.getByRole('button', { name: /^(Archive|Share|Delete|Pin) “/ })).toHaveCount(0)
  await grace.getByRole('button', { name: 'Harbour plan', exact: true }).click()
  await expect(grace.getByRole('textbox', { name: 'Title' })).not.toBeEditable()
  await expect(grace.getByRole('button', { name: 'Save note' })).toHaveCount(0)

  await dialog.getByRole('button', { name: 'Stop sharing with Grace' }).click()
  await expect(dialog.getByText('It is shared with nobody yet.')).toBeVisible()
  await dialog.getByRole('radio', { name: /^Everybody in Ada/ }).click()
  await dialog.getByRole('button', { name: 'Close' }).last().click()
  await expect(page.getByRole('img', { name: 'The whole organization may read this.' })).toBeVisible()
  await grace.reload()
  await expect(grace.getByRole('heading', { name: 'Harbour plan' })).toBeVisible()
  await context.close()
})
