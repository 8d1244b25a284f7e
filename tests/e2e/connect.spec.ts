import type { Page } from '@playwright/test'
import { expectNothingCutOff, expectNoViolationsInBothColours } from '../support/accessibility'
import { expect, test } from '../support/e2e'
import { addGrant } from '../support/query'
import { pageHeading, signUp } from '../support/people'

const isOpen = (page: Page, id: string) =>
  page.locator(`details#${id}`).evaluate(element => element.hasAttribute('open'))

test('Connect an assistant shows one host at a time, opened with the keyboard or by URL', async ({ page, origin }) => {
  await signUp(page, origin)
  await page.goto('/connect')
  await expect(page.locator('details').filter({ hasText: 'In a terminal' }).first()).toHaveAttribute('open', '')
  await page.locator('details#codex summary').focus()
  await page.keyboard.press('Enter')
  await expect(page.getByText('codex mcp login fairway', { exact: true })).toBeVisible()
  expect([await isOpen(page, 'codex'), await isOpen(page, 'claude-code')]).toEqual([true, false])
  await page.goto('/about')
  await page.goto('/connect#vscode')
  await expect(page.locator('details#vscode')).toHaveAttribute('open', '')
})

test('connected apps fit a narrow screen and have no accessibility violation', async ({ page, origin, server }) => {
  const { email } = await signUp(page, origin)
  await page.setViewportSize({ width: 375, height: 800 })
  await page.goto('/notes')
  await expect(pageHeading(page)).toHaveText('Notes')
  await addGrant(server, { email, clientName: 'A'.repeat(120) })
  for (const path of ['/settings/apps', '/team/apps']) {
    await page.goto(path)
    await page.getByRole('region', { name: 'Connected apps' }).getByText('AAAA').first().waitFor()
    await expectNothingCutOff(page)
    await expectNoViolationsInBothColours(page)
  }
})
