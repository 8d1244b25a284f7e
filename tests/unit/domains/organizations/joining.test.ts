import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  acceptInvitation,
  createOrganization,
  deleteOrganization,
  invite,
  joinByDomain,
  leaveOrganization,
  removeMember,
  requireOrg,
  setActiveOrgId,
  switchOrganization,
} from '#fairway/server/domains/organizations'
import { listPendingInvitations } from '#fairway/server/domains/organizations/invite'
import { findOrgContext } from '#fairway/server/domains/organizations/org-context'
import { getOverview } from '#fairway/server/domains/organizations/overview'
import { putCredential } from '#fairway/server/domains/organizations/vault'
import type { Session } from '#fairway/shared/schemas/session'
import { createTestApp, type TestApp } from '../../../support/app'
import { useTestApp } from '../../../support/use-app'
import { withInterruption, withLatency } from '../../../support/database-slow'
import { addPerson, addTo, aMember, anotherOrg, sessionFor, sessionNow } from '../../../support/members'
import { query } from '../../../support/query'

const test = useTestApp()

/** Invites a person to the owner's organization. Returns the invitation's id. */
async function anInvitation(owner: Session, guest: Session): Promise<string> {
  const { invited } = await invite(test.app, requireOrg(owner, 'invite-member'), [
    { email: guest.email, role: 'member' },
  ])
  return invited[0]?.id ?? ''
}

/** Creates a person who has never been in an organization. */
const aNewcomer = async () => sessionFor(await addPerson(test.app))

const activeOf = async (person: Session) => (await findOrgContext(test.app, person)).orgId
const choiceOf = (person: Session) =>
  query(test.app, `select value from user_settings where key = 'active-org-id' and user_id = ?`, [person.userId])
const moves = () =>
  test.lines().filter(({ message }) => message === 'the active organization of an account has changed')
const nameOf = ({ orgId: id, orgName: name }: Session) => ({ id, name })
const entryOf = (owner: Session) => ({ ...nameOf(owner), slug: owner.orgSlug, role: 'member' })
const give = (owner: Session, key: string) => putCredential(test.app, { orgId: owner.orgId ?? '' }, key, 'value')

/** The ways to join an existing organization. */
const ways = [
  {
    way: 'an invitation',
    reason: 'invitation accepted',
    async open(owner: Session, guest: Session) {
      const id = await anInvitation(owner, guest)
      return (confirm = false, app = test.app) => acceptInvitation(app, guest, { id, confirm })
    },
  },
  {
    way: 'the domain',
    reason: 'joined by domain',
    async open(owner: Session, guest: Session) {
      const domain = guest.email.replace(/.*@/, '')
      await query(test.app, 'update organizations set allowed_domain = ? where id = ?', [domain, owner.orgId])
      return (confirm = false, app = test.app) => joinByDomain(app, guest, { orgId: owner.orgId ?? '', confirm })
    },
  },
]

describe.each(ways)('joining by $way', ({ reason, open }) => {
  it('makes the first organization active, and repeated requests return the same', async () => {
    const owner = await aMember(test.app, { email: 'owner@harbour.test' })
    const guest = sessionFor(await addPerson(test.app, { email: 'guest@harbour.test' }))
    const join = await open(owner, guest)
    const answers = await Promise.all(Array.from({ length: 8 }, () => join(false, withLatency(test.app))))
    for (const answer of answers)
      expect(answer).toEqual({ joined: entryOf(owner), active: nameOf(owner), orphanedCredentials: [] })
    expect(await activeOf(guest)).toBe(owner.orgId)
    expect(moves()).toEqual([])
  })

  it('makes it active for an account whose last organization was deleted', async () => {
    const owner = await aMember(test.app, { email: 'owner@harbour.test' })
    const guest = await aMember(test.app, { email: 'guest@harbour.test' })
    await deleteOrganization(test.app, requireOrg(guest, 'delete-organization'), guest.orgName ?? '')
    expect(await activeOf(guest)).toBeNull()
    const join = await open(owner, guest)
    expect(await join()).toMatchObject({ active: nameOf(owner) })
    expect(await activeOf(guest)).toBe(owner.orgId)
  })

  it('does not leave another active organization, and returns both and the credentials left behind', async () => {
    const owner = await aMember(test.app, { email: 'owner@harbour.test' })
    const guest = await aMember(test.app, { email: 'guest@harbour.test' })
    await give(guest, 'openai')
    await give(owner, 'not-of-theirs')
    const join = await open(owner, guest)
    const answers = await Promise.all(Array.from({ length: 8 }, () => join(false, withLatency(test.app))))
    const left = [{ key: 'openai' }]
    for (const answer of answers)
      expect(answer).toEqual({ joined: entryOf(owner), active: nameOf(guest), orphanedCredentials: left })
    expect(await query(test.app, 'select 1 from org_members where user_id = ?', [guest.userId])).toHaveLength(2)
    expect(await activeOf(guest)).toBe(guest.orgId)
    expect(moves()).toEqual([])
  })

  it('switches with a confirmation, now or later, and warns with both names and the credentials left behind', async () => {
    const owner = await aMember(test.app, { email: 'owner@harbour.test' })
    const guest = await aMember(test.app, { email: 'guest@harbour.test' })
    await give(guest, 'openai')
    const join = await open(owner, guest)
    expect(await join()).toMatchObject({ active: nameOf(guest) })
    const moved = { joined: entryOf(owner), active: nameOf(owner), orphanedCredentials: [] }
    expect([await join(true), await join(true), await join()]).toEqual([moved, moved, moved])
    expect(await activeOf(guest)).toBe(owner.orgId)
    expect(moves()).toMatchObject([
      { level: 'warn', from: nameOf(guest), to: nameOf(owner), reason, noLongerReadable: ['openai'] },
    ])
  })

  it('keeps an account without an organization by choice, and lists no credentials', async () => {
    const owner = await aMember(test.app, { email: 'owner@harbour.test' })
    const guest = await aMember(test.app, { email: 'guest@harbour.test' })
    await give(guest, 'openai')
    await setActiveOrgId(test.app, guest, null, 'test')
    const join = await open(owner, guest)
    expect(await join()).toEqual({ joined: entryOf(owner), active: null, orphanedCredentials: [] })
    expect(await activeOf(guest)).toBeNull()
  })

  it('does not switch because of an old choice or a clock that is behind', async () => {
    const owner = await aMember(test.app, { email: 'owner@harbour.test' })
    for (const choice of [owner.orgId, null]) {
      await query(test.app, 'update organizations set allowed_domain = null')
      const guest = await aMember(test.app, { email: `guest-${choice}@harbour.test` })
      if (choice)
        await query(test.app, `insert into user_settings values (?, 'active-org-id', ?)`, [guest.userId, choice])
      const join = await open(owner, guest)
      const behind = { ...test.app, now: () => new Date(test.app.now().getTime() - 60_000) }
      await join(false, behind)
      expect(await activeOf(guest), String(choice)).toBe(guest.orgId)
    }
  })

  it('leaves the person in the chosen organization during a concurrent switch', async () => {
    for (let round = 0; round < 10; round++) {
      await query(test.app, 'update organizations set allowed_domain = null')
      const owner = await aMember(test.app, { email: `owner-${round}@harbour.test` })
      const guest = await aMember(test.app, { email: `guest-${round}@harbour.test` })
      const second = await anotherOrg(test.app, guest)
      const join = await open(owner, guest)
      const slow = withLatency(test.app)
      await Promise.all([join(false, slow), switchOrganization(slow, second, { orgId: guest.orgId, confirm: true })])
      expect(await activeOf(guest), `round ${round}`).toBe(guest.orgId)
    }
  })
})

describe('concurrently accepted invitations', () => {
  it('make one organization active, and every answer names it', async () => {
    const guest = await aNewcomer()
    const owners = await Promise.all(Array.from({ length: 6 }, () => aMember(test.app)))
    const ids = await Promise.all(owners.map(owner => anInvitation(owner, guest)))
    const slow = withLatency(test.app)
    const answers = await Promise.all(ids.map(id => acceptInvitation(slow, guest, { id })))
    const active = await activeOf(guest)
    expect(new Set(answers.map(answer => answer.active?.id))).toEqual(new Set([active]))
    expect(await choiceOf(guest)).toEqual([{ value: active }])
  })
})

describe('ended invitation', () => {
  it('does not switch a member, even with a confirmation', async () => {
    const owner = await aMember(test.app)
    const guest = await aMember(test.app)
    const id = await anInvitation(owner, guest)
    await addTo(test.app, owner, guest, 'member')
    await query(test.app, `update org_invitations set status = 'revoked'`)
    await expect(acceptInvitation(test.app, guest, { id, confirm: true })).rejects.toMatchObject({
      code: 'invitation-ended',
    })
    expect(await activeOf(guest)).toBe(guest.orgId)
  })
})

describe('end of a membership', () => {
  const ends = [
    {
      how: 'removal',
      reason: 'membership ended',
      left: ['openai'],
      end: (owner: Session, member: Session) =>
        removeMember(test.app, requireOrg(owner, 'remove-member'), member.email),
    },
    {
      how: 'leaving',
      reason: 'membership ended',
      left: ['openai'],
      end: (_owner: Session, member: Session) => leaveOrganization(test.app, requireOrg(member, 'read-organization')),
    },
    {
      how: 'deletion of the organization',
      reason: 'organization deleted',
      left: ['openai'],
      end: (owner: Session) =>
        deleteOrganization(test.app, requireOrg(owner, 'delete-organization'), owner.orgName ?? ''),
    },
  ]

  it.each(ends)('by $how switches the person to another organization, with a warning that names both', async one => {
    const owner = await aMember(test.app)
    await give(owner, 'openai')
    const home = await aMember(test.app)
    await addTo(test.app, owner, home, 'member')
    await setActiveOrgId(test.app, home, owner.orgId, 'test')
    const before = moves().length
    await one.end(owner, await sessionNow(test.app, home))
    expect(await choiceOf(home)).toEqual([{ value: home.orgId }])
    expect(moves().slice(before)).toMatchObject([
      {
        level: 'warn',
        userId: home.userId,
        from: nameOf(owner),
        to: nameOf(home),
        reason: one.reason,
        noLongerReadable: one.left,
      },
    ])
  })

  it.each(ends)('by $how does not switch people who work in another organization', async one => {
    const owner = await aMember(test.app)
    const member = await aMember(test.app)
    await addTo(test.app, owner, member, 'member')
    const visitor: Session = { ...member, orgId: owner.orgId, orgName: owner.orgName, orgRole: 'member' }
    await one.end(owner, visitor)
    expect(await activeOf(member)).toBe(member.orgId)
    expect(moves()).toEqual([])
  })

  it('keeps the active organization when the person joins again', async () => {
    const owner = await aMember(test.app)
    const member = await aMember(test.app)
    await acceptInvitation(test.app, member, { id: await anInvitation(owner, member), confirm: true })
    await removeMember(test.app, requireOrg(owner, 'remove-member'), member.email)
    await acceptInvitation(test.app, member, { id: await anInvitation(owner, member) })
    expect(await activeOf(member)).toBe(member.orgId)
  })

  it('never leaves that organization active when a switch into it is concurrent', async () => {
    for (let round = 0; round < 12; round++) {
      const owner = await aMember(test.app)
      const member = await aMember(test.app)
      await addTo(test.app, owner, member, 'member')
      const slow = withLatency(test.app)
      await Promise.allSettled([
        setActiveOrgId(slow, member, owner.orgId, 'test'),
        removeMember(slow, requireOrg(owner, 'remove-member'), member.email),
      ])
      expect(await choiceOf(member), `round ${round}`).not.toEqual([{ value: owner.orgId }])
    }
  })
})

describe('an organization with the domain of an address', () => {
  it('is not named before the address is confirmed, but the person learns that there is a team', async () => {
    const owner = await aMember(test.app, { email: 'owner@harbour.example' })
    await query(test.app, `update organizations set allowed_domain = 'harbour.example' where id = ?`, [owner.orgId])
    const newcomer = sessionFor(await addPerson(test.app, { email: 'new@harbour.example', emailVerified: false }))
    const shown = async (session: Session) => {
      const overview = await getOverview(test.app, session)
      expect(JSON.stringify(overview).includes(owner.orgName ?? '')).toBe(session.emailVerified)
      return [overview.hasUnconfirmedMatch, overview.domainMatches.length]
    }
    expect(await shown(newcomer)).toEqual([true, 0])
    expect(await shown({ ...newcomer, emailVerified: true })).toEqual([false, 1])
    const other = sessionFor(await addPerson(test.app, { email: 'new@quay.example', emailVerified: false }))
    expect((await getOverview(test.app, other)).hasUnconfirmedMatch).toBe(false)
  })
})

describe('switchOrganization without a confirmation', () => {
  it('asks before it leaves an organization for none, and warns', async () => {
    const person = await aMember(test.app)
    await give(person, 'openai')
    const leave = (confirm: boolean) => switchOrganization(test.app, person, { orgId: null, confirm })
    await expect(leave(false)).rejects.toMatchObject({
      code: 'confirm-organization-switch',
      extra: { from: nameOf(person), to: null, orphanedCredentials: [{ key: 'openai' }] },
    })
    expect([await activeOf(person), moves()]).toEqual([person.orgId, []])
    expect((await leave(true)).orgId).toBeNull()
    expect(moves()).toMatchObject([{ from: nameOf(person), to: null, noLongerReadable: ['openai'] }])
    expect((await leave(false)).orgId).toBeNull()
  })

  it('does not switch when another request has changed the active organization', async () => {
    for (let at = 0; at < 6; at++) {
      const person = await aMember(test.app)
      const second = await anotherOrg(test.app, person)
      await setActiveOrgId(test.app, person, null, 'test')
      const outside = await sessionNow(test.app, person)
      const other = () => switchOrganization(test.app, outside, { orgId: second.orgId, confirm: true })
      const { app, calls } = withInterruption(test.app, at, other)
      const answer = await switchOrganization(app, outside, { orgId: person.orgId, confirm: false }).catch(
        (error: unknown) => error,
      )
      // Whenever the other request runs, this one never moves the person out of the second organization without a confirmation.
      expect(await activeOf(person), `before call ${at} of ${calls()}`).toBe(calls() > at ? second.orgId : person.orgId)
      if (answer instanceof Error)
        expect(answer).toMatchObject({ code: 'confirm-organization-switch', extra: { from: nameOf(second) } })
    }
  })
})

describe('createOrganization', () => {
  it('creates one organization for concurrent requests without a confirmation', async () => {
    const person = await aNewcomer()
    const slow = withLatency(test.app)
    const made = await Promise.allSettled(
      ['One', 'Two', 'Three'].map(name => createOrganization(slow, person, { name })),
    )
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const one of made)
      if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'confirm-additional-organization' })
    expect(await query(test.app, 'select 1 from org_members where user_id = ?', [person.userId])).toHaveLength(1)
  })
})

describe('copied invitation link without mail', () => {
  let production: TestApp
  let owner: Session
  beforeEach(async () => {
    production = await createTestApp({ NODE_ENV: 'production', FW_BASE_URL: 'https://app.example.test' })
    owner = await aMember(production.app)
  })
  afterEach(() => production.close())

  const inviteGuest = async () => {
    const guest = { ...sessionFor(await addPerson(production.app)), emailVerified: false }
    const { invited } = await invite(production.app, requireOrg(owner, 'invite-member'), [
      { email: guest.email, role: 'member' },
    ])
    const link = new URL(invited[0]?.link ?? '')
    return { guest, id: link.searchParams.get('id') ?? '', token: link.searchParams.get('token') ?? undefined }
  }

  it('lets the account with that email join, and does not verify the email', async () => {
    const { guest, id, token } = await inviteGuest()
    await expect(acceptInvitation(production.app, guest, { id })).rejects.toMatchObject({ code: 'email-not-verified' })
    await query(production.app, 'update users set email_verified = 0 where id = ?', [guest.userId])
    expect((await acceptInvitation(production.app, guest, { id, token })).joined.id).toBe(owner.orgId)
    expect(await query(production.app, 'select email_verified from users where id = ?', [guest.userId])).toMatchObject([
      { email_verified: 0 },
    ])
  })

  it('is rejected for another account, for another invitation, and after a renewal', async () => {
    const [{ guest, id, token }, other] = [await inviteGuest(), await inviteGuest()]
    const refusals = [
      acceptInvitation(production.app, other.guest, { id, token }),
      acceptInvitation(production.app, guest, { id, token: other.token }),
    ]
    await Promise.all(refusals.map(refused => expect(refused).rejects.toMatchObject({ name: 'AppError' })))
    const clock = { ...production.app, now: () => new Date(Date.now() + 60_000) }
    await invite(clock, requireOrg(owner, 'invite-member'), [{ email: guest.email, role: 'member' }])
    await expect(acceptInvitation(production.app, guest, { id, token })).rejects.toMatchObject({
      code: 'email-not-verified',
    })
  })

  it('has no token for admins when the invitation is for an owner', async () => {
    const guest = await addPerson(production.app)
    await query(
      production.app,
      `insert into org_invitations (id, org_id, email, role, invited_by, token_hash, status, created_at, expires_at)
        values ('i', ?, ?, 'owner', ?, 'hash', 'pending', 0, ?)`,
      [owner.orgId, guest.email, owner.userId, Date.now() + 60_000],
    )
    const hasToken = async (role: 'owner' | 'admin') =>
      (await listPendingInvitations(production.app, requireOrg({ ...owner, orgRole: role }, 'list-invitations'))).map(
        ({ link }) => link.includes('token='),
      )
    expect([await hasToken('owner'), await hasToken('admin')]).toEqual([[true], [false]])
  })

  it('has no token when mail can be sent', async () => {
    const { guest, id, token } = await inviteGuest()
    const withMail = { ...production.app, mailer: { ...production.app.mailer, isReady: true } }
    const [pending] = await listPendingInvitations(withMail, requireOrg(owner, 'list-invitations'))
    expect(pending?.link).toBe(`https://app.example.test/invitation?id=${id}`)
    await expect(acceptInvitation(withMail, guest, { id, token })).rejects.toMatchObject({ code: 'email-not-verified' })
  })
})
