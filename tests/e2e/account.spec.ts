import { readFileSync } from 'node:fs'
import { expect, test } from '../support/e2e'
import { runAction, signUp } from '../support/people'

/** A red picture, twice as wide as high. */
const WIDE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAQAAAACCAIAAADwyuo0AAAAEElEQVR4nGP4z8AARwzIHABvqgf5gNwAKAAAAABJRU5ErkJggg==',
  'base64',
)

test('a profile picture is cropped to a square, shown at once, and restored by undo after removal', async ({
  page,
  origin,
}) => {
  await signUp(page, origin)
  await page.goto('/settings')
  const menu = page.getByRole('button', { name: /^Account Ada/ })
  await expect(menu.locator('img')).toHaveCount(0)
  const text = { name: 'text.png', mimeType: 'image/png', buffer: Buffer.from('text') }
  await page.locator('input[type=file]').setInputFiles(text)
  await expect(page.getByRole('alert')).toContainText('not a picture')
  await page.locator('input[type=file]').setInputFiles({ name: 'wide.png', mimeType: 'image/png', buffer: WIDE })
  await expect(menu.locator('img')).toBeVisible()
  const image = await menu.locator('img').getAttribute('src')
  const answer = await page.request.get(origin + String(image))
  expect(answer.headers()['content-type']).toBe('image/webp')
  const size = await page.evaluate(async src => {
    const { width, height } = await createImageBitmap(await (await fetch(src)).blob())
    return [width, height]
  }, String(image))
  expect(size).toEqual([256, 256])

  await page.getByRole('button', { name: 'Remove picture' }).click()
  await expect(menu.locator('img')).toHaveCount(0)
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(menu.locator('img')).toBeVisible()
})

test('the data export downloads a file with the person’s data and reports a failure', async ({ page, origin }) => {
  await signUp(page, origin)
  await runAction(page, origin, 'create-note', { title: 'Mine', text: 'Text' })
  await page.goto('/settings/data')
  await page.route('**/_fw/account/export', route => route.fulfill({ status: 503, body: 'busy' }))
  await page.getByRole('button', { name: 'Export data' }).click()
  await expect(page.getByText('Your data could not be exported.')).toBeVisible()
  await page.unroute('**/_fw/account/export')
  const saved = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Try again' }).click()
  const download = await saved
  expect(download.suggestedFilename()).toMatch(/^account-\d{4}-\d\d-\d\d\.json$/)
  const { rows } = JSON.parse(readFileSync(await download.path(), 'utf8'))
  expect(rows.notes).toEqual([expect.objectContaining({ title: 'Mine' })])
  await expect(page.getByText(/Your data was saved as account-/)).toBeVisible()
})
