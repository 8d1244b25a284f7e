import { afterAll, expect, it } from 'vitest'
import { statusAndCode } from '../../../support/error-code'
import { useServer } from '../../../support/use-server'
import { startAssertionIssuer } from '../../../support/managed-agents'
import { ageSessions, query } from '../../../support/query'
import { createTeamWorld, type TeamPerson } from '../../../support/team'

const corp = await startAssertionIssuer()
const tenant = await startAssertionIssuer('/issuers/larch')
const server = useServer({ env: { FW_ISSUER_ORIGINS: [corp, tenant].map(({ origin }) => origin).join(',') } })
const world = createTeamWorld(server)
afterAll(() => Promise.all([corp.stop(), tenant.stop()]))

/** A team with a connection in this state. */
async function aTeam(state = 'active') {
  const team = await world.team()
  const id = `connection-${team.orgId}`
  await query(
    server,
    `insert into fw_org_connections (id, org_id, name, issuer, client_auth, provision, default_role, state, created_by, created_at)
      values (?, ?, 'Corp', ?, 'secret', 1, 'member', ?, ?, 0)`,
    [id, team.orgId, corp.issuer, state, team.owner.userId],
  )
  const change = (who: TeamPerson, json: object) =>
    who.browser.request(`/_fw/org/connections/${id}`, { method: 'PATCH', json })
  return { ...team, change }
}

it('is switched on by an owner, with the connection’s issuer or named ones, and the audit log has it', async () => {
  const { owner, orgId, change } = await aTeam()
  const on = await change(owner, { managedAgents: true })
  expect(await on.json()).toMatchObject({ managedAgents: true, assertionIssuers: [corp.issuer] })
  const named = await change(owner, { assertionIssuers: [corp.issuer, `${tenant.issuer}/`, tenant.issuer] })
  expect(await named.json()).toMatchObject({ managedAgents: true, assertionIssuers: [corp.issuer, tenant.issuer] })
  const { connections } = await (await owner.browser.get('/_fw/org/connections')).json()
  expect(connections).toEqual([expect.objectContaining({ assertionIssuers: [corp.issuer, tenant.issuer] })])
  expect(await (await change(owner, { assertionIssuers: null })).json()).toMatchObject({
    assertionIssuers: [corp.issuer],
  })
  const rows = await query(
    server,
    `select * from audit_log where org_id = ? and action = 'change-identity-connection'`,
    [orgId],
  )
  expect(JSON.stringify(rows)).toContain('managedAgents')
})

it.each(['draft', 'active'])('is not for admins while the connection is %s', async state => {
  const { admin, change } = await aTeam(state)
  for (const json of [{ managedAgents: true }, { assertionIssuers: null }])
    expect(await statusAndCode(await change(admin, json))).toEqual([403, 'forbidden'])
})

it('names issuers that answer, five at most', async () => {
  const { owner, change } = await aTeam()
  const wrong = await change(owner, { assertionIssuers: ['https://login.microsoftonline.com/common/v2.0'] })
  expect([wrong.status, (await wrong.json()).errors]).toEqual([
    400,
    [expect.objectContaining({ path: 'assertionIssuers', message: expect.stringContaining('tenant') })],
  ])
  const many = Array.from({ length: 6 }, (_each, index) => `https://issuer${index}.example.com`)
  expect((await change(owner, { assertionIssuers: many })).status).toBe(400)
})

it('has clients that owners add after a recent sign-in, and that admins see', async () => {
  const { owner, admin, member } = await aTeam()
  const PATH = '/_fw/org/managed-clients'
  const add = (who: TeamPerson) => who.browser.post(PATH, { json: { name: 'Larch agent' } })
  for (const other of [admin, member]) expect((await add(other)).status).toBe(403)
  const added = await add(owner)
  const { clientId, clientSecret } = await added.json()
  expect([added.status, clientSecret]).toEqual([201, expect.stringMatching(/^fwm_[\w-]{43}$/)])
  const listed = await (await admin.browser.get(PATH)).text()
  expect(listed).toContain(clientId)
  expect(listed).not.toContain(clientSecret)
  expect((await admin.browser.request(`${PATH}/${clientId}`, { method: 'DELETE' })).status).toBe(403)
  await ageSessions(server)
  expect(await statusAndCode(await add(owner))).toEqual([403, 'fresh-session-required'])
})
