import { beforeEach, describe, expect, it } from 'vitest'
import { exportMembers, listMembers, type MEMBER_ORDERS, memberStatements } from '#fairway/server/domains/organizations'
import type { MemberQuery } from '#fairway/server/domains/organizations/member-list'
import type { OrgRole } from '#fairway/shared/roles'
import type { Session } from '#fairway/shared/schemas/session'
import { useTestApp } from '../../../support/use-app'
import { addTo, aMember, signInAs } from '../../../support/members'
import { query } from '../../../support/query'

const test = useTestApp()
let owner: Session
let orgId: string
beforeEach(async () => {
  owner = await aMember(test.app, { name: 'Mia' })
  orgId = owner.orgId ?? ''
})
const list = (query: Partial<MemberQuery>, role: OrgRole = 'owner') =>
  listMembers(test.app, { orgId, role }, { ...all, ...query })

type Field = (typeof MEMBER_ORDERS)[number]
const all = { page: 1, itemsPerPage: 30, search: '' }
const sortedBy = async (field: Field, isDescending = false) =>
  (await list({ order: { field, isDescending } })).members.map(({ name }) => name)

async function addTenThousand(): Promise<void> {
  await query(
    test.app,
    `insert into users (id, name, email, email_verified, kind, created_at, updated_at)
    with recursive n(i) as (select 1 union all select i + 1 from n where i < 10000)
    select 'bulk' || i, 'Bulk ' || i, 'bulk' || i || '@example.test', 1, 'person', 0, 0 from n`,
  )
  await query(test.app, `insert into org_members select ?, id, 'member', 1 from users where id like 'bulk%'`, [orgId])
}

async function planOf(statement: string): Promise<string> {
  const values = Array(statement.split('?').length - 1).fill('1')
  const plan = await query(test.app, `explain query plan ${statement}`, values)
  const details = plan.map(row => String(row.detail))
  // Folding scans the steps of one text.
  return details.filter(detail => !/^SCAN (?:fw_fold|CONSTANT ROW)$/.test(detail)).join('\n')
}

describe('member list', () => {
  it('is sorted by name, role, joining date and last activity, in both directions', async () => {
    const zoe = await aMember(test.app, { name: 'zoe' })
    const adam = await aMember(test.app, { name: 'Adam' })
    await addTo(test.app, owner, zoe, 'admin')
    await addTo(test.app, owner, adam, 'member')
    await query(test.app, `update org_members set joined_at = joined_at + 5 where user_id = ?`, [adam.userId])
    await signInAs(test.app, adam)
    await query(test.app, 'update sessions set last_used_at = created_at + 60000 where user_id = ?', [adam.userId])
    await signInAs(test.app, zoe)

    expect(await sortedBy('name')).toEqual(['Adam', 'Mia', 'zoe'])
    expect(await sortedBy('name', true)).toEqual(['zoe', 'Mia', 'Adam'])
    expect(await sortedBy('role')).toEqual(['Mia', 'zoe', 'Adam'])
    expect(await sortedBy('joinedAt', true)).toEqual(['Adam', 'zoe', 'Mia'])
    expect(await sortedBy('lastActiveAt', true)).toEqual(['Adam', 'zoe', 'Mia'])
  })

  it('is searched and sorted without case and marks', async () => {
    const names = ['Zoë', 'Özlem', 'Olaf', 'ömer']
    for (const name of names) await addTo(test.app, owner, await aMember(test.app, { name }), 'member')
    expect(await sortedBy('name')).toEqual(['Mia', 'Olaf', 'ömer', 'Özlem', 'Zoë'])
    const found = async (search: string) => (await list({ search })).members.map(({ name }) => name)
    expect(await found('OZLEM')).toEqual(['Özlem'])
    expect(await found('ÖMER')).toEqual(['ömer'])
    expect(await found('zoe')).toEqual(['Zoë'])
    expect(await found('%')).toEqual([])
  })

  it('is filtered by role together with a search', async () => {
    const zoe = await aMember(test.app, { name: 'Zoe' })
    await addTo(test.app, owner, zoe, 'admin')
    const found = await list({ roles: ['admin', 'member'], search: 'zo' })
    expect([found.totalItems, found.members[0]?.email]).toEqual([1, zoe.email])
    expect((await list({ roles: ['member'] })).totalItems).toBe(0)
    expect((await list({ roles: [] })).totalItems).toBe(0)
  })

  it('contains last activity only where it is shown, and null after sign-out', async () => {
    await signInAs(test.app, owner)
    const [{ at } = { at: 0 }] = await query(test.app, 'select created_at as at from sessions')
    const active = async (role: OrgRole) => (await list({}, role)).members[0]?.lastActiveAt
    expect(await active('admin')).toBe(new Date(Number(at)).toISOString())
    expect(await active('member')).toBeNull()
    const order = { field: 'lastActiveAt', isDescending: true } as const
    await expect(list({ order }, 'member')).rejects.toMatchObject({ code: 'forbidden' })
    await query(test.app, 'delete from sessions')
    expect(await active('admin')).toBeNull()
  })

  it('is exported completely and once, with spreadsheet formulas as text', async () => {
    await addTenThousand()
    await query(test.app, `update users set name = '=1+1' where id = 'bulk7'`)
    let text = ''
    for await (const piece of exportMembers(test.app, orgId, { search: '', format: 'csv' }).text) text += piece
    const lines = text.trimEnd().split('\r\n')
    expect(lines[0]).toBe('\u{FEFF}name,email,role,joinedAt,lastActiveAt')
    expect(new Set(lines).size).toBe(10_002)
    expect(text).toContain(`'=1+1,bulk7@example.test,member,`)
    expect(text).toContain(owner.email)
  })

  it('uses indexes to page, search and export ten thousand members', async () => {
    await addTenThousand()
    const page = await list({ page: 300 })
    expect([page.totalItems, page.members.length]).toEqual([10_001, 30])
    expect(await list({ page: 300, total: 'capped' })).toMatchObject({ totalItems: 10_000, isTotalCapped: true })
    expect((await list({ search: 'BULK999' })).totalItems).toBe(11)
    const shapes = [{}, { isSearch: true }, { roles: 2 }, { isSearch: true, roles: 1 }, { showsActivity: true }]
    const inOrder = [
      memberStatements.one,
      ...shapes.flatMap(shape => [
        memberStatements.page(shape),
        memberStatements.page({ ...shape, order: { field: 'joinedAt', isDescending: true } }),
        memberStatements.count(shape),
        memberStatements.piece(shape),
      ]),
    ]
    for (const statement of inOrder) {
      // The rest of the plan looks up the people of one page. A count reads the rows that another part found.
      const details = (await planOf(statement)).replace(/\nSCAN m\n[^]*$/, '').replace(/SCAN \(subquery-\d+\)/, '')
      expect(details, statement).not.toMatch(/\bSCAN\b|TEMP B-TREE/)
      expect(details, statement).toMatch(/USING (COVERING )?INDEX/)
    }
    // Other orders need a sort. Their rows are still found by indexes.
    for (const field of ['name', 'role', 'lastActiveAt'] as const) {
      const order = { field, isDescending: false }
      expect(await planOf(memberStatements.page({ showsActivity: true, order }))).not.toMatch(/\bSCAN [^m]/)
    }
  })
})
