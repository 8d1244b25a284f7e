import { beforeEach, describe, expect, it } from 'vitest'
import { eq } from 'drizzle-orm'
import { z } from 'zod'
import { defineAction, newId, ownedBy } from '#fw'
import { declareActions, runAction } from '#fairway/server/domains/actions'
import { subjectsOf } from '#fairway/server/domains/actions/audit/audit-subject'
import { listAuditLog } from '#fairway/server/domains/actions/audit/audit-log'
import { purgeUndo } from '#fairway/server/domains/actions/undo/keep-undo'
import { type UndoFilter, undoCallsOf } from '#fairway/server/domains/actions/undo/undo-calls'
import { requireOrg } from '#fairway/server/domains/organizations'
import type { App } from '#fairway/server/kernel/app-context'
import { AppError } from '#fairway/server/kernel/http/app-error'
import type { Session } from '#fairway/shared/schemas/session'
import { notes } from '~~/server/database/notes'
import { refusalOf } from '../../../support/error-code'
import { addTo, aMember, sessionNow } from '../../../support/members'
import { query } from '../../../support/query'
import { useTestApp } from '../../../support/use-app'

const subject = { table: notes, title: notes.title }
const one = z.object({ id: z.string() })
const where = ({ id }: { id: string }) => eq(notes.id, id)

const createNote = defineAction({
  description: 'Creates a note.',
  input: z.object({ title: z.string(), visibility: z.enum(['private', 'org']).default('private') }),
  audit: { subject },
  undo: ({ result }) => ({ action: 'delete-note', input: { id: (result as { id: string }).id } }),
  async run(input, { db, session, now }) {
    const id = newId()
    await db.insert(notes).values({ ...ownedBy(session), ...input, id, createdAt: now(), updatedAt: now() })
    return { id }
  },
})
const renameNote = defineAction({
  description: 'Renames a note.',
  input: one.extend({ title: z.string() }),
  audit: { subject },
  undo: ({ input: { id }, before: [note] }) => note && { action: 'rename-note', input: { id, title: note.title } },
  async run({ id, title }, { db, now }) {
    if (title === 'forbidden') throw new AppError('conflict')
    await db.update(notes).set({ title, updatedAt: now() }).where(where({ id }))
  },
})
const deleteNote = defineAction({
  description: 'Deletes a note.',
  destructive: true,
  input: one,
  audit: { subject },
  undo: ({ before: [note] }) => note && { action: 'create-note', input: note, ids: [String(note.id)] },
  run: async (input, { db }) => void (await db.delete(notes).where(where(input))),
})
const actions = { 'create-note': createNote, 'rename-note': renameNote, 'delete-note': deleteNote }
const catalog = Object.entries(actions).map(([name, action]) => ({ name, action: action as never }))
const subjects = subjectsOf(catalog)

const test = useTestApp()
let app: App
let owner: Session
let member: Session
let requests = 0

beforeEach(async () => {
  app = test.app
  declareActions(app, async () => catalog)
  owner = await aMember(app, { name: 'Owner' })
  const joining = await aMember(app, { name: 'Maria' })
  await addTo(app, owner, joining, 'member')
  await query(app, 'delete from org_members where user_id = ? and org_id <> ?', [joining.userId, owner.orgId])
  member = await sessionNow(app, joining)
})

interface Made {
  session?: Session
  via?: string
}
/** Calls an action for Maria; returns the request. */
async function call(name: keyof typeof actions, input: object, { session = member, via }: Made = {}) {
  const requestId = `request-${++requests}`
  const caller = via ? 'mcp' : 'http'
  const result = await runAction(app, { name, action: actions[name] as never, input, session, caller, via, requestId })
  return { requestId, id: (result as { id?: string } | null)?.id ?? '' }
}
const undo = (filter: UndoFilter, { session = member, isDryRun = false } = {}) =>
  undoCallsOf(app, { session, requestId: `undo-${++requests}` }, { subjects, filter, isDryRun })
const stored = async () => query(app, 'select id, title from notes order by id')
const HOUR_AGO = () => new Date(app.now().getTime() - 3_600_000)

describe('undo of a call', () => {
  it('removes what was created, brings values back, and gives a deleted row its ID', async () => {
    const { id, requestId } = await call('create-note', { title: 'Milk' })
    const renamed = await call('rename-note', { id, title: 'Bread' })
    const deleted = await call('delete-note', { id })
    expect(await undo(deleted)).toMatchObject({ undone: 1, calls: [{ action: 'delete-note', obstacle: null }] })
    expect(await stored()).toEqual([{ id, title: 'Bread' }])
    await undo(renamed)
    expect(await stored()).toEqual([{ id, title: 'Milk' }])
    await undo({ requestId })
    expect(await stored()).toEqual([])
  })

  it('leaves an audit row of its own and works once, also twice at a time', async () => {
    const { requestId } = await call('create-note', { title: 'Milk' })
    const answers = await Promise.all([undo({ requestId }), undo({ requestId })].map(one => refusalOf(one)))
    expect(answers).toContain('done')
    expect(await query(app, 'select action, via from audit_log order by id')).toEqual([
      { action: 'create-note', via: null },
      { action: 'delete-note', via: 'undo' },
    ])
    expect(await refusalOf(undo({ requestId }))).toBe('not-found')
  })

  it('says in a dry run what would be, and changes nothing', async () => {
    const { requestId } = await call('create-note', { title: 'Milk' })
    expect(await undo({ requestId }, { isDryRun: true })).toMatchObject({ undone: 1, calls: [{ titles: ['Milk'] }] })
    expect(await stored()).toHaveLength(1)
    expect(await query(app, 'select undone_at from fw_undo_calls')).toEqual([{ undone_at: null }])
  })

  it.each([
    ['changed', "update notes set title = 'By hand'", 'By hand'],
    ['missing', 'delete from notes', null],
  ])('names a row that is %s since, and leaves it', async (code, sql, title) => {
    const { id } = await call('create-note', { title: 'Milk' })
    const { requestId } = await call('rename-note', { id, title: 'Bread' })
    await query(app, sql)
    const [row] = await stored()
    for (const isDryRun of [true, false])
      expect(await undo({ requestId }, { isDryRun })).toMatchObject({
        undone: 0,
        calls: [{ obstacle: { code, title } }],
      })
    expect((await stored())[0]).toEqual(row)
  })

  it('names the refusal of the opposite call, which can be undone later', async () => {
    const { id } = await call('create-note', { title: 'forbidden' })
    const { requestId } = await call('rename-note', { id, title: 'Bread' })
    const refused = { undone: 0, calls: [{ obstacle: { code: 'conflict' } }] }
    expect(await undo({ requestId }, { isDryRun: true })).toMatchObject(refused)
    expect(await undo({ requestId })).toMatchObject(refused)
    expect(await query(app, 'select undone_at from fw_undo_calls where request_id = ?', [requestId])).toEqual([
      { undone_at: null },
    ])
  })

  it('has no way back after 30 days', async () => {
    const { requestId } = await call('create-note', { title: 'Milk' })
    await query(app, 'update fw_undo_calls set at = at - ?', [31 * 86_400_000])
    await purgeUndo(app)
    expect(await refusalOf(undo({ requestId }))).toBe('not-found')
  })
})

describe('undo of everything that an app did', () => {
  const app1 = { via: 'https://host.example/client' }
  const everything = () => ({ userId: member.userId, ...app1, since: HOUR_AGO() })

  it('goes from the newest to the oldest and leaves what others did', async () => {
    const { id } = await call('create-note', { title: 'Milk' })
    await call('rename-note', { id, title: 'Bread' }, app1)
    await call('delete-note', { id }, app1)
    const other = await call('create-note', { title: 'Tea' }, app1)
    const expected = { undone: 3, calls: ['create-note', 'delete-note', 'rename-note'].map(action => ({ action })) }
    expect(await undo(everything(), { isDryRun: true })).toMatchObject(expected)
    expect(await undo(everything())).toMatchObject(expected)
    expect(await stored()).toEqual([{ id, title: 'Milk' }])
    expect(other.id).not.toBe('')
  })

  it('names what is in the way and goes on with the rest', async () => {
    const { id } = await call('create-note', { title: 'Milk' }, app1)
    const other = await call('create-note', { title: 'Tea' }, app1)
    await query(app, "update notes set title = 'Mine' where id = ?", [id])
    const answer = await undo(everything())
    expect(answer.calls.map(({ titles, obstacle }) => [titles, obstacle?.code ?? null])).toEqual([
      [['Tea'], null],
      [['Mine'], 'changed'],
    ])
    expect(await stored()).toEqual([{ id, title: 'Mine' }])
    expect(other.id).not.toBe(id)
  })

  it('leaves older calls and those of another app', async () => {
    await call('create-note', { title: 'Old' }, app1)
    await query(app, 'update fw_undo_calls set at = at - ?', [2 * 3_600_000])
    await call('create-note', { title: 'Other' }, { via: 'https://other.example/client' })
    expect(await undo(everything())).toEqual({ calls: [], undone: 0, hasMore: false })
  })
})

describe('the right to undo', () => {
  const marked = async (session: Session) => {
    const log = await listAuditLog(app, requireOrg(session, 'read-audit-log'), { page: 1, itemsPerPage: 9 }, subjects)
    return log.entries.filter(({ canUndo }) => canUndo).map(({ requestId }) => requestId)
  }

  it('is that of the caller, and of readers of the audit log where all may read the rows', async () => {
    const open = await call('create-note', { title: 'Open', visibility: 'org' })
    const opened = await call('delete-note', { id: open.id })
    const hidden = await call('create-note', { title: 'Private' })
    const gone = await call('delete-note', { id: hidden.id })
    expect((await marked(owner)).toSorted()).toEqual([open.requestId, opened.requestId, hidden.requestId].toSorted())
    expect(await refusalOf(undo(gone, { session: owner }))).toBe('not-found')
    expect(await undo(gone)).toMatchObject({ undone: 1 })
  })

  it('is nobody else’s', async () => {
    const { requestId } = await call('create-note', { title: 'Milk' }, { session: owner })
    expect(await refusalOf(undo({ requestId }))).toBe('not-found')
    expect(await refusalOf(undo({ requestId }, { session: await aMember(app) }))).toBe('not-found')
  })
})
