import type { Page } from '@playwright/test'
import { IS_PUBLISHED } from '../../layers/fairway/shared/package'
import { expectNoViolationsInBothColours } from '../support/accessibility'
import { expect, test } from '../support/e2e'
import { addGrant, query as queryDatabase } from '../support/query'
import { aPerson, pageHeading, signUp } from '../support/people'

test.beforeEach(async ({ page, origin }) => signUp(page, origin).then(() => undefined))

const host = (page: Page, name: string) => page.locator('details').filter({ hasText: name })
const isOpen = (page: Page, id: string) =>
  page.locator(`details#${id}`).evaluate(element => element.hasAttribute('open'))

/** Checks the current page in light and dark mode, and that it is no wider than the screen. */
async function expectGood(page: Page): Promise<void> {
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
  await expectNoViolationsInBothColours(page)
}

test.describe('Connect a host page', () => {
  test('is linked from the tools page, and the command palette leads back to the tools', async ({ page }) => {
    await page.goto('/')
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Tools' }).click()
    await page.getByRole('main').getByRole('link', { name: 'Connect a host' }).click()
    await expect(pageHeading(page)).toHaveText('Connect a host')
    await page.keyboard.press('ControlOrMeta+k')
    await page.getByPlaceholder('Search pages and actions').fill('tools')
    await page.getByRole('option', { name: 'Tools', exact: true }).click()
    await expect(pageHeading(page)).toHaveText('Tools')
  })

  test('shows and copies the exact server address', async ({ page, context, origin }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.goto('/connect')
    await page.getByRole('button', { name: 'Copy the server address' }).click()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(`${origin}/mcp`)
    await expect(page.getByText(`claude mcp add --transport http fairway ${origin}/mcp`)).toBeVisible()
  })

  test('shows one host at a time, opened with the keyboard or by URL', async ({ page }) => {
    await page.goto('/connect')
    await expect(host(page, 'In a terminal').first()).toHaveAttribute('open', '')
    await page.locator('details#codex summary').focus()
    await page.keyboard.press('Enter')
    await expect(page.getByText('codex mcp login fairway', { exact: true })).toBeVisible()
    expect([await isOpen(page, 'codex'), await isOpen(page, 'claude-code')]).toEqual([true, false])
    await page.goto('/about')
    await page.goto('/connect#vscode')
    await expect(page.locator('details#vscode')).toHaveAttribute('open', '')
  })

  test('explains why hosts could not be looked up and names the related setting', async ({ page, server }) => {
    await page.goto('/connect')
    await expect(page.getByText('could not look up a host')).toBeHidden()
    await queryDatabase(
      server,
      `insert into oauth_document_outages (id, cause, failed_at) values ('documents', 'unreachable', ?)`,
      [Date.now()],
    )
    await page.reload()
    const notice = page.getByRole('alert').filter({ hasText: 'could not look up a host' })
    await expect(notice).toContainText('this server can’t reach it')
    await expect(notice).toContainText('FW_CLIENT_DOCUMENTS=off')
    await expectGood(page)
  })

  test('links to Cursor and VS Code with the configuration filled in', async ({ page, origin }) => {
    await page.goto('/connect#cursor')
    const cursor = await page.getByRole('link', { name: 'Add to Cursor' }).getAttribute('href')
    expect(atob(new URL(cursor ?? '').searchParams.get('config') ?? '')).toBe(JSON.stringify({ url: `${origin}/mcp` }))
    await page.locator('details#vscode summary').click()
    const code = await page.getByRole('link', { name: 'Add to VS Code' }).getAttribute('href')
    expect(decodeURIComponent(code ?? '')).toBe(
      `vscode:mcp/install?${JSON.stringify({ name: 'fairway', type: 'http', url: `${origin}/mcp` })}`,
    )
  })

  test('warns that hosts on other machines cannot reach a local address', async ({ page }) => {
    await page.goto('/connect#claude')
    await expect(
      host(page, 'On the web, on the desktop').getByText('This address works on this machine only'),
    ).toBeVisible()
  })

  test('shows no command of a package that is missing on npm', async ({ page, origin }) => {
    await page.goto('/connect#stdio')
    await expect(page.locator('details#stdio')).toHaveAttribute('open', '')
    const probe = IS_PUBLISHED ? `npx nuxt-fairway mcp probe ${origin}/mcp` : `curl -i ${origin}/mcp`
    await expect(page.getByText(probe)).toBeVisible()
    await expect(page.locator('main').filter({ hasText: /npx|nuxt-fairway/ })).toHaveCount(IS_PUBLISHED ? 1 : 0)
  })

  test('does not mention a static token when none is set', async ({ page }) => {
    await page.goto('/connect')
    await expect(page.getByRole('heading', { name: 'Approve access' })).toBeVisible()
    await expect(page.getByRole('heading', { name: 'Without a browser' })).toHaveCount(0)
  })
})

test.describe('with a static token', () => {
  test.use({
    serverEnv: { ACCESS_TOKEN: 'bWFjaGluZXMtb25seS1mb3ItdGhpcy10ZXN0LTEyMzQ1', FW_OWNER_EMAIL: 'ada@example.test' },
  })

  test('the page explains how to send the token without showing it', async ({ page }) => {
    await page.goto('/connect')
    await expect(page.getByRole('heading', { name: 'Without a browser' })).toBeVisible()
    expect(await page.content()).not.toContain('bWFjaGluZXM')
  })
})

test.describe('connected apps', () => {
  const section = (page: Page) => page.getByRole('region', { name: 'Connected apps' })

  test('show an empty state with a link to connect a host', async ({ page }) => {
    await page.goto('/settings/apps')
    await expect(section(page).getByText('No connected apps yet.')).toBeVisible()
    await expectGood(page)
    await section(page).getByRole('link', { name: 'Connect a host' }).click()
    await expect(pageHeading(page)).toHaveText('Connect a host')
  })

  test('are listed with their permissions and revoked by a second press', async ({ page, server }) => {
    await page.goto('/notes')
    await expect(pageHeading(page)).toHaveText('Notes')
    const { email } = aPerson()
    await addGrant(server, { email, clientName: 'Editor', clientId: 'https://editor.example/client.json' })
    await addGrant(server, { email, clientName: 'A'.repeat(120) })
    await page.setViewportSize({ width: 375, height: 800 })
    await page.goto('/settings/apps')
    const row = section(page).getByRole('listitem').filter({ hasText: 'Editor' }).first()
    await expect(row).toContainText(/editor\.example.*Ada's organization/s)
    await expect(row.getByRole('list', { name: 'Permissions' }).getByRole('listitem')).toHaveText([
      'View everything you can view',
      'Create, edit and delete on your behalf',
      'Stay connected until you revoke access',
    ])
    await expect(row).toContainText(/Connected 1 hour ago.*Last used 1 hour ago/s)
    await expectGood(page)
    await row.getByRole('button', { name: 'Revoke Editor' }).press('Enter')
    await expect(row.getByRole('button', { name: 'Revoke now' })).toBeFocused()
    await page.keyboard.press('Enter')
    await expect(page.getByText('Editor is no longer connected.', { exact: true }).first()).toBeVisible()
    await expect(section(page).getByText('Editor', { exact: true })).toHaveCount(0)
    const [ended] = await queryDatabase(server, `select revoked_at from oauth_grants where client_name = 'Editor'`)
    expect(ended?.revoked_at).not.toBeNull()
  })

  test('of the organization are listed for its owner with the connecting member and can be revoked', async ({
    page,
    server,
  }) => {
    await page.goto('/notes')
    await expect(pageHeading(page)).toHaveText('Notes')
    await addGrant(server, { email: aPerson().email, clientName: 'Editor' })
    await page.goto('/team/apps')
    await expect(section(page).getByRole('listitem').first()).toContainText('Ada (ada@example.test)')
    await expectGood(page)
    await section(page).getByRole('button', { name: 'Revoke Editor' }).click()
    await section(page).getByRole('button', { name: 'Revoke now' }).click()
    await expect(section(page).getByText('No member has connected an app yet')).toBeVisible()
  })

  test('of the organization are hidden from members', async ({ page, server }) => {
    await page.goto('/notes')
    await expect(pageHeading(page)).toHaveText('Notes')
    await queryDatabase(server, `update org_members set role = 'member'`)
    await page.goto('/team')
    await expect(page.getByRole('heading', { name: '1 member' })).toBeVisible()
    await expect(page.getByRole('link', { name: 'Connected apps' })).toHaveCount(0)
    await page.goto('/team/apps')
    await expect(page.getByRole('heading', { name: "You don't have access to this section" })).toBeVisible()
    await expect(page.getByRole('heading', { name: 'Connected apps' })).toHaveCount(0)
  })
})
