import { beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { and, eq } from 'drizzle-orm'
import { sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { appRole, definePolicy, organizationColumns, person } from 'nuxt-fairway/tables'
import {
  accessDenied,
  accessibleTo,
  defineAction,
  defineAppRoles,
  definePermissions,
  requireOrgRole,
  requirePermission,
} from '#fw'
import { explainDenial } from '#fairway/server/devtools/explain-denial'
import type { Catalogs } from '#fairway/server/devtools/explain-row'
import type { Target } from '#fairway/server/devtools/recording'
import { runAction } from '#fairway/server/domains/actions'
import { assignAppRole, requireOrg } from '#fairway/server/domains/organizations'
import { withRun } from '#fairway/server/kernel/current-run'
import { AppError } from '#fairway/server/kernel/http/app-error'
import type { Session } from '#fairway/shared/schemas/session'
import { notes } from '../../../server/database/notes'
import { shareTestApp } from '../../support/use-app'
import { aMember, addTo, anotherOrg, sessionNow } from '../../support/members'
import { query } from '../../support/query'

const adminsOnly = defineAction({
  description: 'For admins.',
  input: z.object({ title: z.string() }),
  callers: ['owner', 'admin'],
  guard: ({ session }) => session.orgRole !== 'member',
  run: () => null,
})
const byGuard = defineAction({
  description: 'For admins, by a guard of the platform.',
  input: z.object({}),
  guard: requireOrgRole('admin'),
  run: () => null,
})
const deals = sqliteTable('deals', {
  id: text('id').primaryKey(),
  ...organizationColumns(),
  assignee: person('assignee'),
  title: text('title').notNull(),
})
definePolicy(deals, {
  read: ['creator', 'assignee', appRole('manager', 'agent')],
  create: 'admin',
  update: ['assignee', appRole('manager')],
  delete: 'admin',
})
const idInput = z.object({ id: z.string() })
const updateDeal = defineAction({
  description: 'Changes a deal.',
  input: idInput,
  audit: { subject: { table: deals, title: deals.title } },
  async run({ id }, { db, session }) {
    const [row] = await db
      .update(deals)
      .set({ title: 'New' })
      .where(and(eq(deals.id, id), accessibleTo(deals, session, 'update')))
      .returning()
    if (!row) throw await accessDenied(db, deals, session, { id, to: 'update' })
    return row
  },
})
const permissions = definePermissions({ 'deals:close': 'Close deals' })
const byPermission = defineAction({
  description: 'For holders of a permission.',
  input: z.object({}),
  guard: requirePermission('deals:close'),
  run: () => true,
})
const catalogs: Catalogs = {
  actions: [
    { name: 'admins-only', group: 'x', action: adminsOnly },
    { name: 'by-guard', group: 'x', action: byGuard },
    { name: 'by-permission', group: 'x', action: byPermission },
    { name: 'update-deal', group: 'x', action: updateDeal },
  ],
  collections: [],
}

const test = shareTestApp({}, { appRoles: defineAppRoles({ appId: 'crm', roles: ['manager', 'agent'] }), permissions })
let ada: Session
let tom: Session
beforeAll(async () => {
  ada = await aMember(test.app, { email: 'ada@example.test', name: 'Ada' })
  const made = await aMember(test.app, { email: 'tom@example.test', name: 'Tom' })
  await addTo(test.app, ada, made, 'member')
  await test.app.db.client.execute({
    sql: 'delete from org_members where user_id = ? and org_id <> ?',
    args: [made.userId, ada.orgId ?? ''],
  })
  tom = await sessionNow(test.app, made)
  const now = test.app.now()
  const row = { ownerEmail: ada.email, orgId: ada.orgId, title: 'Plan', createdAt: now, updatedAt: now }
  await test.app.db.orm.insert(notes).values({ id: 'note-1', ...row })
  await query(
    test.app,
    `create table deals (id text primary key, org_id text not null, created_by text_creator, created_by_name text not null,
      title text not null, assignee text_person)`,
  )
  const deal = { id: 'row-1', orgId: ada.orgId ?? '', createdBy: ada.email, createdByName: ada.name, title: 'Plan' }
  await test.app.db.orm.insert(deals).values(deal)
})

const explain = (target: Partial<Target>, error: AppError) =>
  explainDenial(test.app, catalogs, { kind: 'action', name: 'admins-only', session: tom, ids: [], ...target }, error)

describe('explainDenial', () => {
  it('explains a guard with its allowed roles, the person’s role and who can change it', async () => {
    const call = {
      name: 'admins-only',
      action: adminsOnly,
      input: { title: 'x' },
      session: tom,
      caller: 'http' as const,
      requestId: 'r',
    }
    const error = await runAction(test.app, call).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(AppError)
    const { rule, fact, wayOut } = await explain({}, error as AppError)
    expect(rule).toBe('The action admins-only: its guard refuses; it lets in: owner, admin.')
    expect(fact).toBe(`tom@example.test works in ${ada.orgName} as member.`)
    expect(wayOut).toContain('ada@example.test can change roles')
  })

  it('names a platform guard as it was written, with its message', async () => {
    const call = { action: byGuard, input: {}, session: tom, caller: 'http' as const, requestId: 'r' }
    const thrown = await runAction(test.app, { ...call, name: 'by-guard' }).catch((error: unknown) => error)
    const { rule, fact } = await explain({ name: 'by-guard' }, thrown as AppError)
    expect(rule).toBe("The action by-guard: `requireOrgRole('admin')` refuses; it lets in: owner, admin.")
    expect(fact).toContain('You’re a member of this organization. This requires the admin or owner role.')
  })

  it('names the owner, visibility and missing share of another person’s row', async () => {
    const { rule, fact, wayOut } = await explain({ name: 'update-note', ids: ['note-1'] }, new AppError('not-found'))
    expect(rule).toContain('visibility and shares of the row in notes')
    expect(fact).toBe(`The row belongs to ada@example.test, in ${ada.orgName}, visibility private, no share.`)
    expect(wayOut).toContain('ada@example.test can share it')
  })

  it('names a share whose role is too low', async () => {
    await test.app.db.client.execute({
      sql: `insert into shares (resource, resource_id, user_id, role, org_id, shared_by, shared_at) values ('notes', 'note-1', ?, 'viewer', ?, ?, 0)`,
      args: [tom.userId, ada.orgId ?? '', ada.userId],
    })
    const error = new AppError('forbidden', { detail: 'This requires the editor role on this item.' })
    const { rule, fact } = await explain({ ids: ['note-1'] }, error)
    expect(rule).toContain('This requires the editor role on this item.')
    expect(fact).toContain('shared with tom@example.test as viewer')
  })

  it('suggests switching for a row of another organization', async () => {
    const away = await anotherOrg(test.app, tom, 'Elsewhere')
    const { wayOut } = await explain({ session: away, ids: ['note-1'] }, new AppError('not-found'))
    expect(wayOut).toBe(
      `tom@example.test works in Elsewhere, which cannot open rows of other organizations. Switch to ${ada.orgName}.`,
    )
  })

  it('explains that a row does not exist', async () => {
    const { fact } = await explain({ ids: ['gone'] }, new AppError('not-found'))
    expect(fact).toContain('has a row with the ID gone')
  })

  it('names the invalid input fields, and the nearest name for an unknown action', async () => {
    const errors = [{ path: 'title', message: 'is missing' }]
    expect((await explain({}, new AppError('invalid-input', { errors }))).fact).toBe('title: is missing')
    expect((await explain({ name: 'admin-only' }, new AppError('unknown-action'))).wayOut).toContain('admins-only')
  })

  it.each([
    'unauthenticated',
    'no-organization',
    'insufficient-scope',
    'rate-limited',
    'cross-origin',
    'conflict',
  ] as const)('returns a rule, a fact and a way out for %s', async code => {
    const { rule, fact, wayOut } = await explain({ session: null }, new AppError(code))
    for (const sentence of [rule, fact, wayOut]) expect(sentence).toMatch(/\w.*\.$/)
  })
})

describe('explainDenial for a policy', () => {
  const update = (input: object) =>
    runAction(test.app, {
      name: 'update-deal',
      action: updateDeal,
      input,
      session: tom,
      caller: 'http',
      requestId: 'r',
    }).catch((error: unknown) => error as AppError)
  const assign = (role: string | null) =>
    withRun({ app: test.app, session: ada }, () =>
      assignAppRole(test.app, requireOrg(ada, 'assign-app-role'), { email: tom.email, role }),
    )

  it('names who may change a readable row, in the words of the error', async () => {
    await assign('agent')
    const { rule, fact, wayOut } = await explain(
      { name: 'update-deal', ids: ['row-1'] },
      (await update({ id: 'row-1' })) as AppError,
    )
    expect(rule).toBe(
      'The action update-deal: the policy of its table. Only its assignee or people with the role manager can update this.',
    )
    expect(fact).toBe(`tom@example.test works in ${ada.orgName} as member.`)
    expect(wayOut).toBe('ada@example.test can give roles under Team. The rules are in `definePolicy` beside the table.')
    await assign(null)
  })

  it('names the organization of an unreadable row and how to switch to it', async () => {
    const { rule, fact } = await explain({ name: 'update-deal', ids: ['row-1'] }, new AppError('not-found'))
    expect(rule).toContain('the row in deals belongs to its organization, and the policy of the table decides.')
    expect(fact).toBe(`The row is in ${ada.orgName}.`)
    const away = await anotherOrg(test.app, tom, 'Away')
    const { wayOut } = await explain({ name: 'update-deal', session: away, ids: ['row-1'] }, new AppError('not-found'))
    expect(wayOut).toBe(
      `tom@example.test works in Away, which cannot open rows of other organizations. Switch to ${ada.orgName}.`,
    )
  })

  it('names the permission that a guard requires', async () => {
    const { rule } = await explain({ name: 'by-permission' }, new AppError('forbidden'))
    expect(rule).toBe(
      "The action by-permission: `requirePermission('deals:close')` refuses; it lets in: holders of deals:close.",
    )
  })

  it('explains a refusing guard regardless of the named row', async () => {
    const { rule } = await explain({ name: 'by-guard', ids: ['row-1'] }, new AppError('forbidden'))
    expect(rule).toContain("`requireOrgRole('admin')` refuses")
  })
})
