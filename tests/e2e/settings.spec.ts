import { expect, test } from '../support/e2e'
import { signUp } from '../support/people'

test('the theme, the folded sidebar and the language are kept on this device, the language in a cookie that contains only it', async ({
  page,
  context,
  origin,
}) => {
  await signUp(page, origin)
  await page.goto('/settings/appearance')
  const before = (await context.cookies()).map(({ name }) => name)
  await page.getByRole('button', { name: 'Collapse sidebar' }).click()
  await page.getByRole('radio', { name: 'Dark' }).click()
  await expect(page.locator('html')).toHaveClass(/dark/)
  await page.reload()
  await expect(page.locator('html')).toHaveClass(/dark/)
  await expect(page.getByRole('radio', { name: 'Dark' })).toBeChecked()
  await expect(page.getByRole('button', { name: 'Expand sidebar' })).toBeVisible()
  expect((await page.getByRole('complementary').boundingBox())?.width).toBe(64)

  await page.getByRole('radio', { name: 'Deutsch' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Darstellung')
  await expect(page.locator('html')).toHaveAttribute('lang', 'de')
  await page.reload()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Darstellung')
  await page.goto('/about')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Ihre Arbeit, mit den Personen und Tools Ihrer Wahl')
  const added = (await context.cookies()).filter(({ name }) => !before.includes(name))
  expect(added.map(({ name, value }) => [name, value])).toEqual([['fw-language', 'de']])
})
