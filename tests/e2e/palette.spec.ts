import { expectNoViolations } from '../support/accessibility'
import { expect, test } from '../support/e2e'
import { pageHeading, runAction, signUp } from '../support/people'

test('the command palette opens a page with the keyboard alone', async ({ page, origin }) => {
  await signUp(page, origin)
  await runAction(page, origin, 'create-note', { title: 'Harbour plan', text: 'Cranes and boats' })
  await page.goto('/')
  await expect(pageHeading(page)).toBeVisible()
  await page.keyboard.press('ControlOrMeta+k')
  const search = page.getByPlaceholder('Search pages and actions')
  await search.fill('cranes')
  await expect(page.getByRole('option', { name: /Harbour plan/ })).toBeVisible()
  await expectNoViolations(page)
  await search.fill('zebra')
  await expect(page.getByText('No results for “zebra”')).toBeVisible()
  expect((await page.getByRole('dialog').boundingBox())?.height).toBeLessThan(200)
  await search.fill('settings')
  await page.keyboard.press('Enter')
  await expect(pageHeading(page)).toHaveText('Profile')
  await expect(page.getByRole('dialog')).toHaveCount(0)

  await page.keyboard.press('?')
  await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible()
  await expectNoViolations(page)
})
