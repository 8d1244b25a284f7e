import { describe, expect, it } from 'vitest'
import { statusAndCode } from '../../../support/error-code'
import { sessionOf } from '../../../support/http'
import { useServer } from '../../../support/use-server'
import { newestMail, readOutbox } from '../../../support/mail'
import { query } from '../../../support/query'
import { createTeamWorld, type TeamPerson } from '../../../support/team'

const server = useServer()
const world = createTeamWorld(server)

const closeByRule = (orgId: string) =>
  query(server, `update organizations set required_auth_provider = 'corp' where id = ?`, [orgId])
const mail = ({ browser }: TeamPerson, orgId: string) => browser.post('/_fw/org/way-back', { json: { orgId } })
const use = ({ browser }: TeamPerson, orgId: string, token: string | null) =>
  browser.post('/_fw/org/way-back/use', { json: { orgId, token } })
const tokenFor = ({ email }: TeamPerson) => newestMail(server.dataDir, email).link.searchParams.get('way-back')

describe('the way back of an owner', () => {
  it('lifts the sign-in rule, tells all owners and leaves audit rows', async () => {
    const { owner, admin, orgId } = await world.team()
    const second = await world.join(owner, 'owner').catch(() => undefined)
    await closeByRule(orgId)
    expect(await sessionOf(owner.browser)).toMatchObject({ orgId: null, closedOrg: { id: orgId, isOwner: true } })
    expect((await sessionOf(admin.browser)).closedOrg).not.toHaveProperty('isOwner')
    expect((await mail(owner, orgId)).status).toBe(204)
    const lifted = await use(owner, orgId, tokenFor(owner))
    expect([lifted.status, await lifted.json()]).toEqual([200, { lifted: 'rule' }])
    expect((await sessionOf(owner.browser)).orgId).toBe(orgId)
    const told = readOutbox(server.dataDir).filter(({ subject }) => subject.startsWith('A rule of'))
    expect(told.map(({ to }) => to)).toEqual([owner.email, ...(second ? [second.email] : [])])
    const rows = await query(
      server,
      `select action from audit_log where org_id = ? and action like '%way-back' order by at`,
      [orgId],
    )
    expect(rows.map(({ action }) => action)).toEqual(['mail-way-back', 'use-way-back'])
  })

  it('lifts the session policy', async () => {
    const owner = await world.person()
    const orgId = String((await sessionOf(owner.browser)).orgId)
    await query(server, `update organizations set session_networks = '["192.0.2.0/24"]' where id = ?`, [orgId])
    expect(await sessionOf(owner.browser)).toMatchObject({ closedOrg: { reason: 'network', isOwner: true } })
    await mail(owner, orgId)
    expect(await (await use(owner, orgId, tokenFor(owner))).json()).toEqual({ lifted: 'policy' })
    expect((await sessionOf(owner.browser)).orgId).toBe(orgId)
  })

  it('is for owners only, and only where a rule keeps them out', async () => {
    const { owner, admin, outsider, orgId } = await world.team()
    expect(await statusAndCode(await mail(owner, orgId))).toEqual([404, 'not-found'])
    await closeByRule(orgId)
    expect(await statusAndCode(await mail(admin, orgId))).toEqual([403, 'forbidden'])
    expect(await statusAndCode(await mail(outsider, orgId))).toEqual([404, 'not-found'])
    await query(server, 'update users set email_verified = 0 where id = ?', [owner.userId])
    expect((await mail(owner, orgId)).status).toBe(403)
  })

  it('works once, for the owner who asked', async () => {
    const { owner, admin, orgId } = await world.team()
    await closeByRule(orgId)
    await mail(owner, orgId)
    const token = tokenFor(owner)
    expect(await statusAndCode(await use(admin, orgId, token))).toEqual([410, 'link-used'])
    expect((await use(owner, orgId, token)).status).toBe(200)
    await closeByRule(orgId)
    expect(await statusAndCode(await use(owner, orgId, token))).toEqual([410, 'link-used'])
  })
})
