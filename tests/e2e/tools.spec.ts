import type { Page } from '@playwright/test'
import { MCP_CATALOG_PATH } from '#fairway/shared/paths'
import { expectNoViolations } from '../support/accessibility'
import { expect, test } from '../support/e2e'
import { pageHeading, signUp } from '../support/people'

/** Checks the current page, and that it is no wider than the screen. */
async function expectGood(page: Page): Promise<void> {
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
  await expectNoViolations(page)
}

test('the tools page shows one view at a time on a phone, with a way back', async ({ page, origin }) => {
  const list = page.getByRole('navigation', { name: 'Tools', exact: true })
  await page.setViewportSize({ width: 375, height: 800 })
  await signUp(page, origin)
  await page.route(`**${MCP_CATALOG_PATH}`, route => route.fulfill({ json: { tools: [], resources: [], prompts: [] } }))
  await page.goto('/tools')
  await expect(page.getByText('No tools yet')).toBeVisible()
  await expectGood(page)
  await page.unroute(`**${MCP_CATALOG_PATH}`)
  await page.reload()
  await expect(list).toBeVisible()
  await expectGood(page)
  await list.getByRole('link', { name: /create-note/ }).click()
  await expect(list).toHaveCount(0)
  await expect(pageHeading(page)).toHaveText('Create a note')
  await page.getByRole('button', { name: 'Try create-note' }).click()
  await page.getByRole('textbox', { name: 'Title' }).fill('x'.repeat(150))
  await expectGood(page)
  await page.getByRole('button', { name: 'Create a note' }).click()
  await page.getByRole('button', { name: 'JSON', exact: true }).click()
  await expect(page.getByRole('region', { name: 'Result' })).toContainText('"title":')
  await expectGood(page)
  await page.getByRole('link', { name: 'All tools' }).click()
  await expect(list).toBeVisible()
})
