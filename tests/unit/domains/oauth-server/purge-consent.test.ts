import { expect, it } from 'vitest'
import { registerClient, showConsent } from '#fairway/server/domains/oauth-server'
import { spendTicket } from '#fairway/server/domains/oauth-server/authorize/consent-ticket'
import type { App } from '#fairway/server/kernel/app-context'
import { purgeOneTime } from '#fairway/server/kernel/one-time/one-time'
import { useTestApp } from '../../../support/use-app'
import { authorizeQuery, WEB_REDIRECT } from '../../../support/oauth-host'
import { countRows, query } from '../../../support/query'

const MINUTE = 60
const test = useTestApp()

const later = (seconds: number): App => ({ ...test.app, now: () => new Date(Date.now() + seconds * 1000) })

it('stored authorization request is valid for an hour, is encrypted, and is deleted a day later', async () => {
  const { client_id: client } = await registerClient(test.app, { redirect_uris: [WEB_REDIRECT] }, '203.0.113.7')
  const visit = { session: null, sessionId: null, signedInAt: null, clientAddress: '203.0.113.7', requestId: 'r' }
  const asked = authorizeQuery(client, { state: 'a-long-state-'.repeat(200) })
  const answer = await showConsent(test.app, { ...visit, query: asked })
  const back = new URL('location' in answer ? answer.location : '', 'http://x').searchParams.get('return') ?? ''
  const kept = back.slice(back.indexOf('?'))
  const rows = await query(test.app, 'select * from fw_one_time')
  expect(JSON.stringify(rows)).not.toContain('a-long-state')
  expect(JSON.stringify(rows)).not.toContain(kept.split('=')[1])
  expect(await showConsent(later(59 * MINUTE), { ...visit, query: kept })).toHaveProperty('location')
  expect(await showConsent(later(61 * MINUTE), { ...visit, query: kept })).toMatchObject({ status: 400 })
  await purgeOneTime(later(24 * 60 * MINUTE))
  expect(await countRows(test.app, 'fw_one_time')).toBe(1)
  await purgeOneTime(later(25 * 60 * MINUTE + 1))
  expect(await countRows(test.app, 'fw_one_time')).toBe(0)
})

it('record of a used ticket is kept at least as long as the ticket is valid', async () => {
  const ticket = { id: 't', expiresAt: Date.now() + 10 * MINUTE * 1000 }
  const use = () => spendTicket(test.app, ticket)
  expect([await use(), await use()]).toEqual([true, false])
  await purgeOneTime(later(9 * MINUTE))
  expect(await countRows(test.app, 'fw_one_time')).toBe(1)
  await purgeOneTime(later(24 * 60 * MINUTE + 11 * MINUTE))
  expect(await countRows(test.app, 'fw_one_time')).toBe(0)
})
