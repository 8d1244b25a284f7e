import type { Page } from '@playwright/test'
import { expect, test } from '../support/e2e'
import { pageHeading, runAction, signUp } from '../support/people'

test.beforeEach(async ({ page, origin }) => {
  await signUp(page, origin)
})

async function openAction(page: Page, name: string): Promise<void> {
  await expect(pageHeading(page)).toBeVisible()
  await page.keyboard.press('ControlOrMeta+k')
  await page.getByPlaceholder('Search pages and actions').fill(name)
  await expect(page.getByRole('option').first()).toContainText(name)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('button', { name: `Run ${name}` })).toBeVisible()
}

test('leads to a page by keyboard alone', async ({ page }) => {
  await page.goto('/')
  await expect(pageHeading(page)).toBeVisible()
  await page.keyboard.press('ControlOrMeta+k')
  await page.getByPlaceholder('Search pages and actions').fill('settings')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Settings')
  await expect(page.getByRole('dialog')).toHaveCount(0)
})

test('runs an action from its form and shows the result and the same call from elsewhere', async ({ page, origin }) => {
  await page.goto('/notes')
  await expect(page.getByText('No notes yet')).toBeVisible()
  await openAction(page, 'create-note')
  await page.getByRole('textbox', { name: 'title' }).fill('From the palette')
  await expect(page.getByText(`npx fw action create-note --title='From the palette'`)).toBeVisible()
  await expect(page.getByText(`${origin}/_fw/actions/create-note`)).toBeVisible()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('region', { name: 'Result' })).toContainText('"title": "From the palette"')
  await page.keyboard.press('Escape')
  await expect(page.getByRole('heading', { name: 'From the palette' })).toBeVisible()
})

test('shows at the field what is not accepted', async ({ page }) => {
  await page.goto('/notes')
  await expect(page.getByText('No notes yet')).toBeVisible()
  await openAction(page, 'create-note')
  await page.getByRole('button', { name: 'Run create-note' }).click()
  const title = page.getByRole('textbox', { name: 'title' })
  await expect(title).toHaveAttribute('aria-invalid', 'true')
  await expect(title).toHaveAccessibleDescription(/\w/)
})

test('asks before it runs an action that deletes', async ({ page, origin }) => {
  await runAction(page, origin, 'create-note', { title: 'Doomed' })
  const listed = await page.request.post('/_fw/actions/list-notes', { data: {}, headers: { origin } })
  const id: string = (await listed.json()).result.notes[0].id
  await page.goto('/notes')
  await expect(page.getByRole('heading', { name: 'Doomed' })).toBeVisible()
  await openAction(page, 'delete-note')
  await page.getByRole('textbox', { name: 'id' }).fill(id)
  await page.getByRole('button', { name: 'Run delete-note' }).click()
  const dialog = page.getByRole('dialog', { name: 'Run delete-note?' })
  await expect(dialog).toContainText(id)
  await expect(dialog.getByRole('button', { name: 'Run delete-note' })).toBeDisabled()
  await dialog.getByRole('textbox').fill('delete-note')
  await dialog.getByRole('button', { name: 'Run delete-note' }).click()
  await expect(page.getByRole('region', { name: 'Result' })).toContainText(id)
  await page.keyboard.press('Escape')
  await expect(page.getByText('No notes yet')).toBeVisible()
})

test('still finds pages when the actions cannot be loaded', async ({ page }) => {
  await page.route('**/_fw/openapi.json', route => route.fulfill({ status: 503, body: 'down' }))
  await page.goto('/')
  await expect(pageHeading(page)).toBeVisible()
  await page.keyboard.press('ControlOrMeta+k')
  await expect(page.getByRole('alert').filter({ hasText: 'The actions could not be loaded.' })).toBeVisible()
  await page.unroute('**/_fw/openapi.json')
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByRole('option', { name: /create-note/ })).toBeVisible()
})
