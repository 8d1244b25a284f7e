import { afterEach, beforeEach, expect, it } from 'vitest'
import {
  registerClient,
  showConsent,
  purgePendingRequests,
  purgeUsedTickets,
} from '#fairway/server/domains/oauth-server'
import { spendTicket } from '#fairway/server/domains/oauth-server/authorize/consent-ticket'
import type { App } from '#fairway/server/kernel/app-context'
import { createTestApp, type TestApp } from '../../../support/app'
import { authorizeQuery, WEB_REDIRECT } from '../../../support/oauth-host'
import { countRows, query } from '../../../support/query'

const MINUTE = 60
let test: TestApp

beforeEach(async () => {
  test = await createTestApp()
})
afterEach(() => test.close())

const later = (seconds: number): App => ({ ...test.app, now: () => new Date(Date.now() + seconds * 1000) })

it('a kept request is found for an hour, holds nothing readable, and is swept then', async () => {
  const { client_id: client } = await registerClient(test.app, { redirect_uris: [WEB_REDIRECT] }, '203.0.113.7')
  const visit = { session: null, sessionId: null, signedInAt: null, clientAddress: '203.0.113.7', requestId: 'r' }
  const asked = authorizeQuery(client, { state: 'a-long-state-'.repeat(200) })
  const answer = await showConsent(test.app, { ...visit, query: asked })
  const back = new URL('location' in answer ? answer.location : '', 'http://x').searchParams.get('return') ?? ''
  const kept = back.slice(back.indexOf('?'))
  const rows = await query(test.app, 'select * from oauth_pending_requests')
  expect(JSON.stringify(rows)).not.toContain('a-long-state')
  expect(JSON.stringify(rows)).not.toContain(kept.split('=')[1])
  expect(await showConsent(later(59 * MINUTE), { ...visit, query: kept })).toHaveProperty('location')
  expect(await showConsent(later(61 * MINUTE), { ...visit, query: kept })).toMatchObject({ status: 400 })
  await purgePendingRequests(later(59 * MINUTE))
  expect(await countRows(test.app, 'oauth_pending_requests')).toBe(1)
  await purgePendingRequests(later(61 * MINUTE))
  expect(await countRows(test.app, 'oauth_pending_requests')).toBe(0)
})

it('the mark of a used ticket stays as long as the ticket would be good', async () => {
  const ticket = { id: 't', expiresAt: Date.now() + 10 * MINUTE * 1000 }
  const use = () => spendTicket(test.app, ticket)
  expect([await use(), await use()]).toEqual([true, false])
  await purgeUsedTickets(later(9 * MINUTE))
  expect(await countRows(test.app, 'oauth_used_tickets')).toBe(1)
  await purgeUsedTickets(later(11 * MINUTE))
  expect(await countRows(test.app, 'oauth_used_tickets')).toBe(0)
})
