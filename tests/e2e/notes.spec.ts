import { expectNoViolations } from '../support/accessibility'
import { expect, test } from '../support/e2e'
import { createNotes, runAction, signUp } from '../support/people'
import { noteTitle } from '../support/query'

test('a note has a URL and shows its Markdown without executable content', async ({ page, origin }) => {
  const elsewhere: string[] = []
  page.on('request', request => {
    if (!request.url().startsWith(origin) && !request.url().startsWith('data:')) elsewhere.push(request.url())
  })
  const evil = '<img src=x onerror="document.title=1"> <script>document.title=2</script>'
  await signUp(page, origin)
  await runAction(page, origin, 'create-note', {
    title: 'Harbour plan',
    text: `# Berths\n\nThree **free**.\n\n- [x] call\n\n${evil}\n\n![map](https://example.com/m.png) [no](javascript:alert(1))`,
  })
  await page.goto('/notes')
  await page.getByRole('link', { name: 'Harbour plan', exact: true }).click()
  const note = page.getByRole('article')
  await expect(note.getByRole('heading', { level: 2, name: 'Berths' })).toBeVisible()
  await expect(note.getByRole('checkbox', { name: 'Done' })).toBeChecked()
  await expect(note.getByRole('link', { name: 'map' })).toHaveAttribute('rel', 'noopener noreferrer nofollow')
  await expect(note.getByRole('link', { name: 'no', exact: true })).toHaveCount(0)
  await expect(note.getByText('<script>')).toBeVisible()
  await expect(note.locator('img, script')).toHaveCount(0)
  await expect(page).toHaveTitle(/^Harbour plan/)
  expect(elsewhere).toEqual([])

  const id = new URL(page.url()).pathname.split('/').at(-1)
  await page.reload()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Harbour plan')
  await page.getByRole('button', { name: 'Write' }).click()
  await expect(page.getByRole('region', { name: 'Preview' }).getByRole('heading', { name: 'Berths' })).toBeVisible()
  await page.setViewportSize({ width: 375, height: 800 })
  await expect(page.getByRole('region', { name: 'Preview' })).toBeHidden()
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(375)
  await expectNoViolations(page)

  await page.route('**/update-note', route => route.fulfill({ status: 503, body: 'down' }))
  await page.getByRole('textbox', { name: 'Text' }).fill('mine')
  await expect(page.getByText('Not saved', { exact: true })).toBeVisible()
  await expectNoViolations(page)
  await page.unroute('**/update-note')
  await runAction(page, origin, 'update-note', { id, text: 'theirs' })
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByRole('alert').getByText('theirs', { exact: true })).toBeVisible()
  await expectNoViolations(page)
})

test('returning from a note restores the filters, page and scroll position of the list', async ({ page, origin }) => {
  await signUp(page, origin)
  await createNotes(page, origin, 75)
  await page.goto('/notes?whose=mine&sort=title&page=2')
  const link = page.getByRole('link', { name: noteTitle(55), exact: true })
  await link.scrollIntoViewIfNeeded()
  const top = await page.evaluate(() => window.scrollY)
  expect(top).toBeGreaterThan(200)
  await link.click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(noteTitle(55))
  await page.getByRole('link', { name: 'All notes' }).click()
  await expect(link).toBeVisible()
  expect(new URL(page.url()).search).toBe('?whose=mine&sort=title&page=2')
  await expect.poll(() => page.evaluate(() => window.scrollY)).toBe(top)
  await link.click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(noteTitle(55))
  await page.goBack()
  await expect.poll(() => page.evaluate(() => window.scrollY)).toBe(top)
})

test('notes on a phone are cards that link to the note and can be selected', async ({ page, origin }) => {
  await page.setViewportSize({ width: 375, height: 800 })
  await signUp(page, origin)
  await runAction(page, origin, 'create-note', { title: 'Harbour plan', text: 'Three berths' })
  await page.goto('/notes')
  await page.getByRole('checkbox', { name: 'Select “Harbour plan”' }).click()
  await expect(page.getByText('1 selected')).toBeVisible()
  await expectNoViolations(page)
  await page.getByRole('button', { name: 'Clear the selection' }).click()
  // The whole card is a link.
  await page.getByRole('article').click({ position: { x: 150, y: 60 } })
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Harbour plan')
  await page.getByRole('button', { name: 'More actions for “Harbour plan”' }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete note' }).click()
  await expect(page).toHaveURL(/\/notes$/)
  await expect(page.getByText('“Harbour plan” was deleted.')).toBeVisible()
})
