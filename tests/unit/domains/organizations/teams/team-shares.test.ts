import { and, eq } from 'drizzle-orm'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  accessibleTo,
  accessOf,
  findShare,
  inEachOrganization,
  listShares,
  listTeamShares,
  removeMember,
  requireOrg,
  setActiveOrgId,
  shareRow,
  type ShareRole,
  unshareRow,
} from '#fairway/server/domains/organizations'
import { personOf } from '#fairway/server/domains/organizations/policy-check'
import { addTeam, setTeamMembers } from '#fairway/server/domains/organizations/teams/teams'
import { deleteTeam } from '#fairway/server/domains/organizations/teams/delete-team'
import type { Session } from '#fairway/shared/schemas/session'
import { notes } from '~~/server/database/notes'
import { withInterruption } from '../../../../support/database-slow'
import { refusalOf } from '../../../../support/error-code'
import { addTo, aMember, sessionNow } from '../../../../support/members'
import { query } from '../../../../support/query'
import { addAccount } from '../../../../support/service-accounts'
import { useTestApp } from '../../../../support/use-app'

const test = useTestApp()
const db = () => test.app.db.orm
let owner: Session
let inTeam: Session
let inBoth: Session
let alone: Session
let sales: string
let support: string

beforeEach(async () => {
  owner = await aMember(test.app)
  inTeam = await colleague()
  inBoth = await colleague()
  alone = await colleague()
  sales = await aTeam('Sales', inTeam, inBoth)
  support = await aTeam('Support', inBoth)
  const now = test.app.now()
  await db().insert(notes).values({
    id: 'note',
    title: 'Note',
    ownerEmail: owner.email,
    orgId: owner.orgId,
    createdAt: now,
    updatedAt: now,
  })
})

async function colleague(): Promise<Session> {
  const person = await aMember(test.app)
  await addTo(test.app, owner, person, 'member')
  await setActiveOrgId(test.app, person, owner.orgId, 'test')
  return sessionNow(test.app, person)
}

const managing = () => requireOrg(owner, 'manage-teams')
async function aTeam(name: string, ...people: Session[]): Promise<string> {
  const { id } = await addTeam(test.app, managing(), name)
  await setPeople(id, ...people)
  return id
}
const setPeople = (id: string, ...people: Session[]) =>
  setTeamMembers(test.app, managing(), id, { members: people.map(({ email }) => email) })

const share = (teamId: string, role: ShareRole, by = owner, on = db()) =>
  shareRow(on, notes, by, { id: 'note', teamId, role, now: test.app.now() })
const shareWith = ({ email }: Session, role: ShareRole) =>
  shareRow(db(), notes, owner, { id: 'note', email, role, now: test.app.now() })

/** What a person may do with the note, by each way to ask. */
async function rightsOf(session: Session) {
  const found = async (role: ShareRole) =>
    (
      await db()
        .select({ id: notes.id })
        .from(notes)
        .where(and(eq(notes.id, 'note'), accessibleTo(notes, session, role)))
    ).length === 1
  const roles: ShareRole[] = []
  for (const role of ['viewer', 'editor', 'admin'] as const) if (await found(role)) roles.push(role)
  const [row] = await db()
    .select({ access: accessOf(notes, session) })
    .from(notes)
    .where(and(eq(notes.id, 'note'), accessibleTo(notes, session)))
  const { share: inCode } = await personOf(db(), notes, session, 'note')
  expect(await findShare(test.app, 'notes', 'note', session)).toBe(inCode)
  expect(row?.access ?? null).toBe(inCode)
  expect(roles.at(-1) ?? null).toBe(inCode)
  // Programs export no data.
  if (session.serviceAccount) return inCode
  const exported = inEachOrganization(notes, session)
  const inExport = await db().select().from(notes).where(accessibleTo(notes, exported))
  expect(inExport.length === 1).toBe(inCode !== null)
  return inCode
}

describe('a row shared with a team', () => {
  it.each([
    ['viewer', null, null, { inTeam: 'viewer', inBoth: 'viewer' }],
    ['editor', 'viewer', null, { inTeam: 'editor', inBoth: 'editor' }],
    ['viewer', 'admin', null, { inTeam: 'viewer', inBoth: 'admin' }],
    [null, 'editor', 'viewer', { inTeam: 'viewer', inBoth: 'editor' }],
    ['viewer', null, 'admin', { inTeam: 'admin', inBoth: 'viewer' }],
    [null, null, 'editor', { inTeam: 'editor', inBoth: null }],
  ] as const)(
    'gives the highest role: Sales %s, Support %s, the person %s',
    async (bySales, bySupport, own, expected) => {
      if (bySales) await share(sales, bySales)
      if (bySupport) await share(support, bySupport)
      if (own) await shareWith(inTeam, own)
      expect({ inTeam: await rightsOf(inTeam), inBoth: await rightsOf(inBoth) }).toEqual(expected)
      expect(await rightsOf(alone)).toBeNull()
    },
  )

  it('gives nothing to people whose membership has ended, even while their row of the team is left', async () => {
    await share(sales, 'admin')
    expect(await rightsOf(inTeam)).toBe('admin')
    await query(test.app, 'delete from org_members where user_id = ? and org_id = ?', [inTeam.userId, owner.orgId])
    // The session is one from before.
    expect(await rightsOf(inTeam)).toBeNull()
  })

  it('gives nothing while the person works in another organization', async () => {
    await share(sales, 'admin')
    await setActiveOrgId(test.app, inTeam, null, 'test')
    const elsewhere = { ...inTeam, orgId: null, orgName: null, orgRole: null }
    expect(await findShare(test.app, 'notes', 'note', elsewhere)).toBeNull()
    expect(await db().select().from(notes).where(accessibleTo(notes, elsewhere))).toEqual([])
  })

  it('gives a service account its own rights, by its own place in the team', async () => {
    const { id } = await addAccount(test.app, owner, { name: 'Script' })
    const account = { ...inTeam, serviceAccount: { id, name: 'Script', isOwners: false } }
    await share(sales, 'editor')
    expect(await rightsOf(account)).toBeNull()
    await setTeamMembers(test.app, managing(), sales, { members: [], serviceAccounts: [id] })
    expect([await rightsOf(account), await rightsOf(inTeam)]).toEqual(['editor', null])
  })

  it('is listed for those who may share it, beside the people', async () => {
    await share(sales, 'editor')
    await shareWith(alone, 'viewer')
    expect(await listTeamShares(db(), notes, owner, 'note')).toEqual([
      { teamId: sales, name: 'Sales', people: 2, role: 'editor' },
    ])
    expect(await listShares(db(), notes, owner, 'note')).toMatchObject([{ email: alone.email }])
    expect(await refusalOf(listTeamShares(db(), notes, inTeam, 'note'))).toBe('forbidden')
  })

  it('ends when it is revoked, by those who may share it', async () => {
    await share(sales, 'editor')
    const unshare = (by: Session) => unshareRow(db(), notes, by, { id: 'note', teamId: sales })
    expect(await refusalOf(unshare(inTeam))).toBe('forbidden')
    expect(await refusalOf(unshare(alone))).toBe('not-found')
    await unshare(owner)
    expect(await rightsOf(inTeam)).toBeNull()
  })

  it('requires a team of the same organization', async () => {
    const other = await aMember(test.app)
    const { id } = await addTeam(test.app, requireOrg(other, 'manage-teams'), 'Elsewhere')
    for (const teamId of [id, 'unknown', alone.userId])
      expect(await refusalOf(share(teamId, 'viewer'))).toBe('not-found')
    expect(await refusalOf(share(sales, 'viewer', inTeam))).toBe('not-found')
    expect(await query(test.app, 'select 1 from shares')).toEqual([])
  })

  it('stays shared when its owner leaves, and goes with the team', async () => {
    const boss = await colleague()
    await query(test.app, `update notes set owner_email = ?`, [boss.email])
    await shareRow(db(), notes, boss, { id: 'note', teamId: sales, role: 'editor', now: test.app.now() })
    await removeMember(test.app, requireOrg(owner, 'remove-member'), boss.email)
    expect(await query(test.app, 'select owner_email from notes')).toEqual([{ owner_email: owner.email }])
    expect(await rightsOf(inTeam)).toBe('editor')
    await deleteTeam(test.app, managing(), { id: sales, confirm: true })
    expect(await rightsOf(inTeam)).toBeNull()
    expect(await query(test.app, 'select 1 from shares')).toEqual([])
  })
})

it('a person who leaves the team while they share shares nothing afterwards', async () => {
  const leaves = () => setPeople(sales, inBoth)
  const sharing = (at: number) => withInterruption(test.app, at, leaves)
  for (let at = 0; ; at++) {
    await query(test.app, 'delete from shares')
    await setPeople(sales, inTeam)
    await share(sales, 'admin')
    const { app, calls } = sharing(at)
    const shared = await refusalOf(share(support, 'viewer', inTeam, app.db.orm))
    if (calls() <= at) {
      expect(shared).toBe('done')
      return expect(at).toBeGreaterThan(1)
    }
    expect(shared).toBe('not-found')
    expect(await query(test.app, 'select 1 from shares where user_id = ?', [support])).toEqual([])
  }
})
