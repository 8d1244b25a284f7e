import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { sessionOf } from '../support/http'
import { query } from '../support/query'
import { count, find, press, shows } from './page'
import { expectNoViolations, startSignedIn, waitFor, within } from './support'

test('settings list the calls that wait, and change whether an app asks before it deletes', async () => {
  const { server, browser, open } = await startSignedIn()
  await open('/settings/apps')
  await shows('Nothing is waiting for you.')
  const { userId, orgId } = await sessionOf(browser)
  const [token] = [
    (await (await browser.post('/_fw/tokens', { json: { name: 'T', scopes: ['mcp:write'], expiresInDays: 7 } })).json())
      .id,
  ]
  // The grant of a host, made from that of a token because a component cannot load the code of a consent.
  await query(
    server,
    "update oauth_grants set client_id = 'host', client_name = 'Test host', token_hash = null, token_end = null, last_used_at = created_at where id = ?",
    [token],
  )
  await query(
    server,
    `insert into a2a_approvals (id, user_id, org_id, caller, grant_id, action, input, status, created_at, expires_at)
      values ('question', ?, ?, 'host', ?, 'delete-note', '{}', 'pending', 1, 4e12)`,
    [userId, orgId, token],
  )
  await open('/settings')
  await open('/settings/apps')
  const waiting = await find('region', 'Waiting for your approval')
  const link = await within(waiting).findByRole('link', { name: 'Review delete-note of Test host' })
  expect(link.getAttribute('href')).toBe('/approvals/question')
  await expectNoViolations(waiting)

  const asksFirst = () =>
    query(server, 'select asks_first from oauth_grants').then(rows => rows.map(row => row.asks_first))
  await press('Actions for Test host')
  await press('Delete without asking', 'menuitem')
  await shows('Test host deletes without asking you.')
  expect(await asksFirst()).toEqual([0])
  await press('Actions for Test host')
  await press('Ask me before it deletes', 'menuitem')
  await waitFor(async () => expect(await asksFirst()).toEqual([1]))
})

test('an open page shows one message when an app asks for approval, also several times', async () => {
  const { open } = await startSignedIn()
  await open('/settings/apps')
  await shows('Nothing is waiting for you.')
  const anotherTab = new BroadcastChannel('fairway-changes')
  const change = { action: 'request-approval', collections: [], id: null, ageInMs: 0 }
  // The stream of this tab begins two seconds after the page.
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has a single origin
  const ask = () => anotherTab.postMessage({ kind: 'change', change, id: '1', sentAt: Date.now() })
  const timer = setInterval(ask, 500)
  const asked = () => count('group', 'An app asks for your approval')
  await waitFor(() => expect(asked()).toBeGreaterThan(0))
  clearInterval(timer)
  ask()
  ask()
  await setTimeout(500)
  expect(asked()).toBe(1)
  anotherTab.close()
})
