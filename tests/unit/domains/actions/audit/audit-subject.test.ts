import { SQLiteSyncDialect } from 'drizzle-orm/sqlite-core'
import { requireOrg } from '#fairway/server/domains/organizations'
import { beforeEach, describe, expect, it } from 'vitest'
import { runAction, verifyAuditLog } from '#fairway/server/domains/actions'
import { activityStatements, listActivity } from '#fairway/server/domains/actions/audit/activity'
import { sealAuditLog } from '#fairway/server/domains/actions/audit/audit-chain'
import {
  ACTIONS,
  ALL,
  auditStatements,
  exportAuditLog,
  listAuditLog,
} from '#fairway/server/domains/actions/audit/audit-log'
import { auditLog } from '#fairway/server/domains/actions/tables'
import { subjectsOf } from '#fairway/server/domains/actions/audit/audit-subject'
import { recordAudit } from '#fairway/server/domains/actions/audit/record-audit'
import type { App } from '#fairway/server/kernel/app-context'
import { countSql } from '#fairway/server/kernel/database/read-page'
import { AppError } from '#fairway/server/kernel/http/app-error'
import type { Session } from '#fairway/shared/schemas/session'
import archiveNote from '~~/server/actions/notes/archive-note'
import createNote from '~~/server/actions/notes/create-note'
import deleteNote from '~~/server/actions/notes/delete-note'
import setNoteVisibility from '~~/server/actions/notes/set-note-visibility'
import shareNote from '~~/server/actions/notes/share-note'
import updateNote from '~~/server/actions/notes/update-note'
import { useTestApp } from '../../../../support/use-app'
import { addTo, aMember, sessionNow } from '../../../../support/members'
import { query } from '../../../../support/query'

const actions = {
  'archive-note': archiveNote,
  'create-note': createNote,
  'delete-note': deleteNote,
  'set-note-visibility': setNoteVisibility,
  'share-note': shareNote,
  'update-note': updateNote,
}
const catalog = Object.entries(actions).map(([name, action]) => ({ name, group: 'notes', action: action as never }))
const subjects = subjectsOf(catalog)

const test = useTestApp()
let app: App
let owner: Session
let maria: Session
let jon: Session

beforeEach(async () => {
  app = test.app
  owner = await aMember(app, { name: 'Owner' })
  const join = async (name: string) => {
    const person = await aMember(app, { name })
    await addTo(app, owner, person, 'member')
    await query(app, 'delete from org_members where user_id = ? and org_id <> ?', [person.userId, owner.orgId])
    return sessionNow(app, person)
  }
  maria = await join('Maria')
  jon = await join('Jon')
})

const run = (name: keyof typeof actions, session: Session, input: unknown) =>
  runAction(app, { name, action: actions[name] as never, input, session, caller: 'http', requestId: 'r' })

async function aNote(session: Session, title: string): Promise<string> {
  const { note } = (await run('create-note', session, { title })) as { note: { id: string } }
  return note.id
}
const publish = (session: Session, id: string) => run('set-note-visibility', session, { id, visibility: 'org' })
const rows = () =>
  query(app, 'select action, outcome, subject_type, subject_id, subject_title from audit_log order by id')
const log = async (session = owner) =>
  (await listAuditLog(app, requireOrg(session, 'read-audit-log'), { page: 1, itemsPerPage: 50 }, subjects)).entries.map(
    ({ action, subject }) => [action, subject?.title, subject?.path],
  )
const feed = async (session: Session, before?: string) =>
  (await listActivity(app, session, catalog, { itemsPerPage: 50, before })).entries.map(({ action, subject }) => [
    action,
    subject?.title,
  ])

describe('audit row subject', () => {
  it('stores table and id, and the title only when the whole organization can read the record', async () => {
    const id = await aNote(maria, 'Weekly metrics')
    await publish(maria, id)
    await run('archive-note', maria, { id })
    const written = { subject_type: 'notes', subject_id: id }
    expect(await rows()).toMatchObject([
      { action: 'create-note', ...written, subject_title: null },
      { action: 'set-note-visibility', ...written, subject_title: 'Weekly metrics' },
      { action: 'archive-note', ...written, subject_title: 'Weekly metrics' },
    ])
  })

  it('stores the title when the whole organization can edit the record', async () => {
    const id = await aNote(maria, 'Weekly metrics')
    await run('set-note-visibility', maria, { id, visibility: 'org-edit' })
    expect((await rows()).at(-1)).toMatchObject({ subject_id: id, subject_title: 'Weekly metrics' })
    await run('update-note', jon, { id, text: 'By a colleague.' })
    expect(await feed(owner)).toEqual([
      ['update-note', 'Weekly metrics'],
      ['set-note-visibility', 'Weekly metrics'],
      ['create-note', 'Weekly metrics'],
    ])
  })

  it('shows title and page to people who can read the record, and keeps the stored title after deletion', async () => {
    const id = await aNote(maria, 'Weekly metrics')
    expect(await log()).toEqual([['create-note', null, null]])
    await run('share-note', maria, { id, email: owner.email })
    expect((await log())[0]).toEqual(['share-note', 'Weekly metrics', `/notes/${id}`])
    await publish(maria, id)
    await run('delete-note', maria, { id })
    expect(await log()).toEqual([
      ['delete-note', 'Weekly metrics', null],
      ['set-note-visibility', 'Weekly metrics', null],
      ['share-note', null, null],
      ['create-note', null, null],
    ])
    const csv = (
      await Array.fromAsync(exportAuditLog(app, requireOrg(owner, 'read-audit-log'), { format: 'csv' }, subjects).text)
    ).join('')
    expect(csv.split('\r\n').at(-2)).toContain(`notes,${id},Weekly metrics`)
  })

  it('is empty when the caller cannot read the record', async () => {
    const id = await aNote(maria, 'My dismissal')
    await run('update-note', jon, { id, title: 'x' }).catch(() => undefined)
    await run('delete-note', jon, { id }).catch(() => undefined)
    expect((await rows()).slice(1)).toMatchObject([
      { action: 'update-note', outcome: 'failed', subject_type: null, subject_title: null },
      { action: 'delete-note', outcome: 'failed', subject_type: null, subject_title: null },
    ])
  })

  it('is part of the chain, which detects a changed title and still verifies rows without a subject', async () => {
    const id = await aNote(maria, 'Weekly metrics')
    await publish(maria, id)
    await recordAudit(app, { action: 'plain', caller: 'http', session: maria, requestId: 'r', input: {}, keeps: [] })
    await sealAuditLog(app)
    const faults = async () => (await verifyAuditLog(app)).flatMap(report => report.faults)
    expect([await faults(), await query(app, 'select count(*) as n from audit_log where seq is null')]).toMatchObject([
      [],
      [{ n: 0 }],
    ])
    await app.db.client.batch(
      ['drop trigger audit_log_no_update', `update audit_log set subject_title = 'Other' where seq = 2`],
      'write',
    )
    expect((await faults())[0]).toMatch(/row 2 .* was changed/)
  })
})

describe('activity', () => {
  it('omits other members’ private records and all actions on them', async () => {
    const id = await aNote(maria, 'My dismissal')
    await run('update-note', maria, { id, title: 'My dismissal, again' })
    expect(await feed(jon)).toEqual([])
    expect(await feed(owner)).toEqual([])
    expect(await feed(maria)).toEqual([
      ['update-note', 'My dismissal, again'],
      ['create-note', 'My dismissal, again'],
    ])
    await run('delete-note', maria, { id })
    expect(await feed(jon)).toEqual([])
    expect((await feed(maria))[0]).toEqual(['delete-note', null])
  })

  it('shows actions on records shared with the member, but not with whom else they are shared', async () => {
    const id = await aNote(maria, 'Plan')
    await run('share-note', maria, { id, email: jon.email })
    await run('update-note', maria, { id, pinned: true })
    expect(await feed(jon)).toEqual([
      ['update-note', 'Plan'],
      ['create-note', 'Plan'],
    ])
    expect(await feed(owner)).toEqual([])
  })

  it('shows actions on organization-wide records until they become private again', async () => {
    const id = await aNote(maria, 'Plan')
    await publish(maria, id)
    expect((await feed(jon))[0]).toEqual(['set-note-visibility', 'Plan'])
    await run('set-note-visibility', maria, { id, visibility: 'private' })
    await run('update-note', maria, { id, title: 'Secret plan' })
    expect(await feed(jon)).toEqual([['set-note-visibility', 'Plan']])
  })

  it('shows role changes with names, and omits removals and denied actions', async () => {
    const entry = { caller: 'http' as const, requestId: 'r', keeps: ['email', 'role'] }
    const input = { email: jon.email, role: 'admin' }
    await recordAudit(app, { ...entry, action: 'change-member-role', session: owner, input })
    await recordAudit(app, { ...entry, action: 'remove-member', session: owner, input })
    await recordAudit(app, {
      ...entry,
      action: 'change-member-role',
      session: maria,
      input,
      error: new AppError('forbidden'),
    })
    const { entries, people } = await listActivity(app, maria, catalog, { itemsPerPage: 9 })
    expect(entries.map(({ action, outcome }) => [action, outcome])).toEqual([['change-member-role', 'ok']])
    expect(people.map(({ name }) => name).toSorted()).toEqual(['Jon', 'Owner'])
  })

  it('is paginated and limited to the member’s organization', async () => {
    for (let index = 0; index < 5; index++) await aNote(maria, `Note ${index}`)
    const first = await listActivity(app, maria, catalog, { itemsPerPage: 3 })
    const second = await listActivity(app, maria, catalog, { itemsPerPage: 3, before: first.next ?? undefined })
    const titles = [...first.entries, ...second.entries].map(({ subject }) => subject?.title)
    expect([titles, second.next]).toEqual([['Note 4', 'Note 3', 'Note 2', 'Note 1', 'Note 0'], null])
    expect(await feed(await aMember(app))).toEqual([])
    expect(await feed({ ...maria, orgId: null })).toEqual([])
  })

  it('scans at most 5,000 rows per page and continues there on the next page', async () => {
    await aNote(maria, 'Before')
    await query(
      app,
      `with recursive n (i) as (select 1 union all select i + 1 from n where i < 6000)
        insert into audit_log (id, at, action, caller, user_id, user_email, org_id, outcome, request_id, subject_type, subject_id)
        select printf('ffffffff-ffff-7fff-8fff-%012d', i), ? + i, 'create-note', 'http', ?, ?, ?, 'ok', 'r', 'notes', i from n`,
      [Date.now(), jon.userId, jon.email, owner.orgId],
    )
    const page = (before?: string) => listActivity(app, maria, catalog, { itemsPerPage: 3, before })
    const first = await page()
    expect(first).toMatchObject({ entries: [], next: expect.stringMatching(/000000001001$/) })
    const second = await page(first.next ?? undefined)
    expect([second.entries.map(({ subject }) => subject?.title), second.next]).toEqual([['Before'], null])
  })
})

describe('audit log filters', () => {
  it('find entries by action, person, subject, outcome and time, and return all actions that occur', async () => {
    const id = await aNote(maria, 'Plan')
    await aNote(jon, 'Other')
    await run('archive-note', maria, { id })
    const find = async (filter: object) => {
      const page = await listAuditLog(
        app,
        requireOrg(owner, 'read-audit-log'),
        { page: 1, itemsPerPage: 9, ...filter },
        subjects,
      )
      return [page.totalItems, page.actions]
    }
    const occurring = ['archive-note', 'create-note']
    expect(await find({ email: maria.email })).toEqual([2, occurring])
    expect(await find({ subject: `notes/${id}` })).toEqual([2, occurring])
    expect(await find({ action: 'create-note', email: jon.email })).toEqual([1, occurring])
    expect(await find({ outcome: 'denied' })).toEqual([0, occurring])
    expect(await find({ from: new Date(app.now().getTime() + 1000) })).toEqual([0, occurring])
  })

  it('use indexes', async () => {
    const at = new Date(0)
    const filters = [
      {},
      { email: 'a' },
      { action: 'a' },
      { subject: 'notes/1' },
      { outcome: 'ok' as const },
      { caller: 'mcp' as const },
      { from: at, until: at },
      { email: 'a', from: at },
    ]
    for (const filter of filters) {
      const { page, where, piece } = auditStatements(app, 'org', filter)
      for (const part of [page({ offset: 0, limit: 9 }), piece({ at: '2026-01-01T00:00:00Z', id: 'a' }, 9)]) {
        const { sql, params } = part.toSQL()
        expect(await planOf(sql, params)).not.toMatch(SLOW)
      }
      const { sql, params } = dialect.sqlToQuery(countSql(auditLog, where, 9))
      // The count reads the rows that another part of the plan found.
      expect((await planOf(sql, params)).replace('SCAN (subquery-1)', '')).not.toMatch(SLOW)
    }
    for (const sql of [ACTIONS, ALL])
      expect(await planOf(sql, ['org', 'org'])).not.toMatch(/SCAN audit_log|TEMP B-TREE/)
    // The total comes from the chain's length and does not count all rows.
    expect(await planOf(ALL, ['org', 'org'])).not.toMatch(/org_id=/)
    for (const before of [undefined, 'a']) {
      const { end, rows } = activityStatements(app, maria, before)
      for (const { sql, params } of [
        end.toSQL(),
        rows(undefined, 'b', 9).toSQL(),
        rows(undefined, undefined, 9).toSQL(),
      ])
        expect(await planOf(sql, params)).not.toMatch(SLOW)
    }
  })
})

const dialect = new SQLiteSyncDialect()
const SLOW = /\bSCAN\b|TEMP B-TREE/

async function planOf(statement: string, values: unknown[]): Promise<string> {
  const plan = await query(app, `explain query plan ${statement}`, values as string[])
  const details = plan.map(row => String(row.detail)).join('\n')
  expect(details).toMatch(/USING (COVERING )?INDEX/)
  return details
}
