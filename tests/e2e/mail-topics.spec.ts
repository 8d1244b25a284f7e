import { expectNoViolations } from '../support/accessibility'
import { expect, test } from '../support/e2e'
import { signUp } from '../support/people'

test.use({ application: 'author' })

test('email topics are turned off and on in the settings', async ({ page, origin }) => {
  await signUp(page, origin)
  await page.goto(`${origin}/settings`)
  const section = page.getByRole('region', { name: 'Notifications', exact: true })
  const topic = section.getByRole('switch', { name: 'News from the felling by email' })
  await expect(topic).toBeChecked()
  await expectNoViolations(page)
  await topic.click()
  await expect(page.getByText('You’ll no longer get “News from the felling by email”.', { exact: true })).toBeVisible()
  await expect(topic).not.toBeChecked()
  await page.reload()
  await expect(topic).not.toBeChecked()
  await topic.click()
  await expect(topic).toBeChecked()
})
