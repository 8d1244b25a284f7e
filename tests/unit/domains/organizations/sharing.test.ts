import { and, eq } from 'drizzle-orm'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  accessibleTo,
  listShares,
  ownedBy,
  accessOf,
  setVisibility,
  shareRow,
  unshareRow,
  type ShareRole,
} from '#fairway/server/domains/organizations'
import { notes } from '~~/server/database/notes'
import type { Visibility } from '#fairway/server/domains/organizations/ownable-columns'
import type { Session } from '#fairway/shared/schemas/session'
import { useTestApp } from '../../../support/use-app'
import { addTo, aMember, anotherOrg, sessionNow } from '../../../support/members'
import { query } from '../../../support/query'

const test = useTestApp()
let owner: Session
let colleague: Session
let admin: Session
let outsider: Session
const db = () => test.app.db.orm

beforeEach(async () => {
  owner = await aMember(test.app)
  outsider = await aMember(test.app)
  colleague = await colleagueOf(owner, 'member')
  admin = await colleagueOf(owner, 'admin')
  await aNote('private', owner)
  await aNote('published', owner, 'org')
  await aNote('shared', owner)
})

async function colleagueOf(person: Session, role: 'admin' | 'member'): Promise<Session> {
  const joined = await aMember(test.app)
  await addTo(test.app, person, joined, role)
  await query(test.app, `insert into user_settings values (?, 'active-org-id', ?)`, [joined.userId, person.orgId])
  return sessionNow(test.app, joined)
}

async function aNote(id: string, person: Session, visibility: Visibility = 'private') {
  const now = test.app.now()
  await db()
    .insert(notes)
    .values({ id, title: id, ...ownedBy(person), visibility, createdAt: now, updatedAt: now })
}

const share = (email: string, role: ShareRole, by = owner, id = 'shared') =>
  shareRow(db(), notes, by, { id, email, role, now: test.app.now() })

async function listed(session: Session, role?: ShareRole): Promise<string[]> {
  const rows = await db()
    .select({ id: notes.id })
    .from(notes)
    .where(accessibleTo(notes, session, role))
  return rows.map(row => row.id).toSorted()
}

const reads = async (session: Session, id: string, role?: ShareRole) =>
  (
    await db()
      .select({ id: notes.id })
      .from(notes)
      .where(and(eq(notes.id, id), accessibleTo(notes, session, role)))
  ).length === 1

describe('row access', () => {
  it('is the same in lists and for single rows, for every person and role', async () => {
    await share(colleague.email, 'editor')
    const expected: [Session, ShareRole, string[]][] = [
      [owner, 'viewer', ['private', 'published', 'shared']],
      [owner, 'admin', ['private', 'published', 'shared']],
      [colleague, 'viewer', ['published', 'shared']],
      [colleague, 'editor', ['shared']],
      [colleague, 'admin', []],
      // The admin role in the organization adds no access to rows.
      [admin, 'viewer', ['published']],
      [admin, 'editor', []],
      [outsider, 'viewer', []],
    ]
    for (const [session, role, ids] of expected) {
      expect(await listed(session, role)).toEqual(ids)
      for (const id of ['private', 'published', 'shared']) expect(await reads(session, id, role)).toBe(ids.includes(id))
    }
  })

  it('with org-edit lets every member edit, but not share or delete', async () => {
    await aNote('open', owner, 'org-edit')
    const expected: [Session, ShareRole, boolean][] = [
      [owner, 'admin', true],
      [colleague, 'viewer', true],
      [colleague, 'editor', true],
      [colleague, 'admin', false],
      // The admin role in the organization adds no access here either.
      [admin, 'editor', true],
      [admin, 'admin', false],
      [outsider, 'viewer', false],
      [outsider, 'editor', false],
    ]
    for (const [session, role, isFound] of expected) expect(await reads(session, 'open', role)).toBe(isFound)
    const elsewhere = await anotherOrg(test.app, colleague)
    for (const role of ['viewer', 'editor'] as const) expect(await reads(elsewhere, 'open', role)).toBe(false)
    await expect(setVisibility(db(), notes, admin, { id: 'open', visibility: 'private' })).rejects.toMatchObject({
      code: 'forbidden',
    })
    await share(colleague.email, 'admin', owner, 'open')
    expect(await reads(colleague, 'open', 'admin')).toBe(true)
  })

  it.each([
    ['private', 'viewer', 'viewer'],
    ['private', 'editor', 'editor'],
    ['org', null, 'viewer'],
    ['org', 'editor', 'editor'],
    ['org-edit', null, 'editor'],
    ['org-edit', 'viewer', 'editor'],
    ['org-edit', 'editor', 'editor'],
    ['org-edit', 'admin', 'admin'],
  ] as const)('is the highest one granted: %s, shared as %s, is %s', async (visibility, role, access) => {
    await aNote('given', owner, visibility)
    if (role) await share(colleague.email, role, owner, 'given')
    const accessFor = async (session: Session) =>
      (
        await db()
          .select({ access: accessOf(notes, session) })
          .from(notes)
          .where(eq(notes.id, 'given'))
      )[0]?.access
    expect(await accessFor(colleague)).toBe(access)
    expect(await accessFor(owner)).toBe('owner')
  })

  it('is limited to the organization of the row, for owners and readers', async () => {
    await share(colleague.email, 'admin')
    expect(await listed(await anotherOrg(test.app, colleague))).toEqual([])
    expect(await listed(await anotherOrg(test.app, owner))).toEqual([])
  })

  it('is limited to the owner for rows outside an organization', async () => {
    await aNote('own', { ...owner, orgId: null }, 'org')
    expect(await listed(owner)).toContain('own')
    expect(await listed({ ...owner, orgId: null })).toEqual(['own'])
    expect(await listed(colleague)).toEqual(['published'])
    await expect(share(colleague.email, 'viewer', owner, 'own')).rejects.toMatchObject({ code: 'no-organization' })
    for (const visibility of ['org', 'org-edit'] as const)
      await expect(setVisibility(db(), notes, owner, { id: 'own', visibility })).rejects.toMatchObject({
        code: 'no-organization',
      })
  })

  it('uses indexes', async () => {
    const { sql, params } = db().select().from(notes).where(accessibleTo(notes, owner)).toSQL()
    const plan = await query(test.app, `explain query plan ${sql}`, params as string[])
    expect(plan.map(row => String(row.detail)).join('\n')).not.toMatch(/SCAN notes/)
  })
})

describe('sharing', () => {
  it('requires the owner or a share admin, and returns not-found for unreadable rows', async () => {
    await share(colleague.email, 'editor')
    await expect(share(admin.email, 'viewer', colleague)).rejects.toMatchObject({ code: 'forbidden' })
    await expect(share(admin.email, 'viewer', admin)).rejects.toMatchObject({ code: 'not-found' })
    await expect(share(admin.email, 'viewer', outsider)).rejects.toMatchObject({ code: 'not-found' })
    await expect(setVisibility(db(), notes, colleague, { id: 'shared', visibility: 'org' })).rejects.toMatchObject({
      code: 'forbidden',
    })
    await share(colleague.email, 'admin')
    await share(admin.email, 'viewer', colleague)
    expect(await listShares(db(), notes, owner, 'shared')).toEqual([
      { userId: colleague.userId, email: colleague.email, name: colleague.name, image: null, role: 'admin' },
      { userId: admin.userId, email: admin.email, name: admin.name, image: null, role: 'viewer' },
    ])
  })

  it('requires a member of the same organization', async () => {
    await expect(share(outsider.email, 'viewer')).rejects.toMatchObject({ code: 'not-found' })
    await expect(share('nobody@example.test', 'viewer')).rejects.toMatchObject({ code: 'not-found' })
    await expect(share(owner.email, 'viewer')).rejects.toMatchObject({ code: 'conflict' })
    expect(await query(test.app, 'select 1 from shares')).toEqual([])
  })

  it('ends when it is revoked, given up, or made private again', async () => {
    await share(colleague.email, 'viewer')
    await unshareRow(db(), notes, owner, { id: 'shared', email: colleague.email })
    await unshareRow(db(), notes, owner, { id: 'shared', email: colleague.email })
    expect(await reads(colleague, 'shared')).toBe(false)
    await share(colleague.email, 'viewer')
    await unshareRow(db(), notes, colleague, { id: 'shared', email: colleague.email })
    expect(await reads(colleague, 'shared')).toBe(false)
    await setVisibility(db(), notes, owner, { id: 'shared', visibility: 'org' })
    expect(await reads(colleague, 'shared')).toBe(true)
    await setVisibility(db(), notes, owner, { id: 'shared', visibility: 'private' })
    expect(await reads(colleague, 'shared')).toBe(false)
  })
})

it('ownedBy throws unauthenticated without a session', () => {
  expect(() => ownedBy(null)).toThrow(expect.objectContaining({ code: 'unauthenticated' }))
})
