import type { Page } from '@playwright/test'
import { ORG_PATH } from '#fairway/shared/paths'
import { expectNoViolations } from '../support/accessibility'
import { expect, test } from '../support/e2e'
import { aPerson, runAction, signUp } from '../support/people'

const post = (page: Page, origin: string, path: string, data: object) =>
  page.request.post(origin + path, { data, headers: { origin } })

test('a note is shared with one member, unshared, and then shared with the whole organization', async ({
  page,
  browser,
  origin,
}) => {
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
  await expect(dialog.getByText('Not shared with anyone yet.')).toBeVisible()
  const member = dialog.getByRole('combobox', { name: 'Member' })
  await member.fill('nobody@example.test')
  await expect(page.getByText('No member matches.')).toBeVisible()
  await member.fill('grac')
  await page.getByRole('option', { name: /Grace/ }).click()
  await dialog.getByRole('button', { name: 'Share', exact: true }).click()
  await expect(dialog.getByRole('combobox', { name: 'Permission for Grace' })).toHaveText('Can read')
  await expectNoViolations(page, { within: '[role=dialog]' })

  await grace.goto('/notes?whose=shared')
  await expect(
    grace.getByRole('table').getByTitle('Ada · ada@example.test').getByText('Ada', { exact: true }),
  ).toBeVisible()
  await expect(grace.getByRole('button', { name: /^(Archive|Share|Delete|Pin) “/ })).toHaveCount(0)
  await grace.getByRole('link', { name: 'Harbour plan', exact: true }).click()
  await expect(grace.getByRole('heading', { level: 1 })).toHaveText('Harbour plan')
  await expect(grace.getByText('From Ada', { exact: true })).toBeVisible()
  await expect(grace.getByText('Read-only')).toBeVisible()
  await expect(grace.getByRole('button', { name: 'Write' })).toHaveCount(0)

  await dialog.getByRole('combobox', { name: 'Permission for Grace' }).click()
  await page.getByRole('option', { name: 'Can edit', exact: true }).click()
  await expect(dialog.getByRole('combobox', { name: 'Permission for Grace' })).toHaveText('Can edit')
  await grace.reload()
  await expect(grace.getByRole('button', { name: 'Write' })).toBeVisible()

  await dialog.getByRole('button', { name: 'Remove Grace' }).click()
  await expect(dialog.getByText('Not shared with anyone yet.')).toBeVisible()
  await grace.reload()
  await expect(grace.getByText('This note is not available')).toBeVisible()
  await expectNoViolations(grace)
  // This happens before the owner shares the note again, because the page then shows it and the link disappears.
  await grace.getByRole('link', { name: 'Go to your notes' }).click()
  await dialog.getByRole('radio', { name: /^Everyone in Ada.* can read it$/ }).click()
  await expect(dialog.getByRole('radio', { name: /^Everyone in Ada.* can read it$/ })).toBeChecked()
  await dialog.getByRole('button', { name: 'Close' }).last().click()
  await expect(page.getByRole('img', { name: 'Everyone in the organization can read this.' })).toBeVisible()
  await grace.reload()
  await expect(grace.getByRole('heading', { name: 'Harbour plan' })).toBeVisible()

  await page.getByRole('button', { name: 'Share “Harbour plan”' }).click()
  await dialog.getByRole('radio', { name: /can edit it$/ }).click()
  await expect(dialog.getByRole('radio', { name: /can edit it$/ })).toBeChecked()
  await grace.getByRole('link', { name: 'Harbour plan', exact: true }).click()
  await expect(grace.getByText('Everyone in the organization can edit it')).toBeVisible()
  await expect(grace.getByRole('button', { name: 'Write' })).toBeVisible()
  await expect(grace.getByRole('button', { name: /^(Share|Delete)/ })).toHaveCount(0)
  await context.close()
})
