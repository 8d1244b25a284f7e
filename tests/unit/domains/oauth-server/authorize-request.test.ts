import { beforeAll, expect, it } from 'vitest'
import { registerClient, showConsent } from '#fairway/server/domains/oauth-server'
import { shareTestApp } from '../../../support/use-app'
import { authorizeQuery, WEB_REDIRECT } from '../../../support/oauth-host'

const visit = { session: null, sessionId: null, signedInAt: null, clientAddress: '203.0.113.7', requestId: 'r' }

const test = shareTestApp()
let client: string
beforeAll(async () => {
  client = (await registerClient(test.app, { redirect_uris: [WEB_REDIRECT] }, visit.clientAddress)).client_id
})

async function refusalOfQuery(query: string): Promise<URLSearchParams | number> {
  const answer = await showConsent(test.app, { ...visit, query })
  return 'page' in answer ? answer.status : new URL(answer.location, 'https://here.example').searchParams
}

it.each(['state', 'scope', 'nonce'])(
  'authorization request returns invalid_request for a repeated %s, also when one of them is empty',
  async name => {
    const refusal = await refusalOfQuery(`${authorizeQuery(client, { [name]: undefined })}&${name}=&${name}=x`)
    expect(refusal instanceof URLSearchParams && refusal.get('error')).toBe('invalid_request')
  },
)

it('authorization request with a second, empty client_id returns 400 without a redirect', async () => {
  expect(await refusalOfQuery(`${authorizeQuery(client)}&client_id=`)).toBe(400)
})

it('authorization request may repeat the resource parameter', async () => {
  const resource = encodeURIComponent(`${test.app.config.baseUrl}/mcp`)
  const answer = await refusalOfQuery(`${authorizeQuery(client)}&resource=&resource=${resource}&resource=${resource}`)
  expect(answer instanceof URLSearchParams && answer.has('return')).toBe(true)
})
