import { Client, CrossAppAccessProvider, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { connectProvider, type CustomerProvider, goThrough, startCustomerProvider } from '../support/customer-provider'
import { createBrowser, sessionOf } from '../support/http'
import { query } from '../support/query'
import { borrowServer, type TestServer } from '../support/server'
import { createTeamWorld, type TeamPerson } from '../support/team'

const DOMAIN = 'larch.example.org'
let provider: CustomerProvider
let server: TestServer
let owner: TeamPerson
let connectionId: string
let agent: { clientId: string; clientSecret: string }

beforeAll(async () => {
  provider = await startCustomerProvider()
  server = await borrowServer({ env: { FW_ISSUER_ORIGINS: provider.origin } })
  owner = await createTeamWorld(server).person()
  const { orgId } = await sessionOf(owner.browser)
  await query(
    server,
    `insert into fw_org_domains (org_id, domain, token, status, proved_at, checked_at, created_by, created_at)
      values (?, ?, 'token', 'proved', 1, 9e12, ?, 1)`,
    [orgId, DOMAIN, owner.userId],
  )
  connectionId = await connectProvider(provider, owner.browser, DOMAIN)
  const on = await owner.browser.request(`/_fw/org/connections/${connectionId}`, {
    method: 'PATCH',
    json: { managedAgents: true },
  })
  expect(on.status).toBe(200)
  agent = await (await owner.browser.post('/_fw/org/managed-clients', { json: { name: 'Larch agent' } })).json()
}, 60_000)
afterAll(async () => {
  await server.stop()
  await provider.stop()
})

/** Connects the agent of the protocol's library on behalf of a person of the customer. */
async function connectAgent(sub: string): Promise<Client> {
  const authProvider = new CrossAppAccessProvider({
    ...agent,
    expectedIssuer: server.origin,
    assertion: ({ authorizationServerUrl: audience, scope }) =>
      provider.assert({ sub, clientId: agent.clientId, audience, scope }),
  })
  const client = new Client({ name: 'agent', version: '1.0.0' })
  onTestFinished(() => client.close())
  await client.connect(new StreamableHTTPClientTransport(new URL(`${server.origin}/mcp`), { authProvider }))
  return client
}

it('lets the agent of a customer call tools as a person who has signed in, until an owner ends it', async () => {
  await expect(connectAgent('ada')).rejects.toThrow('has not signed in')

  provider.person('ada', { email: `ada@${DOMAIN}`, email_verified: true, name: 'Ada' })
  const browser = createBrowser(server.origin)
  const json = { email: `ada@${DOMAIN}`, callbackURL: '/notes' }
  const { url } = await (await browser.post('/_fw/auth/sign-in/connection', { json })).json()
  await goThrough(provider, browser, url, 'ada')

  const client = await connectAgent('ada')
  await client.callTool({ name: 'create-note', arguments: { title: 'From an agent', text: 'Hello' } })
  const { result } = await (await browser.get('/_fw/actions/list-notes')).json()
  expect(result.notes).toEqual([expect.objectContaining({ title: 'From an agent', ownerEmail: `ada@${DOMAIN}` })])

  const { grants } = await (await browser.get('/_fw/grants')).json()
  expect(grants).toEqual([expect.objectContaining({ clientName: 'Larch agent', clientId: agent.clientId })])
  const { clients } = await (await owner.browser.get('/_fw/org/managed-clients')).json()
  expect(clients).toEqual([expect.objectContaining({ id: agent.clientId, people: 1 })])
  const audited = JSON.stringify(await (await owner.browser.get('/_fw/org/audit')).json())
  expect(audited).toContain('create-note')

  const off = { managedAgents: false }
  await owner.browser.request(`/_fw/org/connections/${connectionId}`, { method: 'PATCH', json: off })
  await expect(client.callTool({ name: 'list-notes', arguments: {} })).rejects.toThrow('issuer')
  expect((await (await browser.get('/_fw/grants')).json()).grants).toEqual([])
})
