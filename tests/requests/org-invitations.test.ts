import { describe, expect, it } from 'vitest'
import { codeOf } from '../support/error-code'
import { managesRole, ORG_ROLES, type OrgRole } from '#fairway/shared/roles'
import { createBrowser, sessionOf, signUp } from '../support/http'
import { startSmtp } from '../support/mail'
import { query } from '../support/query'
import { borrowServer } from '../support/server'
import { useServer } from '../support/use-server'
import { createTeamWorld, PASSWORD, type TeamPerson } from '../support/team'

const server = useServer()
const world = createTeamWorld(server)

const inviteOf = (owner: TeamPerson, json: unknown) => owner.browser.post('/_fw/org/invitations', { json })
const answer = (who: TeamPerson, id: string, verb: string, json: unknown = {}) =>
  who.browser.post(`/_fw/org/invitations/${id}/${verb}`, { json })

async function anOwner(): Promise<TeamPerson> {
  const owner = await world.person()
  await sessionOf(owner.browser)
  return owner
}

describe('POST /_fw/org/invitations', () => {
  it('emails a link, stores only its hash and lists the pending invitation', async () => {
    const owner = await anOwner()
    const made = await inviteOf(owner, { email: ' New.Person@Example.test ', role: 'admin' })
    expect(made.status).toBe(201)
    const { invited } = await made.json()
    expect(invited).toMatchObject([{ email: 'new.person@example.test', role: 'admin', emailSent: true }])
    expect(Date.parse(invited[0].expiresAt) - Date.now()).toBeGreaterThan(6.99 * 24 * 3600 * 1000)
    const { id, token } = world.linkFor('new.person@example.test')
    expect(id).toBe(invited[0].id)
    const [row] = await query(server, 'select * from org_invitations where id = ?', [id])
    expect(JSON.stringify(row)).not.toContain(token)
    expect(server.log()).not.toContain(token)
    const { invitations } = await (await owner.browser.get('/_fw/org/invitations')).json()
    expect(invitations).toMatchObject([{ id, email: 'new.person@example.test', role: 'admin', invitedBy: 'Person' }])
  })

  it('sends the valid invitations of a list and names the failed ones', async () => {
    const { owner, admin, member } = await world.team()
    const made = await inviteOf(owner, {
      invitations: [
        { email: 'good@example.test' },
        { email: 'bad' },
        { email: member.email },
        { email: 'good@example.test', role: 'admin' },
      ],
    })
    expect(made.status).toBe(201)
    const result = await made.json()
    expect(result.invited.map((entry: { email: string }) => entry.email)).toEqual([
      'good@example.test',
      'good@example.test',
    ])
    expect(result.failed).toEqual([
      { email: 'bad', code: 'invalid-input' },
      { email: member.email, code: 'already-a-member' },
    ])
    const { orgId } = await sessionOf(owner.browser)
    expect(
      await query(server, `select role from org_invitations where org_id = ? and status = 'pending'`, [orgId]),
    ).toHaveLength(1)
    expect((await inviteOf(owner, { email: member.email })).status).toBe(409)
    expect((await inviteOf(admin, { email: 'x@example.test', role: 'owner' })).status).toBe(403)
    expect((await inviteOf(member, { email: 'x@example.test' })).status).toBe(403)
  })

  it('renews the link on resend, and the old link stops working', async () => {
    const owner = await anOwner()
    const guest = await world.person({ verified: false })
    await inviteOf(owner, { email: guest.email })
    const first = world.linkFor(guest.email)
    expect((await owner.browser.post(`/_fw/org/invitations/${first.id}/resend`)).status).toBe(204)
    const second = world.linkFor(guest.email)
    expect([second.id, second.token === first.token]).toEqual([first.id, false])
    const other = await world.person()
    expect((await answer(other, first.id, 'view', { token: first.token })).status).toBe(404)
    expect(await (await answer(other, first.id, 'view', { token: second.token })).json()).toMatchObject({
      isForYou: false,
    })
  })
})

describe('POST /_fw/org/invitations/:id/accept', () => {
  it('joins and activates the organization, confirms the address and returns the same response every time', async () => {
    const owner = await anOwner()
    const { orgId } = await sessionOf(owner.browser)
    await inviteOf(owner, { email: 'joiner@example.test', role: 'admin' })
    const { id, token } = world.linkFor('joiner@example.test')
    const joiner = await world.person({ email: 'joiner@example.test', verified: false })
    const answers = await Promise.all(Array.from({ length: 8 }, () => answer(joiner, id, 'accept', { token })))
    expect(answers.map(response => response.status)).toEqual(answers.map(() => 200))
    const bodies = await Promise.all(answers.map(response => response.json()))
    expect(new Set(bodies.map(body => JSON.stringify(body)))).toHaveLength(1)
    expect(bodies[0]).toMatchObject({ joined: { id: orgId, role: 'admin' }, active: { id: orgId } })
    expect(
      await query(server, 'select role from org_members where org_id = ? and user_id = ?', [orgId, joiner.userId]),
    ).toHaveLength(1)
    expect(await sessionOf(joiner.browser)).toMatchObject({ orgId, orgRole: 'admin', emailVerified: true })
  })

  it('returns 404 for another person’s invitation and reveals nothing', async () => {
    const owner = await anOwner()
    await inviteOf(owner, { email: 'bob@example.test' })
    const { id, token } = world.linkFor('bob@example.test')
    for (const email of ['bobby@example.test', 'bob+x@example.test']) {
      const stranger = await world.person({ email })
      for (const verb of ['accept', 'decline']) {
        expect((await answer(stranger, id, verb)).status).toBe(404)
        expect((await answer(stranger, id, verb, { token })).status).toBe(404)
      }
      expect((await answer(stranger, id, 'view')).status).toBe(404)
    }
  })

  it('returns 410 when the invitation has expired, was revoked or declined, or its inviter is no longer an admin', async () => {
    const { owner, admin, orgId } = await world.team()
    async function open(inviter: TeamPerson) {
      const guest = await world.person()
      await inviteOf(inviter, { email: guest.email })
      return { guest, ...world.linkFor(guest.email) }
    }
    const accept = async ({ guest, id, token }: Awaited<ReturnType<typeof open>>) => {
      const response = await answer(guest, id, 'accept', { token })
      return [response.status, await codeOf(response)]
    }
    const ended = [410, 'invitation-ended']
    const expired = await open(owner)
    await query(server, 'update org_invitations set expires_at = ? where id = ?', [Date.now() - 1000, expired.id])
    expect(await accept(expired)).toEqual(ended)
    expect(await (await answer(expired.guest, expired.id, 'view')).json()).toMatchObject({ status: 'expired' })

    const revoked = await open(owner)
    expect((await owner.browser.request(`/_fw/org/invitations/${revoked.id}`, { method: 'DELETE' })).status).toBe(204)
    expect((await owner.browser.request(`/_fw/org/invitations/${revoked.id}`, { method: 'DELETE' })).status).toBe(404)
    expect(await accept(revoked)).toEqual(ended)

    const declined = await open(owner)
    expect((await answer(declined.guest, declined.id, 'decline')).status).toBe(204)
    expect((await answer(declined.guest, declined.id, 'decline')).status).toBe(204)
    expect(await accept(declined)).toEqual(ended)

    const orphaned = await open(admin)
    await owner.browser.request(`/_fw/org/members/${admin.email}`, { method: 'PATCH', json: { role: 'member' } })
    expect(await (await answer(orphaned.guest, orphaned.id, 'view')).json()).toMatchObject({ status: 'ended' })
    // They have no valid invitation, so they work in their personal organization.
    expect(await sessionOf(orphaned.guest.browser)).toMatchObject({ orgRole: 'owner' })
    expect(await accept(orphaned)).toEqual(ended)
    const membership = 'select 1 from org_members where org_id = ? and user_id = ?'
    expect(await query(server, membership, [orgId, orphaned.guest.userId])).toEqual([])
  })

  it('accepts exactly the invitations that are offered', async () => {
    const guest = await world.person()
    const later = Date.now() + 1_000_000
    const wanted: string[] = []
    const others: string[] = []
    /** Inserts an invitation with a separate organization into the database. */
    async function row(inviter: OrgRole | 'nobody', role: OrgRole, more: { status?: string; expiresAt?: number } = {}) {
      const { status = 'pending', expiresAt = later } = more
      const id = `${inviter}-${role}-${status}-${expiresAt === later}`
      const of = (sql: string, ...args: (string | number)[]) => query(server, sql, [id, ...args])
      await of(`insert into organizations (id, name, created_by, created_at) values (?, 'Org', 'maker', 0)`)
      if (inviter !== 'nobody')
        await of(`insert into org_members (org_id, user_id, role, joined_at) values (?, 'inviter', ?, 0)`, inviter)
      await of(
        `insert into org_invitations (org_id, id, email, role, invited_by, status, token_hash, expires_at, created_at)
          values (?, ?, ?, ?, 'inviter', ?, 'x', ?, 0)`,
        id,
        guest.email,
        role,
        status,
        expiresAt,
      )
      const isOpen = inviter !== 'nobody' && managesRole(inviter, role) && status === 'pending' && expiresAt === later
      ;(isOpen ? wanted : others).push(id)
    }
    for (const inviter of [...ORG_ROLES, 'nobody'] as const) for (const role of ORG_ROLES) await row(inviter, role)
    for (const status of ['accepted', 'declined', 'revoked', 'expired']) await row('owner', 'member', { status })
    await row('owner', 'member', { expiresAt: 1 })
    const gone = await anOwner()
    await inviteOf(gone, { email: guest.email })
    others.push(world.linkFor(guest.email).id)
    const { orgName } = await sessionOf(gone.browser)
    expect((await gone.browser.request('/_fw/org', { method: 'DELETE', json: { name: orgName } })).status).toBe(200)

    const { invitations } = await (await guest.browser.get('/_fw/org')).json()
    const offered = invitations.map(({ id }: { id: string }) => id)
    expect(offered.toSorted()).toEqual(wanted.toSorted())
    for (const id of others) {
      const viewed = await answer(guest, id, 'view')
      if (viewed.status === 200) expect([id, (await viewed.json()).status]).not.toEqual([id, 'pending'])
      expect([id, (await answer(guest, id, 'accept')).status]).toEqual([id, expect.toBeOneOf([404, 410])])
    }
    for (const id of offered) {
      expect([id, (await (await answer(guest, id, 'view')).json()).status]).toEqual([id, 'pending'])
      expect([id, (await answer(guest, id, 'accept')).status]).toEqual([id, 200])
    }
  })

  it('has one outcome when the invitation is declined at the same time', async () => {
    const owner = await anOwner()
    const guest = await world.person()
    await inviteOf(owner, { email: guest.email })
    const { id } = world.linkFor(guest.email)
    const [accepted, declined] = await Promise.all([answer(guest, id, 'accept'), answer(guest, id, 'decline')])
    const statuses = [accepted?.status, declined?.status]
    expect([
      [200, 410],
      [410, 204],
    ]).toContainEqual(statuses)
  })

  it('closes the invitation of an existing member and keeps their role', async () => {
    const { owner, member } = await world.team()
    const { orgId } = await sessionOf(owner.browser)
    const columns = 'id, org_id, email, role, invited_by, status, token_hash, expires_at, created_at'
    await query(
      server,
      `insert into org_invitations (${columns}) values ('late', ?, ?, 'admin', ?, 'pending', 'x', ?, 0)`,
      [orgId, member.email, owner.userId, Date.now() + 1_000_000],
    )
    expect((await answer(member, 'late', 'accept')).status).toBe(200)
    expect((await sessionOf(member.browser)).orgRole).toBe('member')
    expect(await query(server, `select status from org_invitations where id = 'late'`)).toEqual([
      expect.objectContaining({ status: 'accepted' }),
    ])
  })
})

describe('invitations when email confirmation is required', () => {
  it('are hidden from an unconfirmed person, who cannot accept without the link', async () => {
    const strict = await borrowServer({ env: { NODE_ENV: 'production' } })
    try {
      const browser = createBrowser(strict.origin)
      await signUp(browser, { email: 'ada@example.test', password: PASSWORD, name: 'Ada' })
      await browser.get('/_fw/session')
      const made = await (await browser.post('/_fw/org/invitations', { json: { email: 'eve@example.test' } })).json()
      expect(made.invited).toMatchObject([{ emailSent: false, emailError: 'no-mail-server' }])
      const eve = createBrowser(strict.origin)
      await signUp(eve, { email: 'eve@example.test', password: PASSWORD, name: 'Eve' })
      expect(await (await eve.get('/_fw/org')).json()).toMatchObject({ invitations: [], needsVerifiedEmail: true })
      const accepted = await eve.post(`/_fw/org/invitations/${made.invited[0].id}/accept`, { json: {} })
      expect([accepted.status, await codeOf(accepted)]).toEqual([403, 'email-not-verified'])
    } finally {
      await strict.stop()
    }
  })

  it('are sent through the mail server with our own address, regardless of request headers', async () => {
    const smtp = await startSmtp()
    const env = { NODE_ENV: 'production', SMTP_URL: smtp.url, EMAIL_FROM: 'Fairway <no-reply@example.test>' }
    const strict = await borrowServer({ env })
    try {
      const browser = createBrowser(strict.origin)
      await browser.post('/_fw/auth/sign-in/magic-link', { json: { email: 'ada@example.test' } })
      const { link } = await smtp.mailTo('ada@example.test')
      const token = new URL(link).searchParams.get('token')
      await browser.post('/_fw/auth/magic-link/verify', { json: { token } })
      await browser.get('/_fw/session')
      const headers = { 'x-forwarded-host': 'evil.test', forwarded: 'host=evil.test' }
      const json = { email: 'eve@example.test' }
      const made = await (await browser.post('/_fw/org/invitations', { json, headers })).json()
      expect(made.invited).toMatchObject([{ emailSent: true }])
      const mail = await smtp.mailTo('eve@example.test', /invited you/)
      expect(mail.link).toMatch(`${strict.origin}/invitation?id=`)
      expect(mail.html).toContain(`${strict.origin}/invitation?id=`)
      expect(JSON.stringify(smtp.received)).not.toContain('evil.test')
    } finally {
      await strict.stop()
      await smtp.stop()
    }
  })
})
