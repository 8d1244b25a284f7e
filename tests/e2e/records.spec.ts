import { expect, test } from '../support/e2e'
import { pageHeading, runAction, signUp } from '../support/people'

test('/audit lists what was done, filtered by what is typed and kept in the address', async ({ page, origin }) => {
  await signUp(page, origin)
  await page.request.post(`${origin}/_fw/org`, { data: { name: 'Larch' }, headers: { origin } })
  await runAction(page, origin, 'create-note', { title: 'A note', text: '' })
  const complaints: string[] = []
  page.on('console', message => complaints.push(message.text()))
  page.on('pageerror', error => complaints.push(error.message))
  await page.goto('/audit')
  await expect(pageHeading(page)).toBeVisible()
  const rows = page.locator('main li').filter({ has: page.locator('details') })
  await expect(rows.filter({ hasText: 'create-note' })).toHaveCount(1)
  await page.getByLabel('Action', { exact: true }).fill('no-such-action')
  await expect(page).toHaveURL(/action=no-such-action/)
  await expect(rows).toHaveCount(0)
  await page.reload()
  await expect(page.getByLabel('Action', { exact: true })).toHaveValue('no-such-action')
  expect(complaints).toEqual([])
})
