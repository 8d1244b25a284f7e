import { expect, test } from '../support/e2e'
import { aPerson, signUpByForm } from '../support/people'
import { countRows } from '../support/query'

test.use({ serverEnv: { NODE_ENV: 'development' }, reducedMotion: 'no-preference' })

test('a fresh start opens the requested page signed in, and a new account has none of that data', async ({ page }) => {
  await page.goto('/notes')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Notes')
  await expect(page).toHaveURL(/\/notes$/)
  await expect(page.getByRole('button', { name: /^Account Dev/ })).toBeVisible()

  await page.getByRole('link', { name: 'Write your first note' }).click()
  await page.getByRole('textbox', { name: 'Title' }).fill('Plan')
  await page.getByRole('textbox', { name: 'Text' }).fill('Only for the development account.')
  await expect(page.getByText('Saved', { exact: true })).toBeVisible()
  await expect(page).toHaveURL(/\/notes\/[\w-]{20,}$/)
  await page.getByRole('textbox', { name: 'Title' }).fill('Better plan')
  await page.getByRole('link', { name: 'All notes' }).click()
  await expect(page.getByRole('heading', { name: 'Better plan' })).toBeVisible()

  await page.getByRole('button', { name: 'Archive “Better plan”' }).click()
  await expect(page.getByText('No notes yet')).toBeVisible()
  await page.getByRole('button', { name: 'Archive', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'Better plan' })).toBeVisible()

  await page.getByRole('button', { name: /^Account Dev/ }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.waitForURL('**/sign-in?**')
  await expect(page.getByRole('button', { name: 'Continue as dev' })).toBeVisible()

  const ada = aPerson('Ada')
  await page.getByRole('link', { name: 'Use a password instead' }).click()
  await signUpByForm(page, ada)
  await page.waitForURL(/\/notes\?view=archived/)
  await expect(page.getByRole('button', { name: /^Account Ada/ })).toBeVisible()
  await expect(page.getByText('The archive is empty')).toBeVisible()
  await page.getByRole('link', { name: 'Home' }).click()
  await expect(page.getByRole('link', { name: 'Write your first note' })).toBeVisible()
  await expect(page.getByText('Better plan')).toHaveCount(0)
})

test('two tabs at once share one account, and signing out in one signs out both', async ({ context, server }) => {
  const [first, second] = [await context.newPage(), await context.newPage()]
  await Promise.all([first.goto('/notes'), second.goto('/settings')])
  for (const [page, heading] of [
    [first, 'Notes'],
    [second, 'Profile'],
  ] as const) {
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(heading)
    await expect(page.getByRole('button', { name: /^Account Dev/ })).toBeVisible()
  }
  expect(server.log()).not.toContain('"level":"error"')
  expect(await countRows(server, 'users')).toBe(1)

  await first.getByRole('button', { name: /^Account Dev/ }).click()
  await first.getByRole('menuitem', { name: 'Sign out' }).click()
  await first.waitForURL('**/sign-in?**')
  await second.waitForURL('**/sign-in?**')
  await second.reload()
  await expect(second.getByRole('button', { name: 'Continue as dev' })).toBeVisible()
  await second.getByRole('button', { name: 'Continue as dev' }).click()
  await expect(second.getByRole('heading', { level: 1 })).toHaveText('Profile')
})
