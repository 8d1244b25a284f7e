import { afterAll, beforeAll, expect, it } from 'vitest'
import { registerClient, showConsent } from '#fairway/server/domains/oauth-server'
import { createTestApp, type TestApp } from '../../../support/app'
import { authorizeQuery, WEB_REDIRECT } from '../../../support/oauth-host'

const visit = { session: null, sessionId: null, signedInAt: null, clientAddress: '203.0.113.7', requestId: 'r' }

let test: TestApp
let client: string
beforeAll(async () => {
  test = await createTestApp()
  client = (await registerClient(test.app, { redirect_uris: [WEB_REDIRECT] }, visit.clientAddress)).client_id
})
afterAll(() => test.close())

async function refusalOfQuery(query: string): Promise<URLSearchParams | number> {
  const answer = await showConsent(test.app, { ...visit, query })
  return 'page' in answer ? answer.status : new URL(answer.location, 'https://here.example').searchParams
}

it.each(['state', 'scope', 'nonce'])(
  'a request with %s twice is refused, also where one of them is empty',
  async name => {
    const refusal = await refusalOfQuery(`${authorizeQuery(client, { [name]: undefined })}&${name}=&${name}=x`)
    expect(refusal instanceof URLSearchParams && refusal.get('error')).toBe('invalid_request')
  },
)

it('a request with an empty client_id beside another is refused here, and sent to no address', async () => {
  expect(await refusalOfQuery(`${authorizeQuery(client)}&client_id=`)).toBe(400)
})

it('a resource may be sent more than once', async () => {
  const resource = encodeURIComponent(`${test.app.config.baseUrl}/mcp`)
  const answer = await refusalOfQuery(`${authorizeQuery(client)}&resource=&resource=${resource}&resource=${resource}`)
  expect(answer instanceof URLSearchParams && answer.has('return')).toBe(true)
})
