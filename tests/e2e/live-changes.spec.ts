import type { Browser, Page } from '@playwright/test'
import { expect, test } from '../support/e2e'
import { runAction, signUp } from '../support/people'
import { query } from '../support/query'

const CHANGES = /\/_fw\/changes/

/** A page with the same session in a separate browser. */
async function inAnotherBrowser(browser: Browser, page: Page): Promise<Page> {
  const context = await browser.newContext({
    storageState: await page.context().storageState(),
    reducedMotion: 'reduce',
  })
  return context.newPage()
}

/** Opens the notes and waits until the page listens for changes. */
async function openLive(page: Page, origin: string): Promise<void> {
  const listening = page.waitForResponse(response => CHANGES.test(response.url()) && response.ok())
  await page.goto(`${origin}/notes`)
  await listening
}

const pinOf = (page: Page, title: string) => page.getByRole('button', { name: new RegExp(`^(Pin|Unpin).*${title}`) })
const isPinned = (page: Page, title: string) => expect(pinOf(page, title)).toHaveAttribute('aria-pressed', 'true')

test('pinning a note in one browser pins it in the other, which keeps its selection', async ({
  page,
  browser,
  origin,
}) => {
  await signUp(page, origin)
  for (const title of ['Berth', 'Crane']) await runAction(page, origin, 'create-note', { title })
  const other = await inAnotherBrowser(browser, page)
  await openLive(page, origin)
  await openLive(other, origin)
  await other.getByRole('checkbox', { name: /Crane/ }).check()
  await pinOf(page, 'Berth').click()
  await isPinned(other, 'Berth')
  await expect(other.getByRole('checkbox', { name: /Crane/ })).toBeChecked()

  // The change in the other direction: the first browser receives it.
  await pinOf(other, 'Berth').click()
  await expect(pinOf(page, 'Berth')).toHaveAttribute('aria-pressed', 'false')
})

test('an open note shows remote changes but keeps text that is being written', async ({
  page,
  browser,
  origin,
  server,
}) => {
  await signUp(page, origin)
  await runAction(page, origin, 'create-note', { title: 'Harbour', text: 'Three berths.' })
  const [note] = await query(server, 'select id from notes')
  const other = await inAnotherBrowser(browser, page)
  const listening = other.waitForResponse(response => CHANGES.test(response.url()))
  await other.goto(`${origin}/notes/${String(note?.id)}`)
  await listening
  await runAction(page, origin, 'update-note', { id: note?.id, text: 'Four berths.' })
  await expect(other.getByText('Four berths.')).toBeVisible()

  await other.getByRole('button', { name: 'Write' }).click()
  await other.route('**/update-note', route => route.abort())
  await other.getByRole('textbox', { name: 'Text' }).fill('Five, I think.')
  const heard = other.waitForResponse(response => response.url().endsWith(`/note-list/${String(note?.id)}`))
  await runAction(page, origin, 'update-note', { id: note?.id, text: 'Six berths.' })
  await heard
  await expect(other.getByRole('textbox', { name: 'Text' })).toHaveValue('Five, I think.')
})

test('one tab listens for all tabs of a browser, and another takes over when it closes', async ({ page, origin }) => {
  await signUp(page, origin)
  await runAction(page, origin, 'create-note', { title: 'Berth' })
  const asked: string[] = []
  page.context().on('request', request => {
    if (CHANGES.test(request.url())) asked.push(request.url())
  })
  await openLive(page, origin)
  const second = await page.context().newPage()
  await second.clock.install()
  await second.goto(`${origin}/notes`)
  await expect(pinOf(second, 'Berth')).toBeVisible()
  await second.clock.runFor(3500)
  expect(asked).toHaveLength(1)
  const [note] = await page.evaluate(async () => (await (await fetch('/note-list')).json()).member)
  await runAction(page, origin, 'update-note', { id: note.id, pinned: true })
  await isPinned(second, 'Berth')
  const taken = second.waitForRequest(CHANGES)
  await page.close()
  await taken
  await runAction(second, origin, 'update-note', { id: note.id, pinned: false })
  await expect(pinOf(second, 'Berth')).toHaveAttribute('aria-pressed', 'false')
})

test('a page without the change stream reloads its data when it regains focus', async ({ page, origin }) => {
  // First the server has no free place for a stream, then the network fails.
  await page.route(CHANGES, route => route.abort())
  await page.route(CHANGES, route => route.fulfill({ status: 429, headers: { 'retry-after': '30' } }), { times: 1 })
  await signUp(page, origin)
  await runAction(page, origin, 'create-note', { title: 'Berth' })
  const tried = page.waitForRequest(CHANGES)
  await page.clock.install()
  await page.goto(`${origin}/notes`)
  await expect(pinOf(page, 'Berth')).toBeVisible()
  await page.clock.runFor(3000)
  await tried
  const [note] = await page.evaluate(async () => (await (await fetch('/note-list')).json()).member)
  await runAction(page, origin, 'update-note', { id: note.id, pinned: true })
  await page.clock.runFor(11_000)
  await page.evaluate(() => window.dispatchEvent(new Event('focus')))
  await page.clock.runFor(2000)
  await isPinned(page, 'Berth')
})

test('a page whose session ends before it listens redirects to the sign-in page', async ({ page, origin }) => {
  await signUp(page, origin)
  await page.goto(`${origin}/notes`)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Notes')
  // Sent outside the pages of this browser: a page would tell the other pages.
  await page.request.delete('/_fw/session', { headers: { origin } })
  await page.waitForURL('**/sign-in?return=%2Fnotes')
})
