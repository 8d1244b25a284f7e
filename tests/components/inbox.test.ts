import userEvent from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { query } from '../support/query'
import { aPerson } from '../support/people'
import { createBrowser, sessionOf, signUp } from '../support/http'
import { invite } from '../support/team'
import { count, find, press, shows, texts } from './page'
import { expectNoViolations, startSignedIn, waitFor } from './support'

type Started = Awaited<ReturnType<typeof startSignedIn>>

async function tell({ server, browser }: Started, ...titles: string[]): Promise<void> {
  const { userId } = await sessionOf(browser)
  for (const [number, title] of titles.entries())
    await query(
      server,
      `insert into fw_notifications (id, user_id, name, title, text, href, created_at) values (?, ?, 'won', ?, 'Well done.', '/notes', ?)`,
      [`n-${String(number).padStart(3, '0')}`, userId, title, Date.now()],
    )
}

test('the bell counts what is new, and the inbox shows it until it is read', async () => {
  const started = await startSignedIn()
  await tell(started, 'Larch is won', 'Birch is won')
  await started.open('/about')
  await started.open('/notes')
  await press('Inbox: 2 new')
  const inbox = await find('dialog', 'Inbox')
  await shows('Birch is won', () => inbox)
  expect(texts('link', inbox).slice(0, 2)).toEqual(['Birch is won', 'Larch is won'])
  await expectNoViolations(inbox)
  await press('Mark “Birch is won” as read', 'button', inbox)
  await waitFor(() => expect(count('button', /^Mark “/, inbox)).toBe(1))
  await press('Mark all as read', 'button', inbox)
  await waitFor(() => expect(count('button', /^Mark/, inbox)).toBe(0))
  await userEvent.keyboard('{Escape}')
  await find('button', 'Inbox')
})

test('a link of the inbox opens its page, closes the inbox and marks the notification as read', async () => {
  const started = await startSignedIn()
  await tell(started, 'Larch is won')
  await started.open('/settings')
  await press('Inbox: 1 new')
  await press('Larch is won', 'link', await find('dialog', 'Inbox'))
  await waitFor(() => expect(window.location.pathname).toBe('/notes'))
  await waitFor(() => expect(count('dialog')).toBe(0))
  await find('button', 'Inbox')
})

test('the inbox is empty at first, and shows an invitation that arrives while it is open', async () => {
  const { server, person, open } = await startSignedIn()
  await open('/settings')
  await press('Inbox')
  const inbox = await find('dialog', 'Inbox')
  await shows('Nothing waits for you.', () => inbox)
  const ben = createBrowser(server.origin)
  await signUp(ben, aPerson('Ben'))
  await invite(ben, person.email)
  const anotherTab = new BroadcastChannel('fairway-changes')
  const change = { action: 'fw-inbox', collections: [], id: null, ageInMs: 0 }
  // The stream of this tab begins two seconds after the page.
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has a single origin
  const timer = setInterval(() => anotherTab.postMessage({ kind: 'change', change, id: '', sentAt: Date.now() }), 500)
  const answer = await find('link', "Answer: Ben invited you to Ben's organization.", inbox)
  clearInterval(timer)
  anotherTab.close()
  expect(answer.getAttribute('href')).toMatch(/^\/invitation\?id=/)
  await userEvent.keyboard('{Escape}')
  await find('button', 'Inbox: 1 new')
})

test('older notifications follow on request', async () => {
  const started = await startSignedIn()
  await tell(started, ...Array.from({ length: 31 }, (_, number) => `T${number}`))
  await started.open('/settings')
  await press('Inbox: 31 new')
  const inbox = await find('dialog', 'Inbox')
  await shows('T30', () => inbox)
  expect(count('link', /^T\d/, inbox)).toBe(30)
  await press('Show older ones', 'button', inbox)
  await find('link', 'T0', inbox)
  expect(count('button', 'Show older ones', inbox)).toBe(0)
})
