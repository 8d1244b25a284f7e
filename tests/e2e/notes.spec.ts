import type { Page } from '@playwright/test'
import { expectNoViolations } from '../support/accessibility'
import { expect, test } from '../support/e2e'
import { aPerson, runAction, signUp } from '../support/people'
import { insertNotes, noteTitle, query } from '../support/query'

const saved = (page: Page) => page.getByText('Saved', { exact: true })
const text = (page: Page) => page.getByRole('textbox', { name: 'Text' })
const idOf = (page: Page) => new URL(page.url()).pathname.split('/').at(-1) ?? ''

/** Signs a person up and opens their note for writing. */
async function openNote(page: Page, origin: string, note: { title: string; text: string }): Promise<void> {
  await signUp(page, origin)
  await runAction(page, origin, 'create-note', note)
  await page.goto('/notes')
  await page.getByRole('link', { name: note.title, exact: true }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(note.title)
}

test('a note has a URL and shows its Markdown without executable content', async ({ page, origin }) => {
  const elsewhere: string[] = []
  page.on('request', request => {
    if (!request.url().startsWith(origin) && !request.url().startsWith('data:')) elsewhere.push(request.url())
  })
  const evil = '<img src=x onerror="document.title=1"> <script>document.title=2</script>'
  await openNote(page, origin, {
    title: 'Harbour plan',
    text: `# Berths\n\nThree **free**.\n\n- [x] call\n\n${evil}\n\n![map](https://example.com/m.png) [no](javascript:alert(1))`,
  })
  const note = page.getByRole('article')
  await expect(note.getByRole('heading', { level: 2, name: 'Berths' })).toBeVisible()
  await expect(note.getByRole('checkbox', { name: 'Done' })).toBeChecked()
  await expect(note.getByRole('link', { name: 'map' })).toHaveAttribute('rel', 'noopener noreferrer nofollow')
  await expect(note.getByRole('link', { name: 'no', exact: true })).toHaveCount(0)
  await expect(note.getByText('<script>')).toBeVisible()
  await expect(note.locator('img, script')).toHaveCount(0)
  await expect(page).toHaveTitle(/^Harbour plan/)
  expect(elsewhere).toEqual([])

  await page.reload()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Harbour plan')
  await page.getByRole('button', { name: 'Write' }).click()
  await expect(page.getByRole('region', { name: 'Preview' }).getByRole('heading', { name: 'Berths' })).toBeVisible()
  await page.setViewportSize({ width: 375, height: 800 })
  await expect(page.getByRole('region', { name: 'Preview' })).toBeHidden()
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(375)
  await expectNoViolations(page)
})

test('a note saves automatically, and the first save creates it', async ({ page, origin, server }) => {
  await signUp(page, origin)
  await page.goto('/notes/new')
  await page.getByRole('textbox', { name: 'Title' }).fill('Plan')
  await expect(saved(page)).toBeVisible()
  await expect(page).toHaveURL(/\/notes\/[\w-]{20,}$/)
  await text(page).fill('first line')
  await expect(text(page)).toBeFocused()
  await expect(saved(page)).toBeVisible()
  expect(await query(server, 'select title, text from notes')).toMatchObject([{ title: 'Plan', text: 'first line' }])

  // Leaving the page saves the text that the pause has not saved yet.
  await text(page).fill('second line')
  await page.getByRole('link', { name: 'All notes' }).click()
  await expect(page.getByText('second line')).toBeVisible()
  await page.getByRole('link', { name: 'New note' }).click()
  await expect(page.getByRole('textbox', { name: 'Title' })).toHaveValue('')
})

test('unsaved changes are kept after a reload and saved when saving works again', async ({ page, origin, server }) => {
  await openNote(page, origin, { title: 'Plan', text: 'old' })
  await page.getByRole('button', { name: 'Write' }).click()
  await page.route('**/update-note', route => route.fulfill({ status: 503, body: 'down' }))
  await text(page).fill('new')
  await expect(page.getByText('Not saved', { exact: true })).toBeVisible()
  await expectNoViolations(page)
  await page.unroute('**/update-note')
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(saved(page)).toBeVisible()
  expect(await query(server, 'select text from notes')).toMatchObject([{ text: 'new' }])

  await page.route('**/update-note', route => route.fulfill({ status: 503, body: 'down' }))
  await text(page).fill('newer')
  await expect(page.getByText('Not saved', { exact: true })).toBeVisible()
  await page.reload()
  await expect(text(page)).toHaveValue('newer')
  await page.unroute('**/update-note')
  await text(page).fill('newest')
  await expect(saved(page)).toBeVisible()
  expect(await query(server, 'select text from notes')).toMatchObject([{ text: 'newest' }])
})

test('a conflict shows the other author and the changed lines, and both versions can be kept', async ({
  page,
  browser,
  origin,
  server,
}) => {
  await openNote(page, origin, { title: 'Plan', text: 'Berths\nThree\nTide' })
  const grace = await browser.newPage({ baseURL: origin })
  await signUp(grace, origin, aPerson('Grace'))
  // The first request creates a person's organization.
  for (const each of [page, grace]) await each.request.get(`${origin}/_fw/session`)
  const [org] = await query(server, 'select org_id from notes')
  await query(
    server,
    `update org_members set org_id = ?, role = 'member' where user_id = (select id from users where name = 'Grace')`,
    [String(org?.org_id)],
  )
  await runAction(page, origin, 'set-note-visibility', { id: idOf(page), visibility: 'org-edit' })
  await page.reload()
  await page.getByRole('button', { name: 'Write' }).click()
  await runAction(grace, origin, 'update-note', { id: idOf(page), text: 'Berths\nFour\nTide' })
  await runAction(grace, origin, 'update-note', { id: idOf(page), pinned: true })
  await text(page).fill('Berths\nThree\nTide\nRopes')

  const notice = page.getByRole('alert')
  await expect(notice).toContainText('Grace changed this note while you were writing')
  await expect(notice).toContainText(/Changed .*ago|Changed now/)
  const lines = notice.getByRole('region', { name: 'Text' }).getByRole('listitem')
  await expect(lines).toHaveText([
    /^\s*Berths$/,
    /−.*only in your version:\s*Three$/s,
    /\+.*only in the saved version:\s*Four$/s,
    /^\s*Tide$/,
    /−.*only in your version:\s*Ropes$/s,
  ])
  await expectNoViolations(page)
  await notice.getByRole('button', { name: 'Keep both' }).click()
  await expect(text(page)).toHaveValue('Berths\nFour\nTide')
  await expect(notice).toHaveCount(0)
  expect(await query(server, 'select title, text from notes order by title')).toEqual([
    { title: 'Plan', text: 'Berths\nFour\nTide' },
    { title: 'Plan (my version)', text: 'Berths\nThree\nTide\nRopes' },
  ])
  await page.getByRole('link', { name: 'Open' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Plan (my version)')
  await grace.close()
})

test('concurrent edits lose no text when the person keeps their version or takes the other', async ({
  page,
  origin,
  server,
}) => {
  await openNote(page, origin, { title: 'Plan', text: 'old' })
  await page.getByRole('button', { name: 'Write' }).click()
  await runAction(page, origin, 'update-note', { id: idOf(page), text: 'theirs' })
  await text(page).fill('mine')
  const notice = page.getByRole('alert')
  await expect(notice.getByText('theirs', { exact: true })).toBeVisible()
  await expect(notice).toContainText('You changed this note in another tab or on another device')
  await expect(text(page)).toHaveValue('mine')
  await expectNoViolations(page)
  await notice.getByRole('button', { name: 'Use mine' }).click()
  await expect(saved(page)).toBeVisible()
  expect(await query(server, 'select text from notes')).toMatchObject([{ text: 'mine' }])
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(text(page)).toHaveValue('theirs')
  await expect(saved(page)).toBeVisible()
  expect(await query(server, 'select text from notes')).toMatchObject([{ text: 'theirs' }])

  await runAction(page, origin, 'update-note', { id: idOf(page), text: 'theirs again' })
  await text(page).fill('mine again')
  await notice.getByRole('button', { name: 'Use theirs' }).click()
  await expect(text(page)).toHaveValue('theirs again')
  // Undo also works on another page, after the note was closed.
  await page.getByRole('link', { name: 'All notes' }).click()
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('link', { name: 'Plan', exact: true }).click()
  await page.getByRole('button', { name: 'Write' }).click()
  await expect(text(page)).toHaveValue('mine again')
  await expect(saved(page)).toBeVisible()
  expect(await query(server, 'select text from notes')).toMatchObject([{ text: 'mine again' }])
})

test('returning from a note restores the filters, page and scroll position of the list', async ({
  page,
  server,
  origin,
}) => {
  const ada = await signUp(page, origin)
  await page.request.get('/_fw/session')
  await insertNotes(server, ada.email, 75)
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

test('several notes are selected as a range, archived with undo, and deleted after a confirmation', async ({
  page,
  server,
  origin,
}) => {
  const ada = await signUp(page, origin)
  await page.request.get('/_fw/session')
  await insertNotes(server, ada.email, 8)
  await page.goto('/notes')
  const box = (number: number) => page.getByRole('checkbox', { name: `Select “${noteTitle(number)}”` })
  await box(8).click()
  await box(6).click({ modifiers: ['Shift'] })
  const bar = page.getByRole('region', { name: 'Selected notes' })
  await expect(bar).toContainText('3 selected')
  await bar.getByRole('button', { name: 'Archive' }).click()
  await expect(page.getByText('3 notes were archived.')).toBeVisible()
  await expect(page.getByRole('heading', { level: 2 })).toHaveCount(5)
  await expect(bar).toHaveCount(0)
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(page.getByRole('heading', { level: 2 })).toHaveCount(8)

  await page.getByRole('checkbox', { name: 'Select all on this page' }).click()
  await expect(bar).toContainText('8 selected')
  await box(1).click()
  await bar.getByRole('button', { name: 'Delete' }).click()
  const dialog = page.getByRole('dialog', { name: 'Delete 7 notes?' })
  await expect(dialog).toContainText('and 2 more')
  await dialog.getByRole('button', { name: 'Delete 7 notes' }).click()
  await expect(page.getByText('7 notes were deleted.')).toBeVisible()
  expect(await query(server, 'select title from notes')).toMatchObject([{ title: noteTitle(1) }])
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
