import { describe, expect, it } from 'vitest'
import { codeOf } from '../../../support/error-code'
import { sessionOf } from '../../../support/http'
import { query } from '../../../support/query'
import { useServer } from '../../../support/use-server'
import { createTeamWorld, type TeamPerson } from '../../../support/team'

const server = useServer()
const world = createTeamWorld(server)

describe('first organization', () => {
  it('is named after the person and is active in their session', async () => {
    const ada = await world.person({ name: 'Ada Lovelace' })
    expect(await sessionOf(ada.browser)).toMatchObject({ orgName: "Ada Lovelace's organization", orgRole: 'owner' })
  })

  it('is not created for an invited person', async () => {
    const owner = await world.person()
    await owner.browser.post('/_fw/org/invitations', { json: { email: 'invited@example.test' } })
    const invited = await world.person({ email: 'invited@example.test' })
    expect(await sessionOf(invited.browser)).toMatchObject({ orgId: null, orgRole: null })
    const overview = await (await invited.browser.get('/_fw/org')).json()
    expect(overview).toMatchObject({
      orgs: [],
      activeOrgId: null,
      invitations: [{ role: 'member', invitedBy: 'Person' }],
    })
  })

  it('is not created for a person whose email domain belongs to an organization', async () => {
    const owner = await world.person({ email: 'boss@harbour-works.test' })
    await sessionOf(owner.browser)
    expect(
      (await owner.browser.request('/_fw/org', { method: 'PATCH', json: { allowedDomain: 'harbour-works.test' } }))
        .status,
    ).toBe(200)
    const colleague = await world.person({ email: 'new@harbour-works.test', verified: false })
    expect(await sessionOf(colleague.browser)).toMatchObject({ orgId: null })
  })
})

describe('POST /_fw/org', () => {
  it('requires confirmation, lists the credentials that would be left behind, and logs both steps', async () => {
    const person = await world.person()
    const { orgId } = await sessionOf(person.browser)
    await query(
      server,
      `insert into vault_credentials (id, org_id, key, ciphertext, key_id, last_four, created_at, updated_at)
       values ('v1', ?, 'STRIPE_KEY', 'x', 'k', 'abcd', 0, 0)`,
      [orgId],
    )
    const refused = await person.browser.post('/_fw/org', { json: { name: 'Second' } })
    expect(refused.status).toBe(409)
    expect(await refused.json()).toMatchObject({
      code: 'confirm-additional-organization',
      organization: { id: orgId },
      orphanedCredentials: [{ key: 'STRIPE_KEY' }],
    })
    const created = await person.browser.post('/_fw/org', { json: { name: 'Second', confirm: true } })
    expect(created.status).toBe(201)
    const second = await created.json()
    expect(await sessionOf(person.browser)).toMatchObject({ orgId: second.id, orgName: 'Second', orgRole: 'owner' })
    const warnings = server
      .log()
      .split('\n')
      .filter(line => line.includes(second.id) && line.includes('"warn"'))
    expect(warnings).toHaveLength(2)
    for (const line of warnings) {
      expect(line).toContain(orgId)
      expect(line).toContain('STRIPE_KEY')
      expect(line).not.toContain(person.email)
    }
  })

  it.each([{}, { name: '' }, { name: ' ' }, { name: 'x'.repeat(101) }, { name: 'a\u0000b' }, { name: 7 }])(
    'returns 400 for %j and stores nothing',
    async json => {
      const person = await world.person()
      await sessionOf(person.browser)
      const answer = await person.browser.post('/_fw/org', { json })
      expect(answer.status).toBe(400)
      expect(await codeOf(answer)).toBe('invalid-input')
      expect(await query(server, 'select 1 from org_members where user_id = ?', [person.userId])).toHaveLength(1)
    },
  )
})

describe('active organization', () => {
  it('switches between two organizations and to none with confirmation, and from none without it', async () => {
    const person = await world.person()
    const first = await sessionOf(person.browser)
    const second = await (await person.browser.post('/_fw/org', { json: { name: 'Second', confirm: true } })).json()
    const put = (json: unknown) => person.browser.request('/_fw/org/active', { method: 'PUT', json })
    const asked = await put({ orgId: first.orgId })
    expect(asked.status).toBe(409)
    expect(await asked.json()).toMatchObject({
      code: 'confirm-organization-switch',
      from: { id: second.id, name: 'Second' },
      to: { id: first.orgId },
      orphanedCredentials: [],
    })
    expect((await sessionOf(person.browser)).orgId).toBe(second.id)
    expect(await (await put({ orgId: first.orgId, confirm: true })).json()).toMatchObject({ orgId: first.orgId })
    expect((await put({ orgId: null })).status).toBe(409)
    expect((await put({ orgId: null, confirm: true })).status).toBe(200)
    expect((await sessionOf(person.browser)).orgId).toBeNull()
    expect((await put({ orgId: second.id })).status).toBe(200)
    expect((await sessionOf(person.browser)).orgId).toBe(second.id)
  })

  it('returns 403 for an organization that the person is not a member of', async () => {
    const { orgId, outsider } = await world.team()
    const before = await sessionOf(outsider.browser)
    const answer = await outsider.browser.request('/_fw/org/active', { method: 'PUT', json: { orgId, confirm: true } })
    expect(answer.status).toBe(403)
    expect((await sessionOf(outsider.browser)).orgId).toBe(before.orgId)
  })

  it('falls back to the oldest membership when the stored one has ended', async () => {
    const person = await world.person()
    const { orgId } = await sessionOf(person.browser)
    await query(server, `insert into user_settings values (?, 'active-org-id', 'gone')`, [person.userId])
    expect((await sessionOf(person.browser)).orgId).toBe(orgId)
  })
})

describe('membership', () => {
  it('ends on the next request after removal, and the person continues without the organization', async () => {
    const { owner, member, orgId } = await world.team()
    expect((await sessionOf(member.browser)).orgId).toBe(orgId)
    const removed = await owner.browser.request(`/_fw/org/members/${encodeURIComponent(member.email)}`, {
      method: 'DELETE',
    })
    expect([removed.status, await removed.json()]).toEqual([
      200,
      { rows: [], receivedBy: expect.objectContaining({ email: owner.email }) },
    ])
    const session = await sessionOf(member.browser)
    expect(session.orgId).not.toBe(orgId)
    expect((await member.browser.get('/_fw/org/members')).status).toBe(session.orgId ? 200 : 400)
  })

  it('loses the admin’s rights as soon as they are demoted', async () => {
    const { owner, admin } = await world.team()
    expect((await admin.browser.get('/_fw/org/invitations')).status).toBe(200)
    await owner.browser.request(`/_fw/org/members/${admin.email}`, { method: 'PATCH', json: { role: 'member' } })
    expect((await admin.browser.get('/_fw/org/invitations')).status).toBe(403)
  })

  it('is listed with pages, search, role filter and sort order, and wildcards are treated as text', async () => {
    const { owner, admin, member } = await world.team()
    const list = async (query: string) => (await owner.browser.get(`/_fw/org/members?${query}`)).json()
    expect(await list('itemsPerPage=2')).toMatchObject({
      totalItems: 3,
      members: [{ email: owner.email }, { email: admin.email }],
    })
    expect(await list('itemsPerPage=2&page=2')).toMatchObject({ totalItems: 3, members: [{ email: member.email }] })
    expect(await list(`search=${member.email.slice(0, 9).toUpperCase()}`)).toMatchObject({
      members: [{ email: member.email }],
    })
    expect(await list('search=%25')).toEqual({ members: [], totalItems: 0 })
    expect(await list('role=admin')).toMatchObject({ totalItems: 1, members: [{ email: admin.email }] })
    expect((await list('sort=-joinedAt&itemsPerPage=1')).members).toMatchObject([{ email: member.email }])
    for (const query of ['page=0', 'page=x', 'itemsPerPage=101', 'role=boss', 'sort=email'])
      expect((await owner.browser.get(`/_fw/org/members?${query}`)).status).toBe(400)
  })

  it('keeps one owner when the last owner leaves or two owners demote each other at once', async () => {
    const { owner, admin } = await world.team()
    const leave = await owner.browser.post('/_fw/org/leave')
    expect([leave.status, await codeOf(leave)]).toEqual([409, 'last-owner'])
    await owner.browser.request(`/_fw/org/members/${admin.email}`, { method: 'PATCH', json: { role: 'owner' } })
    const demote = (by: typeof owner, whom: typeof owner) =>
      by.browser.request(`/_fw/org/members/${whom.email}`, { method: 'PATCH', json: { role: 'member' } })
    const statuses = (await Promise.all([demote(owner, admin), demote(admin, owner)])).map(answer => answer.status)
    expect(statuses.filter(status => status === 200)).toHaveLength(1)
    const { orgId } = await sessionOf(owner.browser)
    expect(await query(server, `select 1 from org_members where org_id = ? and role = 'owner'`, [orgId])).toHaveLength(
      1,
    )
  })

  it('passes ownership to another member', async () => {
    const { owner, member } = await world.team()
    expect((await owner.browser.post('/_fw/org/transfer', { json: { email: member.email } })).status).toBe(204)
    expect((await sessionOf(member.browser)).orgRole).toBe('owner')
    expect((await sessionOf(owner.browser)).orgRole).toBe('admin')
    const stranger = await member.browser.post('/_fw/org/transfer', { json: { email: 'nobody@example.test' } })
    expect(stranger.status).toBe(404)
  })
})

describe('DELETE /_fw/org', () => {
  it('requires the name, removes access for all members, and can be undone by the owner only', async () => {
    const { owner, member, orgId } = await world.team()
    const { orgName } = await sessionOf(owner.browser)
    const remove = (name: string) => owner.browser.request('/_fw/org', { method: 'DELETE', json: { name } })
    const wrong = await remove('Something else')
    expect([wrong.status, await codeOf(wrong)]).toEqual([400, 'name-mismatch'])
    const json = { name: orgName }
    const planned = await owner.browser.request('/_fw/org?dryRun=true', { method: 'DELETE', json })
    expect(await planned.json()).toMatchObject({ rows: [], members: 3, nextOrgId: orgId })
    const deleted = await remove(` ${String(orgName).toUpperCase()} `)
    expect([deleted.status, await deleted.json()]).toMatchObject([200, { members: 3, nextOrgId: null }])
    expect([(await sessionOf(owner.browser)).orgId, (await sessionOf(member.browser)).orgId]).toEqual([null, null])
    expect((await owner.browser.request('/_fw/org', { method: 'DELETE', json: { name: 'x' } })).status).toBe(400)
    const restore = (who: typeof owner) => who.browser.post('/_fw/org/restore', { json: { orgId } })
    const refused = await restore(member)
    expect([refused.status, await codeOf(refused)]).toEqual([404, 'not-found'])
    expect(await (await restore(owner)).json()).toMatchObject({ id: orgId, name: orgName, role: 'owner' })
    expect([(await sessionOf(owner.browser)).orgId, (await sessionOf(member.browser)).orgId]).toEqual([orgId, orgId])
  })
})

describe('organization email domain', () => {
  it.each([
    ['gmail.com', 'free-mail-domain'],
    ['co.uk', 'public-suffix-domain'],
    ['other.test', 'not-your-domain'],
    ['not a domain', 'invalid-input'],
    ['sub.own-firm.test', 'not-your-domain'],
  ])('returns 400 for %s', async (allowedDomain, code) => {
    const owner = await world.person({ email: `o${Math.random().toString(36).slice(2)}@own-firm.test` })
    await sessionOf(owner.browser)
    const answer = await owner.browser.request('/_fw/org', { method: 'PATCH', json: { allowedDomain } })
    expect([answer.status, await codeOf(answer)]).toEqual([400, code])
  })

  it('requires a confirmed address, belongs to one organization and lets colleagues join once', async () => {
    const first = await world.person({ email: 'first@quay.test', verified: false })
    await sessionOf(first.browser)
    const set = (who: typeof first, allowedDomain: string) =>
      who.browser.request('/_fw/org', { method: 'PATCH', json: { allowedDomain } })
    expect(await codeOf(await set(first, 'quay.test'))).toBe('not-your-domain')
    await query(server, 'update users set email_verified = 1 where email = ?', [first.email])
    const second = await world.person({ email: 'second@quay.test' })
    await sessionOf(second.browser)
    expect(await (await set(first, 'QUAY.test.')).json()).toMatchObject({ allowedDomain: 'quay.test' })
    expect([(await set(second, 'quay.test')).status]).toEqual([409])
    const { orgId } = await sessionOf(first.browser)

    const third = await world.person({ email: 'third@quay.test', verified: false })
    const join = () => third.browser.post('/_fw/org/join', { json: { orgId } })
    expect((await (await third.browser.get('/_fw/org')).json()).domainMatches).toEqual([])
    expect(await codeOf(await join())).toBe('email-not-verified')
    await query(server, 'update users set email_verified = 1 where email = ?', [third.email])
    expect((await (await third.browser.get('/_fw/org')).json()).domainMatches).toMatchObject([{ id: orgId }])
    const joined = await Promise.all([join(), join(), join()])
    expect(joined.map(answer => answer.status)).toEqual([200, 200, 200])
    expect(
      await query(server, 'select role from org_members where org_id = ? and user_id = ?', [orgId, third.userId]),
    ).toEqual([expect.objectContaining({ role: 'member' })])
    const settled = await world.person({ email: 'settled@quay.test', verified: false })
    await query(server, 'update users set email_verified = 1 where email = ?', [settled.email])
    await settled.browser.post('/_fw/org', { json: { name: 'Settled' } })
    const home = await sessionOf(settled.browser)
    const enter = async (json: object) => (await settled.browser.post('/_fw/org/join', { json })).json()
    expect(await enter({ orgId })).toMatchObject({ joined: { id: orgId }, active: { id: home.orgId } })
    expect((await sessionOf(settled.browser)).orgId).toBe(home.orgId)
    expect(await enter({ orgId, confirm: true })).toMatchObject({ joined: { id: orgId }, active: { id: orgId } })
    expect((await sessionOf(settled.browser)).orgId).toBe(orgId)
    const stranger = await world.person()
    expect((await stranger.browser.post('/_fw/org/join', { json: { orgId } })).status).toBe(403)
  })

  it('ends when its owner changes address, unless another owner has a confirmed address there', async () => {
    const address = (name: string) => `${name}@wharf.test`
    const owner = await world.person({ email: address('owner') })
    const { orgId } = await sessionOf(owner.browser)
    await owner.browser.request('/_fw/org', { method: 'PATCH', json: { allowedDomain: 'wharf.test' } })
    const second = await world.join(owner, 'owner', await world.person({ email: address('second') }))
    const newcomer = await world.person({ email: address('newcomer') })
    const matches = async () => (await (await newcomer.browser.get('/_fw/org')).json()).domainMatches
    const shown = async () => (await (await owner.browser.get('/_fw/org')).json()).active.allowedDomain
    const moveTo = (who: TeamPerson, email: string) =>
      query(server, 'update users set email = ? where id = ?', [email, who.userId])

    await moveTo(owner, 'owner@elsewhere.test')
    expect([await matches(), await shown()]).toEqual([[expect.objectContaining({ id: orgId })], 'wharf.test'])
    await query(server, 'update users set email_verified = 0 where id = ?', [second.userId])
    expect([await matches(), await shown()]).toEqual([[], null])
    expect((await newcomer.browser.post('/_fw/org/join', { json: { orgId } })).status).toBe(403)
    // The domain is free again, so a person with an address in it can claim it.
    const heir = await world.person({ email: address('heir') })
    await heir.browser.post('/_fw/org', { json: { name: 'Wharf' } })
    const taken = await heir.browser.request('/_fw/org', { method: 'PATCH', json: { allowedDomain: 'wharf.test' } })
    expect([taken.status, (await taken.json()).allowedDomain]).toEqual([200, 'wharf.test'])
    await moveTo(owner, owner.email)
    expect(await shown()).toBeNull()
  })
})
